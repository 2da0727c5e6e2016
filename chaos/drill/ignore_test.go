package drill

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"pgregory.net/rapid"
)

// ignoring returns some paths, read.
func ignoring(t *testing.T, texts ...string) []Ignored {
	t.Helper()
	var all []Ignored
	for _, text := range texts {
		var ignored Ignored
		if err := ignored.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		all = append(all, ignored)
	}
	return all
}

func TestIgnoredIsRead(t *testing.T) {
	path := func(segments ...any) []Segment {
		var all []Segment
		for _, s := range segments {
			if name, ok := s.(string); ok {
				s = fieldNamed(name)
			}
			all = append(all, s.(Segment))
		}
		return all
	}
	for text, want := range map[string]Ignored{
		"status":                        {Path: path("status")},
		"status.attempts":               {Path: path("status", "attempts")},
		"spec.pot-size.cups_2":          {Path: path("spec", "pot-size", "cups_2")},
		"configmaps: data":              {Resource: "configmaps", Path: path("data")},
		"configmaps/settings: data":     {Resource: "configmaps", Name: "settings", Path: path("data")},
		"roles/system:x: rules":         {Resource: "roles", Name: "system:x", Path: path("rules")},
		"pods/web-*: status":            {Resource: "pods", Name: "web-*", Path: path("status")},
		"status.conditions[*].message":  {Path: path("status", "conditions", everyElement, "message")},
		"a[*][*].b[*]['x.y'].c":         {Path: path("a", everyElement, everyElement, "b", everyElement, "x.y", "c")},
		"data['a: b']":                  {Path: path("data", "a: b")},
		"fleets.example.com: status.at": {Resource: "fleets.example.com", Path: path("status", "at")},
		"metadata.annotations['web.example.com/attempts']": {Path: path("metadata", "annotations", "web.example.com/attempts")},
		`status.conditions[?(@.type=="Ready")].message`:    {Path: path("status", "conditions", elementsWith("type", "Ready"), "message")},
		`status.conditions[?(@.type=="Ready")]`:            {Path: path("status", "conditions", elementsWith("type", "Ready"))},
		`a[?(@.name=='an "x"')].b`:                         {Path: path("a", elementsWith("name", `an "x"`), "b")},
	} {
		got := ignoring(t, text)[0]
		if difference := cmp.Diff(want, got); difference != "" {
			t.Errorf("%s: - want, + got\n%s", text, difference)
		}
		if written, _ := got.MarshalText(); string(written) != text {
			t.Errorf("%s: written as %s", text, written)
		}
	}
}

func TestBadIgnored(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", `"" is no path from "" on: write one such as status.attempts, metadata.annotations['example.com/attempts'], status`},
		{".status", `from ".status" on`},
		{"status.", `"status." is no path from "." on`},
		{"status..x", `from "..x" on`},
		{"status['']", `from "['']" on`},
		{"status['x", `from "['x" on`},
		{`status["x"]`, `from "[\"x\"]" on`},
		{"status[]", `from "[]" on`},
		{"status.conditions[0].message", `from "[0].message" on`},
		{"status.conditions[*]message", `from "message" on`},
		{"status.conditions.*.message", `from ".*.message" on`},
		{"metadata.annotations.example.com/attempts", `from "/attempts" on`},
		{"$.status", `from "$.status" on`},
		{"[*].x", `from "[*].x" on`},
		{"configmaps:data", `from ":data" on`},
		{"configmaps: ", `"" is no path`},
		{"ConfigMaps: data", `from ": data" on`},
		{"status.conditions[?(@.type==Ready)].message", `[?(@.type=="Ready")].message`},
		{"status.conditions[?(@.type)].message", `from "[?(@.type)].message" on`},
		{"configmaps/[x: data", `"[x" is no name of an object: write one such as settings or, for any characters, *`},
		{"configmaps/: data", `from "/: data" on`},
		{"status.conditions[*]", "leave out the [*] at the end, to ignore the list as a whole"},
	} {
		var ignored Ignored
		err := ignored.UnmarshalText([]byte(test.text))
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: got %v, want one line with %q", test.text, err, test.want)
		}
	}
}

func FuzzIgnored(f *testing.F) {
	for _, text := range []string{"status.a", "configmaps: data['x/y'].z[*].w", "a['b'][*]['c: d']", "a[*]", "x: y: z", "..", "['",
		"x/y*: a", "x/y: z: a", `a[?(@.b=="c")].d`, `a[?(@.b=='c"')]`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var read, again Ignored
		if err := read.UnmarshalText([]byte(text)); err != nil {
			return
		}
		written, err := read.MarshalText()
		if err == nil {
			err = again.UnmarshalText(written)
		}
		if difference := cmp.Diff(read, again); err != nil || difference != "" {
			t.Errorf("%q is written %q and read again as %+v, %v", text, written, again, err)
		}
	})
}

// TestWithoutIgnored removes what a path leads to, of the resources that it is about, and goes on where it leads nowhere.
func TestWithoutIgnored(t *testing.T) {
	for _, test := range []struct {
		name, object string
		ignore       []string
		want         string
	}{
		{"a key with dots and slashes", `{m: {a.b/c: 1, a: {b: 2}}}`, []string{"m['a.b/c']"}, `{m: {a: {b: 2}}}`},
		{"a field of every element", `{l: [{a: 1, b: 2}, {b: 3}, 4, {a: 5}]}`, []string{"l[*].a"}, `{l: [{b: 2}, {b: 3}, 4, {}]}`},
		{"of lists in a list", `{l: [[{a: 1}], [{a: 2, b: 3}]]}`, []string{"l[*][*].a"}, `{l: [[{}], [{b: 3}]]}`},
		{"a list's field without [*]", `{l: [{a: 1}]}`, []string{"l.a"}, `{l: [{a: 1}]}`},
		{"a map with [*]", `{m: {a: {b: 1}}}`, []string{"m[*].b"}, `{m: {a: {b: 1}}}`},
		{"below a text", `{m: text}`, []string{"m.a.b"}, `{m: text}`},
		{"of this resource", `{a: 1, b: 2}`, []string{"pods: a"}, `{b: 2}`},
		{"of this resource, with its group", `{a: 1, b: 2}`, []string{"pods.metrics.k8s.io: a"}, `{b: 2}`},
		{"of this object", `{a: 1, b: 2}`, []string{"pods/web-x: a"}, `{b: 2}`},
		{"of one with a generated name", `{a: 1, b: 2}`, []string{"pods/web-*: a"}, `{b: 2}`},
		{"of another object", `{a: 1, b: 2}`, []string{"pods/web: a"}, `{a: 1, b: 2}`},
		{"of one element", `{l: [{type: A, b: 1}, {type: B, b: 2}, {b: 3}]}`, []string{`l[?(@.type=="A")].b`},
			`{l: [{type: A}, {type: B, b: 2}, {b: 3}]}`},
		{"one element", `{l: [{type: A, b: 1}, {type: B, b: 2}]}`, []string{`l[?(@.type=="A")]`}, `{l: [{type: B, b: 2}]}`},
		{"of another", `{a: 1, b: 2}`, []string{"configmaps: a", "b"}, `{a: 1}`},
	} {
		object := sampleObject(t, test.object)
		got, _ := withoutIgnored("pods", "web-x", object, ignoring(t, test.ignore...))
		if difference := cmp.Diff(any(sampleObject(t, test.want)), got); difference != "" {
			t.Errorf("%s: - want, + got\n%s", test.name, difference)
		}
		if difference := cmp.Diff(sampleObject(t, test.object), object); difference != "" {
			t.Errorf("%s: the object that others look at has changed:\n%s", test.name, difference)
		}
	}
}

// TestUnmatched are those that lead to no field in any run.
func TestUnmatched(t *testing.T) {
	event := func(resource, text string) Event {
		return Event{Resource: resource, Object: &unstructured.Unstructured{Object: sampleObject(t, text)}}
	}
	runs := []*Recording{
		{Events: []Event{event("webs", `{status: {names: [a]}}`)}},
		{Events: []Event{event("webs", `{l: [{a: 1}, {b: [{c: null}]}]}`), event("pods", `{data: {x.y: 1}}`)}},
	}
	ignore := ignoring(t, "status.names", "status.nams", "l[*].b[*].c", "l[*].c", "l.a", "status[*].names", "pods: data['x.y']", "webs.example.com: data",
		"status.names.a")
	want := []string{"status.nams", "l[*].c", "l.a", "status[*].names", "webs.example.com: data", "status.names.a"}
	if got := unmatched(ignore, runs); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	var text strings.Builder
	report := &Report{Summary: Summary{Operator: "o", Drill: "d", Seconds: 1}, Unmatched: want[:2]}
	if err := (Reports{report}).WriteTable(&text); err != nil {
		t.Fatal(err)
	}
	if want := "\no, d: ignore: no object in the fault-free runs had status.nams, l[*].c: misspelt?\n"; !strings.Contains(text.String(), want) {
		t.Errorf("the table has no %q:\n%s", want, text.String())
	}
}

// TestAnyIgnoredIsReadAsItIsWritten, whatever the fields are called.
func TestAnyIgnoredIsReadAsItIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := anyIgnored(rapid.StringMatching(`([a-z]+(\.[a-z0-9-]+)*)?`)).Draw(t, "ignored")
		written, err := want.MarshalText()
		var got Ignored
		if err == nil {
			err = got.UnmarshalText(written)
		}
		if difference := cmp.Diff(want, got); err != nil || difference != "" {
			t.Fatalf("%s: %v\n%s", written, err, difference)
		}
	})
}

// anyIgnored draws one of some resources, whatever the fields are called.
func anyIgnored(resource *rapid.Generator[string]) *rapid.Generator[Ignored] {
	text := rapid.OneOf(rapid.StringMatching(`[a-z0-9_-]{1,4}`), rapid.StringMatching(`[a-z./: *\[\]"ä]{1,6}`))
	first := rapid.Map(rapid.StringMatching(`[a-zA-Z0-9_-]+`), fieldNamed)
	element := rapid.Custom(func(t *rapid.T) Segment {
		return elementsWith(rapid.StringMatching(`[a-z]{1,4}`).Draw(t, "key"), text.Draw(t, "value"))
	})
	last := rapid.OneOf(rapid.Map(text, fieldNamed), element)
	return rapid.Custom(func(t *rapid.T) Ignored {
		i := Ignored{Resource: resource.Draw(t, "resource"), Path: []Segment{first.Draw(t, "first")}}
		if i.Resource != "" {
			i.Name = rapid.StringMatching(`([a-z:-]+\*?)?`).Draw(t, "name")
		}
		i.Path = append(i.Path, rapid.SliceOf(rapid.OneOf(last, rapid.Just(everyElement))).Draw(t, "between")...)
		i.Path = append(i.Path, last.Draw(t, "last"))
		return i
	})
}
