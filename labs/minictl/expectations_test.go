package minictl

import (
	"testing"

	"k8s.io/apimachinery/pkg/types"
)

func TestExpectations(t *testing.T) {
	web := key("web")
	for name, test := range map[string]struct {
		do   func(*Expectations)
		now  int
		wait int
	}{
		"nothing expected": {func(e *Expectations) {
		}, 0, 0},
		"creations to come": {func(e *Expectations) {
			e.Expect(web, 2, nil, 0)
			e.CreationObserved(web)
		}, 3, 7},
		"all creations came": {func(e *Expectations) {
			e.Expect(web, 1, nil, 0)
			e.CreationObserved(web)
		}, 3, 0},
		"more came than expected": {func(e *Expectations) {
			e.Expect(web, 1, nil, 0)
			e.CreationObserved(web)
			e.CreationObserved(web)
		}, 3, 0},
		"a deletion to come": {func(e *Expectations) {
			e.Expect(web, 0, []types.UID{"a", "b"}, 0)
			e.DeletionObserved(web, "a")
		}, 3, 7},
		"the same deletion heard of twice": {func(e *Expectations) {
			e.Expect(web, 0, []types.UID{"a", "b"}, 0)
			e.DeletionObserved(web, "a")
			e.DeletionObserved(web, "a")
		}, 3, 7},
		"somebody else's deletion": {func(e *Expectations) {
			e.Expect(web, 0, []types.UID{"a"}, 0)
			e.DeletionObserved(web, "z")
		}, 3, 7},
		"all deletions came": {func(e *Expectations) {
			e.Expect(web, 0, []types.UID{"a"}, 0)
			e.DeletionObserved(web, "a")
		}, 3, 0},
		"the last tick of the wait": {func(e *Expectations) {
			e.Expect(web, 1, nil, 0)
		}, 9, 1},
		"waited long enough": {func(e *Expectations) {
			e.Expect(web, 1, nil, 0)
		}, 10, 0},
		"the object is gone": {func(e *Expectations) {
			e.Expect(web, 1, nil, 0)
			e.Forget(web)
		}, 3, 0},
		"another key's": {func(e *Expectations) {
			e.Expect(key("db"), 1, nil, 0)
		}, 3, 0},
	} {
		e := NewExpectations(10)
		test.do(e)
		if _, _, wait := e.Outstanding(web, test.now); wait != test.wait {
			t.Errorf("%s: waits %d more ticks, want %d", name, wait, test.wait)
		}
	}
}
