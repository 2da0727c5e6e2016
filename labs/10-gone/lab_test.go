package gone

import (
	"testing"

	"go.uber.org/goleak"

	"example.com/twinloop/labs/lab/labtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLab(t *testing.T) { labtest.Verify(t, Lab) }
