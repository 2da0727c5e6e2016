package minictl

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/labels"
)

const podList = `{"apiVersion": "v1", "kind": "List", "items": [
	{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"app": "web", "env": "prod"}}},
	{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "b", "labels": {"app": "web"}}},
	{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "c", "labels": {"app": "db", "canary": "yes"}}},
	{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"}}]}`

func TestSelect(t *testing.T) {
	for selector, want := range map[string][]string{
		"app=web":                 {"pod/a", "pod/b"},
		"app=web,env!=prod":       {"pod/b"},
		"env!=prod":               {"pod/b", "pod/c", "deployment.apps/d"}, // one without the label is not prod either
		"app in (web,db),!canary": {"pod/a", "pod/b"},
		"app notin (web)":         {"pod/c", "deployment.apps/d"},
		"canary":                  {"pod/c"},
		"":                        {"pod/a", "pod/b", "pod/c", "deployment.apps/d"},
	} {
		got, err := Select([]byte(podList), must[labels.Selector](t)(ParseSelector(selector)))
		if err != nil {
			t.Errorf("%q: %v", selector, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", selector, diff)
		}
	}
}

func TestSelectReadsAllThatKubectlWrites(t *testing.T) {
	for name, content := range map[string]string{
		"a single object":     `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}`,
		"a list from the API": `{"apiVersion": "v1", "kind": "PodList", "items": [{"metadata": {"name": "a"}}]}`,
		"a list that kubectl makes": `{"apiVersion": "v1", "kind": "List", "items": [
			{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}}]}`,
	} {
		got, err := Select([]byte(content), labels.Everything())
		if diff := cmp.Diff([]string{"pod/a"}, got); err != nil || diff != "" {
			t.Errorf("%s: error %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestSelectRefusesWhatIsNoObject(t *testing.T) {
	for content, want := range map[string]string{
		"":                             "found nothing",
		"[]":                           "must be one object, such as a Pod or a List, as of kubectl get -o json: found a JSON array",
		"7":                            `found "7"`,
		"{":                            "unexpected end",
		"{}":                           "kind and metadata.name must be set",
		`{"kind": "Pod"}`:              "kind and metadata.name must be set",
		`{"kind": "List", "items": 7}`: "items: found a JSON number",
		`{"kind": "List", "items": [{"kind": "Pod", "metadata": {"name": "a"}}, "b"]}`: `items[1]: must be an object: found "\"b\""`,
		`{"items": [{"metadata": {"name": "a"}}], "kind": "List"}`:                     "items[0]: kind and metadata.name",
		`{"kind": "Pod", "metadata": {"labels": {"a": 1}}}`:                            "metadata.labels: found a JSON number",
	} {
		_, err := Select([]byte(content), labels.Everything())
		mustFail(t, err, want)
		if err != nil && (strings.HasPrefix(err.Error(), "items[") != strings.HasPrefix(want, "items[") ||
			strings.Contains(err.Error(), "Go ")) {
			t.Errorf("%s: got %v", content, err)
		}
	}
}

func TestAMalformedSelectorIsRefusedAtAPosition(t *testing.T) {
	for selector, want := range map[string]string{
		"a in (b":                      `selector "a in (b": position 8: `,
		"a=b,,c":                       `selector "a=b,,c": position 5: `,
		"a in b":                       `selector "a in b": position 6: `,
		"a=-b":                         `selector "a=-b": position 3: `,
		"app=web)":                     `selector "app=web)": position 8: `,
		"a b":                          `selector "a b": position 3: `,
		"&":                            `selector "&": position 1: Invalid value: `,
		"a=" + strings.Repeat("x", 64): "position 66: ",
	} {
		_, err := ParseSelector(selector)
		mustFail(t, err, want)
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error has more than one line: %q", selector, err)
		}
	}
}

func FuzzSelect(f *testing.F) {
	for _, seed := range []string{
		podList, "", "[]", "{}", `{"kind": "List", "items": [{}, null, 1]}`,
		`{"kind": "PodList", "items": [{"metadata": {"name": "a"}}]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, content []byte) {
		all, err := Select(content, labels.Everything())
		if err != nil {
			return
		}
		for _, name := range all {
			if kind, rest, _ := strings.Cut(name, "/"); kind == "" || rest == "" {
				t.Errorf("%q is no kind/name", name)
			}
		}
		if none, err := Select(content, labels.Nothing()); err != nil || len(none) > 0 {
			t.Errorf("nothing matches, but got %v and %v", none, err)
		}
	})
}

func FuzzParseSelector(f *testing.F) {
	for _, seed := range []string{"a in (b", "a=b", "!", "a,,b", "é", "a in (é"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		_, ours := ParseSelector(text)
		if _, theirs := labels.Parse(text); (ours == nil) != (theirs == nil) {
			t.Errorf("%q: got %v, and kubectl %v", text, ours, theirs)
		}
	})
}
