package drill

import (
	"strings"
	"testing"
)

func TestLastWords(t *testing.T) {
	noise := `I1130 envvar.go:172] "Feature gate default state" feature="WatchListClient" enabled=true` + "\n"
	conflict := func(time, id string) string {
		return "E1130 18:11:" + time + ` 4711 web.go:7] "Cannot create a drawer" err="conflict" reconcileID="` + id + `"` + "\n"
	}
	const stack = "main.(*web).reconcile(0x1)\n\t/src/web.go:7 +0x1d\nmain.main()\n\t/src/main.go:9 +0x12\n"
	last := conflict("39.999999", "7c9e6679-7425-40de-944b-e07fc1f90ae7")
	for _, test := range []struct{ name, log, want string }{
		{"nothing but noise", noise + noise, "The operator printed nothing."},
		{"between noise", noise + "no configuration\n" + noise, "The operator's last words:\n  no configuration"},
		{"the end", "a\nb\nc\nd\ne\nf\ng\n", "The operator's last words:\n  c\n  d\n  e\n  f\n  g"},
		{"what is said again", "a\n" + conflict("00.1", "0f8fad5b-d9cb-469f-a165-70867728950e") + "b\n" + last,
			"The operator's last words:\n  a\n  b\n  " + strings.TrimSuffix(last, "\n")},
		{"a stack", "panic: nil\n" + stack + "exit\n", "The operator's last words:\n  panic: nil\n  exit"},
		{"a long line", strings.Repeat("ä", longLine+1), "The operator's last words:\n  " + strings.Repeat("ä", longLine) + "…"},
	} {
		if got := lastWords(test.log); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
	}
}

// TestFindingInALine has room for the first difference.
func TestFindingInALine(t *testing.T) {
	for _, test := range []struct {
		finding Finding
		want    string
	}{
		{Finding{Oracle: FinalState, Text: "after step create (- expected, + found):\nwebs:\n  map[string]any{\n-\u00a0\t\"a\": 1,\n+\u00a0\t\"a\": 2,"},
			`after step create (- expected, + found): - "a": 1,`},
		{Finding{Oracle: Safe, Text: "one: violated by ADDED pods a at version 7; there were:\npods a"}, "one: violated by ADDED pods a at version 7"},
		{Finding{Oracle: Converges, Text: "roll: not settled\nthere are:"}, "roll: not settled"},
	} {
		if got := test.finding.Brief(); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

// TestTableTellsTheLastWords of an operator that did not come to rest, and of no other.
func TestTableTellsTheLastWords(t *testing.T) {
	run := &Recording{Log: "conflict\n"}
	result := newPointResult(parsePoints(t, "roll: POST pods #1, after")[0], 1, true, run, []Finding{
		{Oracle: Converges, Text: "roll: not settled\nthere are:\npods a"}, {Oracle: Leaks, Text: "a pod"},
	})
	var text strings.Builder
	if err := (Reports{{Summary: Summary{Seconds: 1}, Points: []PointResult{result}}}).WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"converges: roll: not settled\n    The operator's last words:\n      conflict\n    there are:\n    pods a\n  reproduce",
		"leaks: a pod\n  reproduce",
		" 0       -              1\n",
	} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the table has no %q:\n%s", want, text.String())
		}
	}
}
