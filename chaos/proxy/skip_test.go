package proxy

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestSkip(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		s := newStage(t)
		for _, name := range []string{"a", "b", "c"} {
			s.create(name, "1")
		}
		i := s.inform()
		i.expectState("add a=1", "add b=1", "add c=1")
		s.proxy.Skip(Watched{Resource: "secrets"})
		s.update("a", "2")
		s.update("a", "3")
		s.delete("b")
		s.delete("c")
		s.create("c", "2")
		s.create("d", "1")
		s.create("e", "1")
		s.update("e", "2")
		s.delete("d")
		s.awaitWithheld(9)
		i.expectNothing()
		s.proxy.Resume(Watched{Resource: "secrets"})
		i.expect("update a=3", "delete b=1", "replace c=2", "add e=2")
		s.update("a", "4")
		i.expect("update a=4")
	})
}

// Who lists while a Skip is on sees the state as it is.
func TestSkipLeavesTheState(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		s := newStage(t)
		s.create("a", "1")
		s.proxy.Skip(Watched{Resource: "secrets"})
		i := s.inform()
		i.expect("add a=1")
	})
}

// What is left of the events of objects, written as TYPE name/uid.
func TestMerge(t *testing.T) {
	tests := []struct {
		name         string
		events, want []string
	}{
		{"nothing", nil, nil},
		{"not skipped", []string{"MODIFIED x/1", "DELETED x/1"}, []string{"MODIFIED x/1", "DELETED x/1"}},
		{"updated", []string{"MODIFIED a/1", "MODIFIED a/1"}, []string{"MODIFIED a/1"}},
		{"created", []string{"ADDED a/1"}, []string{"ADDED a/1"}},
		{"created and updated", []string{"ADDED a/1", "MODIFIED a/1"}, []string{"ADDED a/1"}},
		{"created and deleted", []string{"ADDED a/1", "MODIFIED a/1", "DELETED a/1"}, nil},
		{"deleted", []string{"MODIFIED a/1", "DELETED a/1"}, []string{"DELETED a/1"}},
		{"replaced", []string{"DELETED a/1", "ADDED a/2", "MODIFIED a/2"}, []string{"ADDED a/2"}},
		{"replaced and deleted", []string{"DELETED a/1", "ADDED a/2", "DELETED a/2"}, []string{"DELETED a/1"}},
		{"out of a selector's sight and back", []string{"DELETED a/1", "ADDED a/1"}, []string{"MODIFIED a/1"}},
		{"in the last one's place",
			[]string{"MODIFIED a/1", "MODIFIED x/9", "ADDED b/1", "BOOKMARK /", "MODIFIED a/1", "MODIFIED x/9"},
			[]string{"MODIFIED x/9", "ADDED b/1", "BOOKMARK /", "MODIFIED a/1", "MODIFIED x/9"}},
	}
	for _, test := range tests {
		var queue []*event
		for _, text := range test.events {
			kind, object, _ := strings.Cut(text, " ")
			name, uid, _ := strings.Cut(object, "/")
			frame := fmt.Appendf(nil, `{"type":%q,"object":{"metadata":{"name":%q,"uid":%q}}}`, kind, name, uid)
			queue = append(queue, parseEvent(frame))
		}
		var got []string
		for _, e := range merge(queue, func(e *event) bool { return e.isChange() && e.Name != "x" }) {
			if parsed := parseEvent(e.frame); parsed.WatchEvent != e.WatchEvent {
				t.Errorf("%s: %+v is %s on the wire", test.name, e.WatchEvent, e.frame)
			}
			got = append(got, fmt.Sprintf("%s %s/%s", e.Type, e.Name, e.UID))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("%s: left %q, want %q", test.name, got, test.want)
		}
	}
}
