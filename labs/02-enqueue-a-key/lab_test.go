package enqueueakey

import (
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"example.com/twinloop/labs/lab/labtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Time is the test's, so that nothing waits.
func TestLab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { labtest.Verify(t, Lab) })
}
