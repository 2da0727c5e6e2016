package drill

import (
	"slices"
	"strings"
	"testing"

	"example.com/twinloop/chaos/proxy"
)

func TestPointIsReadAsItIsWritten(t *testing.T) {
	for _, text := range []string{
		"roll: POST pods #3, after",
		"create: PUT fleets/status #1, before",
		"delete: UPDATE fleet.test. #12, after",
		"scale: DELETE pods #1, cut",
		"scale: DELETE pods #1, 504",
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
		{"", "must end in a fault"},
		{"roll: POST pods #3", "must end in a fault"},
		{"roll: POST pods #3, during", `the fault "during" is none of before, after, drop, cut, 409`},
		{"roll: POST pods #3, 422", `the fault "422" is none of before, after, drop, cut, 409`},
		{"POST pods #3, after", "must name a step"},
		{"roll: POST pods, after", "a number"},
		{"roll: POST pods #0, after", "a number from 1"},
		{"roll: POKE pods #1, after", "begin with one of"},
	} {
		_, err := ParsePoint(test.text)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: got %v, want an error with %q", test.text, err, test.want)
		}
	}
}

func FuzzParsePoint(f *testing.F) {
	f.Add("roll: POST pods #3, after")
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
