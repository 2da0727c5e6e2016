package publish

import (
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"example.com/twinloop/shared/zone/rfc2136"
	"example.com/twinloop/shared/zone/tsig"
)

// serverTimeout bounds one exchange with the DNS server; a worker waits for it.
const serverTimeout = 2 * time.Second

// FromFlags returns a publisher for the values of an operator's flags --dns-server and --dns-tsig-file, which may both be
// empty. The error names the flag and what to mend.
func FromFlags(server, tsigFile string) (*Publisher, error) {
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
	if tsigFile == "" {
		return New(client), nil
	}
	key, err := tsig.ReadFile(tsigFile)
	if err != nil {
		return nil, fmt.Errorf("--dns-tsig-file: %w", err)
	}
	client.Key = key
	return New(client), nil
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
