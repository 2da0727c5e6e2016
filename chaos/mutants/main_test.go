package mutants

import (
	"flag"
	"testing"

	"go.uber.org/goleak"
)

// parallel is how many operators are drilled at once unless -parallel says otherwise: a drill mostly waits, so it is
// more than there are processors.
const parallel = "6"

func TestMain(m *testing.M) {
	if err := flag.Set("test.parallel", parallel); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
