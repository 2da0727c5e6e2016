package fleet

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	// Rapid's hundred worlds are too few for the rarer orders of events; -rapid.checks on the command line wins.
	if err := flag.Set("rapid.checks", "200"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
