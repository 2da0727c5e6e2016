package cluster

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestLog(t *testing.T) {
	log := newLog()
	for _, piece := range []string{
		"I0203 17:10:04.123456    4321 controller.go:136] \"recon", "ciling\" fleet=\"lab/web\"\n",
		"I0203 17:10:04.123457    4321 controller.go:111] \"starting workers\" count=8\n",
		"E0203 17:10:04.123458    4321 controller.go:111] \"handled\" object=\"lab/web\"\nno line of klog\n",
		"I0203 17:10:04.123459    4321 reconcile.go:94] \"read from the cache\" fleet=\"lab/web\" resourceVersion=\"7\"\n",
	} {
		if _, err := log.Write([]byte(piece)); err != nil {
			t.Fatal(err)
		}
	}
	at := func(microsecond int) time.Time {
		return time.Date(time.Now().Year(), 2, 3, 17, 10, 4, microsecond*1000, time.Local)
	}
	want := []Line{
		{Stage: Reconciling, Time: at(123456), Fleet: "web", Text: `"reconciling" fleet="lab/web"`},
		{Stage: Read, Time: at(123459), Fleet: "web", ResourceVersion: "7",
			Text: `"read from the cache" fleet="lab/web" resourceVersion="7"`},
	}
	if difference := cmp.Diff(want, log.Lines()); difference != "" {
		t.Error(difference)
	}
}

func TestIdle(t *testing.T) {
	for _, test := range []struct {
		stages []Stage
		want   bool
	}{
		{nil, true},
		{[]Stage{Handled}, true},
		{[]Stage{Enqueued}, false},
		{[]Stage{Enqueued, Reconciling}, false},
		{[]Stage{Enqueued, Reconciling, Reconciled}, true},
		{[]Stage{Enqueued, Reconciling, Enqueued, Reconciled}, false},
		{[]Stage{Enqueued, Reconciling, Enqueued, Reconciled, Reconciling, Reconciled}, true},
	} {
		lines := []Line{{Stage: Enqueued, Fleet: "db"}, {Stage: Reconciling, Fleet: "db"}, {Stage: Reconciled, Fleet: "db"}}
		for _, stage := range test.stages {
			lines = append(lines, Line{Stage: stage, Fleet: "web"})
		}
		if got := idle(lines); got != test.want {
			t.Errorf("after %v: %v", test.stages, got)
		}
	}
}
