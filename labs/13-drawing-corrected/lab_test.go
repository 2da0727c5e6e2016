package drawingcorrected

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"example.com/twinloop/labs/drawing"
	"example.com/twinloop/labs/drawing/witness"
	"example.com/twinloop/labs/lab"
	"example.com/twinloop/labs/lab/labtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Time is the test's, so that nothing waits.
func TestLab(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { labtest.Verify(t, Lab) })
}

const right = `
API server -> reflector -> FIFO -> informer -> indexer -> lister -> reconcile
informer -> listeners -> handlers -> workqueue -> worker -> reconcile -> API server
reflector: tools/cache/reflector.go
FIFO: tools/cache/the_real_fifo.go
informer: tools/cache/controller.go
indexer: tools/cache/thread_safe_store.go
listeners: tools/cache/shared_informer.go
handlers: yours
workqueue: util/workqueue/queue.go
worker: yours
lister: listers/generic_helpers.go
reconcile: yours
`

func TestCheck(t *testing.T) {
	for _, test := range []struct{ before, after, want string }{
		{"", "", ""},
		{"indexer: tools/cache/thread_safe_store.go", "Store: k8s.io/client-go@v0.37.2/tools/cache/store.go", ""},
		{"informer: tools/cache/controller.go", "informer: shared_informer.go", ""},
		{"-> listeners ->", "->", "missing: a stage, the listeners"},
		{"the_real_fifo.go", "delta_fifo.go", "line 5, column 7: the FIFO is not in tools/cache/delta_fifo.go"},
		{"tools/cache/reflector.go", "yours", "line 4, column 12: the reflector is not in yours"},
		{"worker: yours", "", "missing: the file of the worker"},
		{"reconcile: yours", "API server: yours", "line 13, column 13: the API server is another program"},
	} {
		text := strings.Replace(right, test.before, test.after, 1)
		synctest.Test(t, func(t *testing.T) {
			folder := t.TempDir()
			if err := os.WriteFile(filepath.Join(folder, drawing.FileName), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			err := Lab.Check(t.Context(), folder, lab.NewBench(Lab, io.Discard))
			_, missing := os.Stat(filepath.Join(folder, "pipeline.svg"))
			switch {
			case test.want == "" && (err != nil || missing != nil):
				t.Errorf("%s is refused: %v, %v", test.after, err, missing)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) || missing == nil):
				t.Errorf("%s instead of %s: %v, want %q and no picture", test.after, test.before, err, test.want)
			}
		})
	}
}

// What a learner begins with has no answers.
func TestStart(t *testing.T) {
	if len(drawing.Whole.Stages()) != 11 || len(drawing.Whole.Required()) != 12 {
		t.Error("there are not eleven stages and twelve arrows, as is said to learners")
	}
	folder := t.TempDir()
	if err := os.CopyFS(folder, Lab.Start); err != nil {
		t.Fatal(err)
	}
	if err := Lab.Check(t.Context(), folder, nil); err == nil || !strings.Contains(err.Error(), "does not have an arrow yet") {
		t.Error(err)
	}
}

// The page's picture is what is seen today.
func TestPicture(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		seen, err := witness.Watch(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var picture bytes.Buffer
		if err := drawing.Draw(&picture, seen.Files()); err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile("pipeline.svg")
		if difference := cmp.Diff(string(committed), picture.String()); difference != "" || err != nil {
			t.Errorf("pipeline.svg is out of date (%v): put there what 'twinloop lab check 13' draws\n%s", err, difference)
		}
	})
}
