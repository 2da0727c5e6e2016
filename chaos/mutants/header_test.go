package mutants

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const goodHeader = `# Forget the error:
# it will not happen again.
#
# drill: crash
# oracle: converges
# oracle: final state
# point: roll: POST pods #3, after
# point: delete: UPDATE fleet.test. #1, before

diff --git a/x.go b/x.go
`

func TestReadHeader(t *testing.T) {
	var m Mutant
	if err := m.readHeader("30-x.patch", goodHeader); err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s|%s|%q|%s", m.Says, m.Drill, m.Oracles, m.Points)
	want := `Forget the error: it will not happen again.|crash|["converges" "final state"]|` +
		`[roll: POST pods #3, after delete: UPDATE fleet.test. #1, before]`
	if got != want {
		t.Errorf("read %s\nwant %s", got, want)
	}
}

func TestBadHeaders(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no header":         {goodHeader, "diff --git a/x.go b/x.go\n", "30-x.patch:1: begin with what the mistake is"},
		"nothing said":      {"# Forget the error:\n# it will not happen again.\n", "", "30-x.patch:6: begin with what the mistake is"},
		"no drill":          {"# drill: crash\n", "", "30-x.patch:7: drill: missing"},
		"no oracle":         {"# oracle: converges\n# oracle: final state\n", "", "30-x.patch:6: oracle: missing"},
		"no point":          {"# point: roll: POST pods #3, after\n# point: delete: UPDATE fleet.test. #1, before\n", "", "30-x.patch:6: point: missing"},
		"unknown drill":     {"drill: crash", "drill: smash", `30-x.patch:4: drill: "smash" is none of crash`},
		"two drills":        {"# drill: crash\n", "# drill: crash\n# drill: crash\n", "30-x.patch:5: drill: given twice"},
		"unknown oracle":    {"oracle: converges", "oracle: convergence", `30-x.patch:5: oracle: "convergence" is none of converges, final state`},
		"bad point":         {"#3, after", "#3", "30-x.patch:7: point \"roll: POST pods #3\": must be a case"},
		"unknown field":     {"# point: roll", "# at: roll", "30-x.patch:7: unknown field \"at: roll: POST pods #3, after\""},
		"no space":          {"oracle: converges", "oracle:converges", "30-x.patch:5: unknown field"},
		"prose after it":    {"#\n# drill", "#\n# Really.\n# drill", "30-x.patch:4: unknown field \"Really.\""},
		"point, no ordinal": {"#3, after", "after", "30-x.patch:7: point"},
	} {
		t.Run(name, func(t *testing.T) {
			broken := strings.Replace(goodHeader, c.old, c.new, 1)
			if broken == goodHeader {
				t.Fatal("the case changes nothing")
			}
			err := new(Mutant).readHeader("30-x.patch", broken)
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want %s…", err, c.want)
			}
		})
	}
}

// FuzzReadHeader checks that what is read is complete, and reads the same when it is written out again.
func FuzzReadHeader(f *testing.F) {
	f.Add(goodHeader)
	f.Add("# x\n#\n# drill: crash\n# oracle: safe\n# point: a: POST b #1, before")
	f.Fuzz(func(t *testing.T, text string) {
		var m Mutant
		if err := m.readHeader("f.patch", text); err != nil {
			if !strings.HasPrefix(err.Error(), "f.patch:") {
				t.Errorf("%q names no line", err)
			}
			return
		}
		var again Mutant
		if err := again.readHeader("f.patch", write(m)); err != nil {
			t.Fatalf("%q was read and %q is not: %v", text, write(m), err)
		}
		if again.Says != m.Says || again.Drill != m.Drill ||
			!slices.Equal(again.Oracles, m.Oracles) || !slices.Equal(again.Points, m.Points) {
			t.Errorf("read %+v, then %+v", m, again)
		}
	})
}

func write(m Mutant) string {
	lines := []string{m.Says, "", "drill: " + m.Drill}
	for _, oracle := range m.Oracles {
		lines = append(lines, "oracle: "+oracle)
	}
	for _, point := range m.Points {
		lines = append(lines, "point: "+point.String())
	}
	return "# " + strings.Join(lines, "\n# ") + "\n"
}
