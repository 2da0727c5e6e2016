package tsig

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"hash"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone"
)

// Keyring signs and verifies with any of its keys. It implements dns.TsigProvider.
//
// Unlike that library's own, it compares key names without regard to case and holds a key to its
// algorithm, as RFC 8945 section 5.2.1 wants.
type Keyring []*Key

// hashes are those of RFC 8945 section 6 that it still recommends; MD5 and SHA-1 are left out.
var hashes = map[string]func() hash.Hash{
	dns.HmacSHA224: sha256.New224,
	dns.HmacSHA256: sha256.New,
	dns.HmacSHA384: sha512.New384,
	dns.HmacSHA512: sha512.New,
}

// Generate returns the MAC of a message, or dns.ErrSecret when no key has the name and the algorithm.
func (r Keyring) Generate(message []byte, t *dns.TSIG) ([]byte, error) {
	for _, key := range r {
		if key.Name == zone.Canonical(t.Hdr.Name) && key.Algorithm == zone.Canonical(t.Algorithm) {
			mac := hmac.New(hashes[key.Algorithm], key.Secret)
			mac.Write(message)
			return mac.Sum(nil), nil
		}
	}
	return nil, dns.ErrSecret
}

// Verify reports dns.ErrSecret when no key has the name and the algorithm, dns.ErrSig when the MAC is wrong.
func (r Keyring) Verify(message []byte, t *dns.TSIG) error {
	want, err := r.Generate(message, t)
	if err != nil {
		return err
	}
	got, err := hex.DecodeString(t.MAC)
	if err != nil || !hmac.Equal(want, got) {
		return dns.ErrSig
	}
	return nil
}
