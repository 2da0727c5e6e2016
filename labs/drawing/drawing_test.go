package drawing

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const right = `
API server -> reflector -> FIFO -> informer
informer -> indexer -> lister -> reconcile
informer -> listeners -> handlers -> workqueue -> worker -> reconcile # all of it
reconcile -> API server
`

func TestParse(t *testing.T) {
	got, problems := Parse("\ufeff# mine\r\n\ta -> b-c --> d e  # and so on\r\n\r\nb-c: x/y@v1.2/z.go\r\nf→g")
	want := Drawing{
		Arrows: []Arrow{
			{Name{"a", Position{2, 2}}, Name{"b-c", Position{2, 7}}},
			{Name{"b-c", Position{2, 7}}, Name{"d e", Position{2, 15}}},
			{Name{"f", Position{5, 1}}, Name{"g", Position{5, 3}}},
		},
		Files: []File{{Name{"b-c", Position{4, 1}}, Name{"x/y@v1.2/z.go", Position{4, 6}}}},
	}
	if difference := cmp.Diff(want, got); difference != "" || problems != nil {
		t.Error(problems, difference)
	}
}

func TestWhatCannotBeRead(t *testing.T) {
	for text, want := range map[string]string{
		"reflector":                       `line 1, column 1: "reflector" stands alone`,
		"a -> ":                           `line 1, column 5: a stage is missing here`,
		"é -> -> b":                       `line 1, column 6: a stage is missing here`,
		"\n -> b":                         `line 2, column 2: a stage is missing here`,
		"a <- b":                          `line 1, column 1: an arrow points to the right: for a <- b, write b -> a`,
		"a => b":                          `an arrow is written ->`,
		"a -> b => c":                     `line 1, column 6: "b => c" is no name of a stage`,
		"a -> *Reflector":                 `line 1, column 6: "*Reflector" is no name of a stage`,
		"a -> b: c.go":                    `line 1, column 6: "b: c.go" is no name of a stage`,
		"a:":                              `line 1, column 3: there is no file after the colon`,
		"a: c.go:12":                      `line 1, column 4: "c.go:12" is no file`,
		": c.go":                          `line 1, column 1: a stage is missing here`,
		"a -> \xff":                       `column 6: "\xff" is no name`,
		strings.Repeat("a", 41) + " -> b": `line 1, column 1: the name is longer than 40 characters`,
	} {
		_, problems := Parse(text)
		if len(problems) != 1 || !strings.Contains(problems[0].String(), want) {
			t.Errorf("%q: %v, want %s", text, problems, want)
		}
	}
}

func TestRightDrawing(t *testing.T) {
	for name, text := range map[string]string{
		"as it is named here": right,
		"in client-go's terms": `
			kube-apiserver -> ListerWatcher -> RealFIFO -> sharedIndexInformer -> Store
			SharedInformer -> processorListener -> ResourceEventHandlers -> work queue -> processNextWorkItem -> syncHandler
			thread safe store -> Lister -> sync -> apiserver`,
		"with the retry": right + "worker -> workqueue\n",
	} {
		d, problems := Parse(text)
		if problems = append(problems, d.CompareArrows(Whole)...); len(problems) > 0 {
			t.Errorf("%s: %v", name, problems)
		}
	}
}

func TestWrongDrawing(t *testing.T) {
	for _, test := range []struct {
		before, after string
		want          []string
	}{
		{"reflector -> FIFO", "relfector -> FIFO", []string{`line 2, column 15: there is no stage "relfector": did you mean reflector?`}},
		{"reflector -> FIFO", "reflector -> queue", []string{
			`line 2, column 28: "queue" could be the FIFO or the workqueue: say which`, "missing: a stage, the FIFO",
		}},
		{"reflector -> FIFO", "reflector -> kubelet -> FIFO", []string{
			`line 2, column 28: there is no stage "kubelet"`, "missing: reflector -> FIFO",
		}},
		{"indexer -> lister -> reconcile", "indexer\nreconcile -> lister -> indexer", []string{
			"line 4, column 1: reconcile -> lister is the wrong way round", "line 4, column 14: lister -> indexer is the wrong way round",
		}},
		{"informer -> indexer", "FIFO -> indexer", []string{
			"line 3, column 1: nothing goes straight from the FIFO to the indexer", "missing: informer -> indexer",
		}},
		{"indexer -> lister", "indexer -> lister\nindexer -> lister", []string{
			"line 4, column 1: indexer -> lister was drawn already, in line 3",
		}},
		{"-> lister -> reconcile", "", []string{"missing: a stage, the lister"}},
		{"reconcile -> API server", "", []string{"missing: reconcile -> API server"}},
		{"listeners -> handlers", "handlers", []string{
			"line 4, column 1: nothing goes straight from the informer to the handlers", "missing: a stage, the listeners",
		}},
	} {
		text := strings.Replace(right, test.before, test.after, 1)
		d, problems := Parse(text)
		problems = append(problems, d.CompareArrows(Whole)...)
		Sort(problems)
		if difference := cmp.Diff(test.want, told(problems)); difference != "" {
			t.Errorf("%s instead of %s: %s", test.after, test.before, difference)
		}
	}
}

// A stage that is not told apart is not missed, and neither is any other arrow lost or won.
func TestWithout(t *testing.T) {
	short := Whole.Without(Listeners)
	if slices.Contains(short.Stages(), Listeners) || len(short) != len(Whole)-1 || !short.flow(Informer, Handlers) {
		t.Error(short)
	}
	d, _ := Parse(strings.Replace(right, "listeners -> ", "", 1))
	if problems := d.CompareArrows(short); len(problems) > 0 || d.Mentions(Listeners) {
		t.Error(problems)
	}
}

func TestFiles(t *testing.T) {
	truth := Files{
		Reflector: {"k8s.io/client-go/tools/cache/reflector.go"},
		Indexer:   {"k8s.io/client-go/tools/cache/thread_safe_store.go", "k8s.io/client-go/tools/cache/store.go"},
		Worker:    {Yours},
	}
	const right = "reflector: k8s.io/client-go@v0.37.2/tools/cache/reflector.go\nstore: store.go\nworker: yours\n"
	for _, test := range []struct {
		before, after string
		want          []string
	}{
		{"", "", nil},
		{"store.go", "cache/thread_safe_store.go", nil},
		{"store.go", "safe_store.go", []string{"line 2, column 8: the indexer is not in safe_store.go"}},
		{"store.go", "stroe.go", []string{"line 2, column 8: the indexer is not in stroe.go: did you mean store.go?"}},
		{"yours", "util/workqueue/queue.go", []string{"line 3, column 9: the worker is not in util/workqueue/queue.go"}},
		{"worker: yours", "API server: yours", []string{
			"line 3, column 13: the API server is another program, and has no file here", "missing: the file of the worker",
		}},
		{"worker: yours", "cache: store.go", []string{
			"line 3, column 8: the file of the indexer was given already, in line 2", "missing: the file of the worker",
		}},
		{"worker", "wroker", []string{`line 3, column 1: there is no stage "wroker": did you mean worker?`}},
	} {
		d, problems := Parse(strings.Replace(right, test.before, test.after, 1))
		problems = append(problems, d.CompareFiles(truth)...)
		if difference := cmp.Diff(test.want, told(problems)); difference != "" {
			t.Errorf("%s instead of %s: %s", test.after, test.before, difference)
		}
	}
}

// No name means two stages but queue, which is not enough to tell.
func TestNamesAreOfOneStage(t *testing.T) {
	for _, stage := range Whole.Stages() {
		for _, name := range namesOf(stage) {
			if stages := meant(name); len(stages) != 1 && name != "queue" {
				t.Errorf("%s is %v", name, stages)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(right)
	f.Add("a -> b\nc: d.go\n<- => -> \xff # x")
	f.Fuzz(func(t *testing.T, text string) {
		d, problems := Parse(text)
		problems = append(problems, d.CompareArrows(Whole)...)
		problems = append(problems, d.CompareFiles(Files{Reflector: {"reflector.go"}})...)
		Sort(problems)
		lines := strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n")
		for _, p := range problems {
			if p.Text == "" || (p.At != Position{}) && (p.At.Line > len(lines) || p.At.Column > len([]rune(lines[p.At.Line-1]))+1) {
				t.Errorf("%q: %v is not in the text", text, p)
			}
		}
		for _, a := range d.Arrows {
			for _, n := range []Name{a.From, a.To} {
				if !strings.HasPrefix(string([]rune(lines[n.At.Line-1])[n.At.Column-1:]), n.Text) {
					t.Errorf("%q: %q is not at %s", text, n.Text, n.At)
				}
			}
		}
	})
}

func told(problems []Problem) []string {
	var all []string
	for _, p := range problems {
		all = append(all, p.String())
	}
	return all
}
