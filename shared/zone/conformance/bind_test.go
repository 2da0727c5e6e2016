package conformance

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"example.com/twinloop/shared/process"
)

// bind is a BIND 9 of its own: everything it reads and writes is in one temporary folder.
type bind struct {
	program, folder, address string

	process *process.Process
	log     *bytes.Buffer
}

func newBIND(t *testing.T, program string) *bind {
	b := &bind{program: program, folder: t.TempDir(), address: freeAddress(t)}
	b.write(t, "named.conf", b.configuration())
	b.write(t, "fleet.test.zone", `$TTL 300
@ IN SOA localhost. hostmaster 1 3600 600 86400 5
@ IN NS  localhost.
`)
	return b
}

func (b *bind) write(t *testing.T, name, text string) {
	if err := os.WriteFile(filepath.Join(b.folder, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (b *bind) configuration() string {
	host, port, _ := net.SplitHostPort(b.address)
	return fmt.Sprintf(`key %q { algorithm %s; secret %q; };
options {
	directory %q;
	pid-file "named.pid";
	session-keyfile "session.key";
	lock-file none;
	listen-on port %s { %s; };
	listen-on-v6 { none; };
	recursion no;
	dnssec-validation no;
	notify no;
	allow-transfer { any; };
};
controls { };
zone "fleet.test" {
	type primary;
	file "fleet.test.zone";
	update-policy { grant %s zonesub ANY; };
};
`, key.Name, strings.TrimSuffix(key.Algorithm, "."), base64.StdEncoding.EncodeToString(key.Secret),
		b.folder, port, host, key.Name)
}

func (b *bind) Addr() string { return b.address }

// Start returns when the zone is answered for.
func (b *bind) Start() error {
	b.log = &bytes.Buffer{}
	cmd := exec.Command(b.program, "-g", "-n", "1", "-c", filepath.Join(b.folder, "named.conf"))
	cmd.Stderr = b.log
	var err error
	if b.process, err = process.Start(cmd); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for !b.answers() {
		select {
		case <-b.process.Exited():
			return fmt.Errorf("named ended:\n%s", b.log)
		case <-ctx.Done():
			b.Stop()
			return fmt.Errorf("named does not answer:\n%s", b.log)
		case <-time.After(20 * time.Millisecond):
		}
	}
	return nil
}

func (b *bind) answers() bool {
	reply, err := dns.Exchange(new(dns.Msg).SetQuestion(zoneName, dns.TypeSOA), b.address)
	return err == nil && reply.Authoritative && len(reply.Answer) == 1
}

func (b *bind) Stop() {
	b.process.Stop(10 * time.Second)
}

// freeAddress returns a loopback address whose port nobody has, for TCP or UDP, at this moment.
func freeAddress(t *testing.T) string {
	for {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address := listener.Addr().String()
		packets, err := net.ListenPacket("udp", address)
		listener.Close()
		if err == nil {
			packets.Close()
			return address
		}
	}
}
