package drill

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"example.com/twinloop/chaos/proxy"
)

// drawnResults are results of points, each with the writes that the restarted operator was seen to make.
var drawnResults = rapid.Custom(func(t *rapid.T) []PointResult {
	return rapid.SliceOf(rapid.Custom(func(t *rapid.T) PointResult {
		struck := proxy.Place{Step: "roll", Kind: "POST pods", Ordinal: rapid.IntRange(1, 5).Draw(t, "ordinal")}
		result := PointResult{Point: Point{Blow: Blow{struck, rapid.SampledFrom(faults()).Draw(t, "fault")}}}
		for i := range rapid.IntRange(0, 5).Draw(t, "writes") {
			result.recovery = append(result.recovery, proxy.Place{Step: "roll" + again, Kind: "DELETE pods", Ordinal: i + 1})
		}
		return result
	})).Draw(t, "results")
})

func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		results := drawnResults.Draw(t, "results")
		asked := rapid.IntRange(0, 30).Draw(t, "pairs")
		some := rapid.SampledFrom([][]Fault{{Before}, {After, Cut}, {Before, After, "409"}}).Draw(t, "faults")
		draw := func(seed uint64) []Point {
			f := &field{arena: &arena{definition: &Definition{Plan: Plan{Faults: some, Pairs: asked}}}, options: Options{Seed: seed}}
			return f.shufflePairs(results)
		}
		seed := rapid.Uint64().Draw(t, "seed")
		pairs := draw(seed)
		if !slices.Equal(pairs, draw(seed)) {
			t.Fatal("the same seed draws other pairs")
		}
		there := 0
		for _, result := range results {
			if result.Point.Fault.kills() {
				there += len(result.recovery) * len(slices.DeleteFunc(slices.Clone(some), func(f Fault) bool { return !f.kills() }))
			}
		}
		if asked == 0 {
			there = 0
		}
		if len(pairs) != there {
			t.Fatalf("%d pairs, and %d are there", len(pairs), there)
		}
		for _, pair := range pairs {
			if !pair.Fault.kills() || !pair.Again.Fault.kills() || pair.Again.Step != pair.Step+again || !slices.Contains(some, pair.Again.Fault) {
				t.Fatalf("%s is no pair of kills, the second after the restart", pair)
			}
			if read, err := ParsePoint(pair.String()); err != nil || read != pair {
				t.Fatalf("%s is read as %+v, %v", pair, read, err)
			}
		}
	})
}

// pairField has two hundred pairs to draw from.
func pairField(pairs int, options Options) (*field, []PointResult) {
	result := PointResult{Point: Point{Blow: Blow{proxy.Place{Step: "roll", Kind: "POST pods", Ordinal: 1}, Before}}}
	for i := range 100 {
		result.recovery = append(result.recovery, proxy.Place{Step: "roll again", Kind: "POST pods", Ordinal: i + 1})
	}
	plan := Plan{Faults: []Fault{Before, After}, Pairs: pairs}
	return &field{arena: &arena{definition: &Definition{Plan: plan}}, options: options}, []PointResult{result}
}

// TestSeedDecidesWhichPairs are drawn, and none twice.
func TestSeedDecidesWhichPairs(t *testing.T) {
	drawn := map[string]bool{}
	for seed := range uint64(5) {
		f, results := pairField(10, Options{Seed: seed})
		pairs := f.shufflePairs(results)[:10]
		drawn[fmt.Sprint(pairs)] = true
		seen := map[Point]bool{}
		for _, pair := range pairs {
			seen[pair] = true
		}
		if len(seen) != 10 {
			t.Errorf("seed %d draws some twice: %s", seed, pairs)
		}
	}
	if len(drawn) != 5 {
		t.Errorf("5 seeds draw %d choices", len(drawn))
	}
}

func TestNoPairs(t *testing.T) {
	for _, test := range []struct {
		name    string
		pairs   int
		options Options
		want    int
	}{
		{"none asked for", 0, Options{}, 0},
		{"some points only", 10, Options{Points: []Point{{Case: "a"}}}, 0},
		{"some of all", 10, Options{}, 200},
	} {
		f, results := pairField(test.pairs, test.options)
		if got := f.shufflePairs(results); len(got) != test.want {
			t.Errorf("%s: %d pairs, want %d", test.name, len(got), test.want)
		}
	}
}

// TestRecovery are the writes after the restart, in the step of the kill.
func TestRecovery(t *testing.T) {
	write := func(step string, seconds float64) Exchange {
		x := request(1, "create", "pods", seconds, 201)
		x.Place.Step = step
		return x
	}
	list := request(1, "list", "pods", 4, 200)
	list.Place.Step = "roll again"
	run := &Recording{
		Strikes:   []*Strike{{Blow: Blow{proxy.Place{Step: "roll"}, After}}},
		Exchanges: []Exchange{write("scale", 1), write("roll", 2), write("roll again", 3), list, write("rollback", 5)},
		Updates:   []Update{{Place: proxy.Place{Step: "roll again", Kind: "UPDATE x."}, Arrived: at(2.5)}},
	}
	got := recoveryOf(run)
	if len(got) != 2 || got[0].Kind != "UPDATE x." || got[1].Kind != "POST pods" {
		t.Errorf("got %v", got)
	}
	if got := recoveryOf(&Recording{Exchanges: run.Exchanges}); got != nil {
		t.Errorf("without a kill: %v", got)
	}
}
