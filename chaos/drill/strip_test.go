package drill

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStripsShareOneAxis(t *testing.T) {
	report := caseReport()
	strips := newHandOverStrips(report)
	for i, strip := range strips.Strips {
		for j, d := range strip.NewHolders.Dots {
			handOver := report.Points[3*i+j].HandOver
			if inside := d.X >= strip.Left && d.X <= strip.Right; !d.Never && inside != handOver.Within() {
				t.Errorf("%s is at %.1f %%, and the bounds from %.1f to %.1f %%", d.Text, d.X, strip.Left, strip.Right)
			}
			if d.Never != (handOver.NewHolder == 0) {
				t.Errorf("%s: %v", d.Text, d.Never)
			}
		}
	}
	var seconds []float64
	for _, tick := range strips.Ticks {
		seconds = append(seconds, tick.Seconds)
		if tick.X < 0 || tick.X > 100 {
			t.Errorf("the tick of %v s is at %v %%", tick.Seconds, tick.X)
		}
	}
	if difference := cmp.Diff([]float64{0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24}, seconds); difference != "" {
		t.Errorf("ticks (-want +got):\n%s", difference)
	}
	if width := strips.Strips[0].Width(); width <= 0 {
		t.Errorf("the bounds are %v %% wide", width)
	}
}

// Dots of the same time lie beside each other.
func TestDotsCanBeToldApart(t *testing.T) {
	band := track{Top: 3, Bottom: 26}
	seen := map[float64]bool{}
	for range 5 {
		band.add(axis{10}, Point{Case: "x"}, 5)
	}
	for _, d := range band.Dots {
		seen[d.Y] = true
	}
	if len(seen) != 5 {
		t.Errorf("five dots lie in %d places", len(seen))
	}
}
