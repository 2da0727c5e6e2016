package conformance

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/zone/rfc2136"
	"example.com/twinloop/shared/zone/server"
	"example.com/twinloop/shared/zone/tsig"
)

// zoneName is the zone that both servers serve, to updates signed with key.
const zoneName = "fleet.test."

// key is what the server takes; stranger has the wrong secret, unknown a name it never heard.
var (
	key      = newKey("fleet-key", "hmac-sha256", "c2VjcmV0LW9mLXRoZS1mbGVldC16b25lLTI1Ng==")
	stranger = newKey("fleet-key", "hmac-sha256", "YW5vdGhlci1zZWNyZXQtYWx0b2dldGhlci0yNTY=")
	unknown  = newKey("other-key", "hmac-sha256", "c2VjcmV0LW9mLXRoZS1mbGVldC16b25lLTI1Ng==")
	sha512   = newKey("fleet-key", "hmac-sha512", "c2VjcmV0LW9mLXRoZS1mbGVldC16b25lLTI1Ng==")
)

func newKey(name, algorithm, secret string) *tsig.Key {
	key, err := tsig.NewKey(name, algorithm, secret)
	if err != nil {
		panic(err)
	}
	return key
}

// authority is a server under test. It may be stopped and started again, and then has the same address
// and the same records.
type authority interface {
	Addr() string
	Start() error
	Stop()
}

// onEach runs a test against the embedded server and against BIND, each freshly started.
func onEach(t *testing.T, test func(t *testing.T, a authority)) {
	t.Run("embedded", func(t *testing.T) { test(t, start(t, embedded(t))) })
	t.Run("bind", func(t *testing.T) {
		program, err := exec.LookPath("named")
		switch {
		case err == nil:
			test(t, start(t, newBIND(t, program)))
		case os.Getenv("TWINLOOP_REQUIRE_BIND") == "1":
			t.Fatal("named is not on the PATH, and TWINLOOP_REQUIRE_BIND=1: install bind9")
		default:
			t.Skip("named is not on the PATH: install bind9 to run this half")
		}
	})
}

func embedded(t *testing.T) authority {
	s, err := server.New(server.Config{Zones: []string{zoneName}, Keys: []*tsig.Key{key}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func start(t *testing.T, a authority) authority {
	t.Helper()
	if err := a.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Stop)
	return a
}

// client returns a publisher that has the right key.
func client(a authority) *rfc2136.Client { return &rfc2136.Client{Server: a.Addr(), Key: key} }

// exchange sends a message as it is, signed with the key unless that is nil.
func exchange(t *testing.T, a authority, with *tsig.Key, m *dns.Msg) *dns.Msg {
	t.Helper()
	return exchangeAt(t, a, with, m, time.Now())
}

// exchangeAt is exchange by a client whose clock shows the given time.
func exchangeAt(t *testing.T, a authority, with *tsig.Key, m *dns.Msg, now time.Time) *dns.Msg {
	t.Helper()
	c := dns.Client{Net: "tcp", Timeout: 10 * time.Second}
	if with != nil {
		c.TsigProvider = tsig.Keyring{with}
		m.SetTsig(with.Name, with.Algorithm, 300, now.Unix())
	}
	reply, _, err := c.ExchangeContext(context.Background(), m, a.Addr())
	if err != nil && err != dns.ErrAuth {
		t.Fatalf("exchange: %v", err)
	}
	return reply
}
