package drill

import (
	"testing"

	"example.com/twinloop/shared/operator"
)

// TestDrillsOfTheProject holds the drills that are about time and about caches with both operators: all of them, but of the
// hand-overs one of a sort. `twinloop drill all` holds everything.
func TestDrillsOfTheProject(t *testing.T) {
	if testing.Short() {
		t.Skip("takes minutes")
	}
	some := map[string][]string{
		"stale": nil, "fight": nil, "finalizer": nil, "quiet": nil,
		"errors": {"refused-pods", "refused-twice"},
		"failover": {
			"sigterm #1", "sigterm-busy #1", "standby", "sigkill #1", "sigstop #1", "sigstop-busy #1", "holder-edited #1",
			"lease-partition-4s #1", "lease-partition-30s #1",
		},
	}
	for _, o := range operator.Known {
		s := subject(t, o.Name)
		for name, points := range some {
			t.Run(o.Name+"/"+name, func(t *testing.T) {
				t.Parallel()
				definition, err := Load(name)
				if err != nil {
					t.Fatal(err)
				}
				report, err := Run(t.Context(), Options{
					Definition: definition, Subject: s, ControlPlane: cp, Lanes: 10, Points: parsePoints(t, points...),
				})
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range report.Points {
					switch {
					case p.Verdict.fails():
						t.Errorf("%s: %s: %v\n%s", p.Point, p.Verdict, p.Findings, p.Log)
					case p.Verdict != Passed:
						t.Logf("%s: %s: %v %s", p.Point, p.Verdict, p.Findings, p.NotJudged)
					}
				}
			})
		}
	}
}
