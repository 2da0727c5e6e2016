package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"example.com/twinloop/shared/zone/server"
	"example.com/twinloop/shared/zone/tsig"
)

// newZoneCommand runs the embedded DNS server in the foreground, for a person to publish to and look into.
func newZoneCommand() *cobra.Command {
	config := server.Config{}
	keyFile := ""
	cmd := &cobra.Command{
		Use:   "zone",
		Short: "Serve a DNS zone that Fleets can publish to",
		Long: `Serve one or more DNS zones from memory, over UDP and TCP, until interrupted.

The server takes dynamic updates (RFC 2136) and shows each one on a line of its own. Anyone may query
and transfer the zones; updates need the key, if one is given.`,
		Example: `  # Serve a zone, and look at all of it from another terminal
  twinloop zone --zone fleet.test.
  dig @127.0.0.1 -p 5353 fleet.test. AXFR

  # Take only updates that are signed
  tsig-keygen fleet-key > fleet.key
  twinloop zone --zone fleet.test. --tsig-file fleet.key`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if keyFile != "" {
				key, err := tsig.ReadFile(keyFile)
				if err != nil {
					return fmt.Errorf("--tsig-file: %w", err)
				}
				config.Keys = []*tsig.Key{key}
			}
			ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			return serveZone(ctx, cmd.OutOrStdout(), config)
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&config.Zones, "zone", []string{"fleet.test."}, "zone to serve; may be repeated")
	flags.StringVar(&config.Listen, "listen", "127.0.0.1:5353", "host:port to listen on, UDP and TCP")
	flags.StringVar(&keyFile, "tsig-file", "", "key file, as tsig-keygen writes it, that updates must be signed with")
	return cmd
}

// serveZone serves until the context is done.
func serveZone(ctx context.Context, out io.Writer, config server.Config) error {
	config.Intercept = func(_ context.Context, u server.Update, apply func() server.Rcode) server.Rcode {
		rcode := apply()
		fmt.Fprintf(out, "%s %s: %s → %s\n", time.Now().Format(time.TimeOnly), u.Zone, u, rcode)
		return rcode
	}
	s, err := server.New(config)
	if err != nil {
		return fmt.Errorf("--zone: %w", err)
	}
	if err := s.Start(); err != nil {
		return listenError(config.Listen, err)
	}
	defer s.Stop()
	fmt.Fprintf(out, "Serving %s on %s (UDP and TCP), updates %s. Press Ctrl-C to stop.\n",
		strings.Join(config.Zones, ", "), s.Addr(), admission(config.Keys))
	<-ctx.Done()
	return nil
}

func admission(keys []*tsig.Key) string {
	if len(keys) == 0 {
		return "from anyone"
	}
	return "signed with " + keys[0].String()
}

func listenError(address string, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return fmt.Errorf("--listen: %s is in use: stop what listens there, or choose another port (0: any)", address)
	case errors.Is(err, syscall.EACCES):
		return fmt.Errorf("--listen: %s needs privileges: choose a port from 1024 up", address)
	default:
		return fmt.Errorf("--listen: %w: give a host:port of this machine, such as 127.0.0.1:5353", err)
	}
}
