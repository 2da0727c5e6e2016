package drawthepipeline

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"example.com/twinloop/labs/drawing"
	"example.com/twinloop/labs/lab/labtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Time is the test's, so that nothing waits.
func TestLab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { labtest.Verify(t, Lab) })
}

const right = `
API server -> reflector -> FIFO -> informer -> indexer -> lister -> reconcile
informer -> handlers -> workqueue -> worker -> reconcile -> API server
`

func TestCheck(t *testing.T) {
	for _, test := range []struct{ before, after, want string }{
		{"", "", ""},
		{"informer -> handlers", "informer -> processorListener -> handlers", ""},
		{right, "# nothing yet", "does not have an arrow yet"},
		{"lister -> reconcile", "lister", "\n  missing: lister -> reconcile"},
		{"lister -> reconcile", "lister\nlister => reconcile",
			"\n  line 3, column 1: an arrow is written ->\n  missing: lister -> reconcile"},
	} {
		folder := t.TempDir()
		text := strings.Replace(right, test.before, test.after, 1)
		if err := os.WriteFile(filepath.Join(folder, "pipeline.txt"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		err := Lab.Check(t.Context(), folder, nil)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", text, err, test.want)
		}
	}
}

// What a learner begins with is not a solution, and is not refused for more than that.
func TestStart(t *testing.T) {
	folder := t.TempDir()
	if err := os.CopyFS(folder, Lab.Start); err != nil {
		t.Fatal(err)
	}
	if err := Lab.Check(t.Context(), folder, nil); err == nil || !strings.Contains(err.Error(), "does not have an arrow yet") {
		t.Error(err)
	}
	if truth := drawing.Whole.Without(drawing.Listeners); len(truth.Stages()) != 10 || len(truth.Required()) != 11 {
		t.Error("there are not ten stages and eleven arrows, as is said to learners")
	}
	if err := Lab.Check(t.Context(), t.TempDir(), nil); err == nil || !strings.Contains(err.Error(), "pipeline.txt") {
		t.Error(err)
	}
}
