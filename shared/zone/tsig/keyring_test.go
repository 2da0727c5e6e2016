package tsig

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/miekg/dns"
)

func mustKey(t *testing.T, name, algorithm, secret string) *Key {
	key, err := NewKey(name, algorithm, secret)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestKeyring: what one ring signs another verifies if it holds the same key, whatever the name's case.
func TestKeyring(t *testing.T) {
	message := []byte("message")
	ring := Keyring{mustKey(t, "a", "hmac-sha256", "YQ=="), mustKey(t, "b", "hmac-sha512", "Yg==")}
	for _, key := range ring {
		stub := &dns.TSIG{Hdr: dns.RR_Header{Name: strings.ToUpper(key.Name)}, Algorithm: strings.ToUpper(key.Algorithm)}
		mac, err := ring.Generate(message, stub)
		if err != nil {
			t.Fatal(err)
		}
		stub.MAC = hex.EncodeToString(mac)
		if err := (Keyring{key}).Verify(message, stub); err != nil {
			t.Errorf("%s: %v", key, err)
		}
		if err := (Keyring{key}).Verify([]byte("another"), stub); err != dns.ErrSig {
			t.Errorf("%s, another message: %v, want %v", key, err, dns.ErrSig)
		}
		other := mustKey(t, key.Name, key.Algorithm, "Yw==")
		if err := (Keyring{other}).Verify(message, stub); err != dns.ErrSig {
			t.Errorf("%s, another secret: %v, want %v", key, err, dns.ErrSig)
		}
		stub.Algorithm = dns.HmacSHA384
		if err := (Keyring{key}).Verify(message, stub); err != dns.ErrSecret {
			t.Errorf("%s, another algorithm: %v, want %v", key, err, dns.ErrSecret)
		}
	}
}

// TestKeyHidesItsSecret: no ordinary way of printing a key shows what must not be shown.
func TestKeyHidesItsSecret(t *testing.T) {
	key := mustKey(t, "a", "hmac-sha256", "c2VjcmV0")
	for _, format := range []string{"%v", "%+v", "%s"} {
		if got := fmt.Sprintf(format, key); got != "a (hmac-sha256)" {
			t.Errorf("%s prints %q", format, got)
		}
	}
}
