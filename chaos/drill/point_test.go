package drill

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"example.com/twinloop/chaos/proxy"
)

func TestPointIsReadAsItIsWritten(t *testing.T) {
	for _, text := range []string{
		"roll: POST pods #3, after",
		"create: PUT fleets/status #1, before",
		"delete: UPDATE fleet.test. #12, after",
		"scale: DELETE pods #1, cut",
		"scale: DELETE pods #1, 504",
		"roll: POST pods #3, after; roll again: DELETE pods #1, before",
		"scale once more: POST pods #1, before; scale once more again: UPDATE fleet.test. #1, after",
		"roll, silence",
		"scale once more, silence",
		"lease-partition-4s",
		"sigkill #2",
	} {
		point, err := ParsePoint(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if point.String() != text {
			t.Errorf("%s: written as %s", text, point)
		}
	}
}

func TestBadPoint(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", "or end in a fault"},
		{"roll: POST pods #3", "or end in a fault"},
		{"roll: POST pods #3, during", `the fault "during" is none of before, after, drop, cut, 409`},
		{"roll: POST pods #3, 422", `the fault "422" is none of before, after, drop, cut, 409`},
		{"POST pods #3, after", "must name a step"},
		{"roll: POST pods, after", "a number"},
		{"roll: POST pods #0, after", "a number from 1"},
		{"roll: POKE pods #1, after", "begin with one of"},
		{", silence", "must name a step"},
		{"two cases", "or end in a fault"},
		{"create: POST pods #1,after", "write a space after each comma and semicolon, as in `roll: POST pods #3, after; roll again: DELETE pods #1, before`"},
		{"create: POST pods #1, after;create again: POST pods #1, after", "write a space after each comma and semicolon"},
		{"sigkill #0", `want a number from 1 after #, not "0"`},
		{"sigkill #-1", "want a number from 1"},
		{"sigkill #many", "want a number from 1"},
		{"sigkill #", "want a number from 1"},
		{" #1", "or end in a fault"},
		{"roll: POST pods #3, after; roll: DELETE pods #1, before", "a pair is of two kills, the second in `roll again`"},
		{"roll: POST pods #3, after; scale again: DELETE pods #1, before", "the second in `roll again`"},
		{"roll: POST pods #3, cut; roll again: DELETE pods #1, before", "a pair is of two kills"},
		{"roll: POST pods #3, after; roll again: DELETE pods #1, 409", "a pair is of two kills"},
		{"roll, silence; roll again: DELETE pods #1, before", "a pair is of two kills"},
		{"roll: POST pods #3, after; roll again, silence", "a pair is of two kills"},
		{"roll: POST pods #3, after; ", "the fault"},
		{"roll: POST pods #3, after; roll again: DELETE pods #1, before; roll again: DELETE pods #2, before", "the fault"},
	} {
		_, err := ParsePoint(test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) || !strings.HasPrefix(err.Error(), fmt.Sprintf("point %q: ", test.text)) {
			t.Errorf("%q: got %v, want an error about this point with %q", test.text, err, test.want)
		}
	}
}

// drawnPoint is any point that a plan could have.
var drawnPoint = rapid.Custom(func(t *rapid.T) Point {
	step := rapid.StringMatching(`[a-z]+( [a-z]+)*`)
	blow := func(step string, faults []Fault) Blow {
		return Blow{proxy.Place{
			Step: step, Kind: proxy.Kind(rapid.StringMatching(`(POST|PUT|PATCH|DELETE|UPDATE) [a-z]+([./][a-z]+)*`).Draw(t, "kind")),
			Ordinal: rapid.IntRange(1, 1000).Draw(t, "ordinal"),
		}, rapid.SampledFrom(faults).Draw(t, "fault")}
	}
	kills := []Fault{Before, After}
	switch rapid.SampledFrom([]string{"write", "pair", "silence", "case", "round"}).Draw(t, "sort") {
	case "write":
		return Point{Blow: blow(step.Draw(t, "step"), faults())}
	case "pair":
		first := blow(step.Draw(t, "step"), kills)
		return Point{Blow: first, Again: blow(first.Step+again, kills)}
	case "silence":
		return silences([]Step{{Name: step.Draw(t, "step")}})[0]
	case "case":
		return Point{Case: rapid.StringMatching(`[a-z0-9.-]+`).Draw(t, "case")}
	default:
		return Point{Case: rapid.StringMatching(`[a-z0-9.-]+`).Draw(t, "case"), Round: rapid.IntRange(1, 1000).Draw(t, "round")}
	}
})

func TestAnyPointIsReadAsItIsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		point := drawnPoint.Draw(t, "point")
		read, err := ParsePoint(point.String())
		if err != nil || read != point {
			t.Fatalf("%q is read as %+v, %v; want %+v", point, read, err, point)
		}
	})
}

func TestDifferentPointsAreWrittenDifferently(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		one, other := drawnPoint.Draw(t, "one"), drawnPoint.Draw(t, "other")
		if (one == other) != (one.String() == other.String()) {
			t.Fatalf("%+v and %+v are written %q and %q", one, other, one, other)
		}
	})
}

func TestBlowsOfAPoint(t *testing.T) {
	for text, want := range map[string]int{
		"roll: POST pods #3, cut": 1, "roll: POST pods #3, after; roll again: DELETE pods #1, before": 2,
		"roll, silence": 0, "sigkill": 0, "sigkill #2": 0,
	} {
		if got := parsePoints(t, text)[0].blows(); len(got) != want {
			t.Errorf("%s: %v, want %d", text, got, want)
		}
	}
}

func texts(points []Point) []string {
	var all []string
	for _, point := range points {
		all = append(all, point.String())
	}
	return all
}

func TestRounds(t *testing.T) {
	got := texts(rounds([]Case{{Name: "sigterm", Repeat: 3}, {Name: "two", Repeat: 1}, {Name: "sigkill", Repeat: 2}}))
	if want := []string{"sigterm #1", "sigterm #2", "sigterm #3", "two", "sigkill #1", "sigkill #2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSilences(t *testing.T) {
	got := texts(silences([]Step{{Name: "create"}, {Name: "scale once more"}}))
	if want := []string{"create, silence", "scale once more, silence"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestDNSIsRefusedWithNoStatus leaves out what a DNS server cannot answer.
func TestDNSIsRefusedWithNoStatus(t *testing.T) {
	places := []proxy.Place{{Step: "a", Kind: "POST pods", Ordinal: 1}, {Step: "a", Kind: "UPDATE x.", Ordinal: 1}}
	got := texts(points(places, []Fault{Cut, "409"}, "UPDATE x."))
	want := []string{"a: POST pods #1, cut", "a: POST pods #1, 409", "a: UPDATE x. #1, cut"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzParsePoint(f *testing.F) {
	for _, seed := range []string{
		"roll: POST pods #3, after", "roll: POST pods #3, after; roll again: DELETE pods #1, before", "roll, silence", "sigkill #2",
		"two", "", ", silence", "; , ", " #1",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		point, err := ParsePoint(text)
		if err != nil {
			return
		}
		again, err := ParsePoint(point.String())
		if err != nil || again != point {
			t.Errorf("%q is %+v, which is written %q and read as %+v, %v", text, point, point, again, err)
		}
	})
}

func TestShardsArePartsOfTheWhole(t *testing.T) {
	all := points([]proxy.Place{{Step: "a", Ordinal: 1}, {Step: "a", Ordinal: 2}, {Step: "b", Ordinal: 1}, {Step: "b", Ordinal: 2}},
		[]Fault{Before, After}, "UPDATE fleet.test.")
	for n := 1; n <= len(all)+1; n++ {
		seen := map[Point]int{}
		for i := 1; i <= n; i++ {
			for _, point := range shard(all, i, n) {
				seen[point]++
			}
		}
		for _, point := range all {
			if seen[point] != 1 {
				t.Errorf("of %d shards, %d hold %s", n, seen[point], point)
			}
		}
	}
	if got := shard(all, 2, 4); !slices.Equal(got, []Point{all[1], all[5]}) {
		t.Errorf("shard 2 of 4 is %v", got)
	}
}
