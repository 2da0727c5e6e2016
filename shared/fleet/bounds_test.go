package fleet

import (
	"fmt"
	"testing"

	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"pgregory.net/rapid"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// The cases with two percentages are those of TestResolveFenceposts in k8s.io/kubernetes
// pkg/controller/deployment/util. A value that is left out is 25%, which the API server fills in for a Deployment.
func TestBounds(t *testing.T) {
	surge := func(value string) *v1alpha1.FleetRollingUpdate {
		return &v1alpha1.FleetRollingUpdate{MaxSurge: ptr.To(intstr.Parse(value))}
	}
	unavailable := func(value string) *v1alpha1.FleetRollingUpdate {
		return &v1alpha1.FleetRollingUpdate{MaxUnavailable: ptr.To(intstr.Parse(value))}
	}
	both := func(a, b string) *v1alpha1.FleetRollingUpdate {
		return &v1alpha1.FleetRollingUpdate{MaxSurge: surge(a).MaxSurge, MaxUnavailable: unavailable(b).MaxUnavailable}
	}
	for _, row := range []struct {
		name     string
		replicas int32
		rolling  *v1alpha1.FleetRollingUpdate
		want     Bounds
	}{
		{"a surge is rounded up, an unavailability down", 10, both("39%", "39%"), Bounds{14, 7}},
		{"both zero, of none", 0, both("0%", "0%"), Bounds{0, 0}},
		{"both zero", 10, both("0%", "0%"), Bounds{10, 9}},
		{"both zero, as numbers", 10, both("0", "0"), Bounds{10, 9}},
		{"zero by rounding", 3, both("0%", "33%"), Bounds{3, 2}},
		{"nothing said", 10, nil, Bounds{13, 8}},
		{"neither said", 10, both("25%", "25%"), Bounds{13, 8}},
		{"no surge said", 10, unavailable("39%"), Bounds{13, 7}},
		{"no unavailability said", 10, surge("39%"), Bounds{14, 8}},
		{"a quarter of one", 1, nil, Bounds{2, 1}},
		{"a quarter of three", 3, nil, Bounds{4, 3}},
		{"a quarter of four", 4, nil, Bounds{5, 3}},
		{"numbers", 5, both("2", "1"), Bounds{7, 4}},
		{"more unavailable than there are", 2, both("0", "5"), Bounds{2, 0}},
		{"all of them", 4, both("100%", "100%"), Bounds{8, 0}},
		{"more surge than there are", 4, both("250%", "0"), Bounds{14, 4}},
		{"no number: the roll does not use it", 10, both("oops", "39%"), Bounds{10, 7}},
		{"no number: nor here", 10, both("55%", "urg"), Bounds{16, 10}},
		{"a negative number", 10, both("-3", "2"), Bounds{10, 8}},
	} {
		t.Run(row.name, func(t *testing.T) {
			seen := given(replicas(row.replicas))
			seen.Fleet.Spec.Strategy.RollingUpdate = row.rolling
			if got := BoundsOf(seen.Fleet); got != row.want {
				t.Errorf("got %+v; want %+v", got, row.want)
			}
		})
	}
	t.Run("Recreate has no room", func(t *testing.T) {
		if got, want := BoundsOf(given(replicas(4), recreating).Fleet), (Bounds{4, 4}); got != want {
			t.Errorf("got %+v; want %+v", got, want)
		}
	})
	t.Run("replicas left out are one", func(t *testing.T) {
		seen := given()
		seen.Fleet.Spec.Replicas = nil
		if got, want := BoundsOf(seen.Fleet), (Bounds{2, 1}); got != want {
			t.Errorf("got %+v; want %+v", got, want)
		}
	})
}

// The bounds are compared with the arithmetic of ResolveFenceposts, once by the library that it uses, and once by
// hand in whole numbers.
func TestBoundsRoundAsKubernetesDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := given(replicas(rapid.Int32Range(0, 2000).Draw(t, "replicas")), anyBounds(t)).Fleet
		wanted, rolling := int(*f.Spec.Replicas), f.Spec.Strategy.RollingUpdate

		surge, _ := intstr.GetScaledValueFromIntOrPercent(rolling.MaxSurge, wanted, true)
		unavailable, _ := intstr.GetScaledValueFromIntOrPercent(rolling.MaxUnavailable, wanted, false)
		if surge == 0 && unavailable == 0 {
			unavailable = 1
		}
		want := Bounds{MaxLive: wanted + surge, MinAvailable: max(0, wanted-unavailable)}
		if got := BoundsOf(f); got != want {
			t.Errorf("got %+v; the library says %+v", got, want)
		}
		if byHand := boundsByHand(wanted, *rolling.MaxSurge, *rolling.MaxUnavailable); byHand != want {
			t.Errorf("by hand %+v; the library says %+v", byHand, want)
		}
	})
}

func boundsByHand(replicas int, maxSurge, maxUnavailable intstr.IntOrString) Bounds {
	surge, unavailable := maxSurge.IntValue(), maxUnavailable.IntValue()
	if maxSurge.Type == intstr.String {
		surge = (percent(maxSurge)*replicas + 99) / 100
	}
	if maxUnavailable.Type == intstr.String {
		unavailable = percent(maxUnavailable) * replicas / 100
	}
	if surge == 0 && unavailable == 0 {
		unavailable = 1
	}
	return Bounds{MaxLive: replicas + surge, MinAvailable: max(0, replicas-unavailable)}
}

func percent(value intstr.IntOrString) (n int) {
	_, _ = fmt.Sscanf(value.StrVal, "%d%%", &n)
	return n
}

// anyBounds are bounds that the schema admits.
func anyBounds(t *rapid.T) fact {
	number := rapid.Map(rapid.IntRange(0, 8), func(n int) string { return fmt.Sprint(n) })
	percentage := func(most int) *rapid.Generator[string] {
		return rapid.Map(rapid.IntRange(0, most), func(n int) string { return fmt.Sprintf("%d%%", n) })
	}
	return bounded(
		rapid.OneOf(number, percentage(999)).Draw(t, "maxSurge"),
		rapid.OneOf(number, percentage(100)).Draw(t, "maxUnavailable"))
}
