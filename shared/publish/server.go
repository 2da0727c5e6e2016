package publish

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/rfc2136"
	"example.com/twinloop/shared/zone/tsig"
)

// serverTimeout bounds one exchange with the DNS server; a worker waits for it.
const serverTimeout = 2 * time.Second

// FromFlags returns a publisher for the values of an operator's flags --dns-server and --dns-tsig-file, which may both be
// empty. It writes only while leading is nil. The error names the flag and what to mend.
func FromFlags(server, tsigFile string, leading func() error) (*Publisher, error) {
	if server == "" {
		if tsigFile != "" {
			return nil, errors.New("--dns-tsig-file is of no use without --dns-server")
		}
		return New(nil), nil
	}
	if err := validateAddress(server); err != nil {
		return nil, fmt.Errorf("--dns-server must be host:port, such as 127.0.0.1:53: %w", err)
	}
	client := &rfc2136.Client{Server: server, Timeout: serverTimeout}
	if tsigFile != "" {
		key, err := tsig.ReadFile(tsigFile)
		if err != nil {
			return nil, fmt.Errorf("--dns-tsig-file: %w", err)
		}
		client.Key = key
	}
	return New(fenced{client, leading}), nil
}

// fenced takes no update from a leader that may be none any more.
type fenced struct {
	Server
	leading func() error
}

func (f fenced) Publish(ctx context.Context, zoneName string, held, want zone.Entry) error {
	if err := f.leading(); err != nil {
		return err
	}
	return f.Server.Publish(ctx, zoneName, held, want)
}

func (f fenced) Withdraw(ctx context.Context, zoneName, name, owner string) error {
	if err := f.leading(); err != nil {
		return err
	}
	return f.Server.Withdraw(ctx, zoneName, name, owner)
}

func validateAddress(address string) error {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return err
	}
	if host == "" {
		return errors.New("the host is missing")
	}
	if n, err := strconv.ParseUint(port, 10, 16); err != nil || n == 0 {
		return fmt.Errorf("%q is no port", port)
	}
	return nil
}
