package drill

import (
	"fmt"
	"strings"
	"testing"
)

func TestOutputKeepsTheEndOfAFlood(t *testing.T) {
	var o output
	const lines = 400_000
	for i := range lines {
		fmt.Fprintf(&o, "line %09d of very many that say nothing new at all\n", i)
	}
	text := o.String()
	if len(text) < kept || len(text) > 2*kept {
		t.Errorf("kept %d bytes", len(text))
	}
	if last := fmt.Sprintf("line %09d of very many that say nothing new at all\n", lines-1); !strings.HasSuffix(text, last) {
		t.Errorf("the end is %q", text[len(text)-80:])
	}
}
