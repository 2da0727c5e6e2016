package drill

import (
	"fmt"
	"math"
	"slices"
)

// handOverStrips are the hand-overs of all cases, drawn on one axis of time. All positions across are in percent of the width,
// all down in pixels.
type handOverStrips struct {
	Ticks  []tick
	Strips []handOverStrip
	Former []formerWrite
}

type tick struct{ X, Seconds float64 }

// handOverStrip has a dot for each run of a case in each of its two tracks.
type handOverStrip struct {
	HandOvers
	// Left and Right are the bounds of the new holder.
	Left, Right           float64
	NewHolders, FirstWork track
}

// Width is how far apart the bounds are.
func (s handOverStrip) Width() float64 { return s.Right - s.Left }

// track is a row of dots, one of each run, in a band from Top to Bottom.
type track struct {
	Class, What string
	Top, Bottom int
	Dots        []dot
	// Median is where that is, MedianSeconds what it is; of none, Median is negative.
	Median, MedianSeconds float64
	Values                []float64 // in ascending order
}

// dot is a run. Of one in which what is timed never came, Never is set, and it is at the end of the axis.
type dot struct {
	Point Point
	X, Y  float64
	Text  string
	Never bool
}

// formerWrite is a write of a former leader in a run.
type formerWrite struct {
	Point Point
	FormerWrite
	// Later is how long after the first write of its successor it was sent.
	Later  float64
	Became string
}

// axis maps the times from 0 to most, in seconds, to the width, with room for a dot on either side.
type axis struct{ most float64 }

const axisMargin = 1.5

func (a axis) at(seconds float64) float64 {
	return axisMargin + seconds/a.most*(100-2*axisMargin)
}

// ticks are six to twelve round times.
func (a axis) ticks() []tick {
	apart := math.Pow(10, math.Floor(math.Log10(a.most/6)))
	for _, factor := range []float64{5, 2} {
		if a.most/(apart*factor) >= 6 {
			apart *= factor
			break
		}
	}
	var all []tick
	for n := 0.0; n*apart <= a.most; n++ {
		all = append(all, tick{a.at(n * apart), n * apart})
	}
	return all
}

func newHandOverStrips(r *Report) handOverStrips {
	cases := r.HandOvers()
	var view handOverStrips
	var a axis
	for _, h := range cases {
		a.most = max(a.most, h.To, slices.Max(append(h.NewHolder, 0)), slices.Max(append(h.FirstWrite, 0)))
	}
	if a.most == 0 {
		return view
	}
	a.most *= 1.02
	view.Ticks = a.ticks()
	for _, h := range cases {
		strip := handOverStrip{HandOvers: h, Left: a.at(h.From), Right: a.at(h.To)}
		strip.NewHolders = track{Class: "dot", What: "new holder", Top: 3, Bottom: 26, Values: h.NewHolder}
		strip.FirstWork = track{Class: "dot work", What: "first write", Top: 29, Bottom: 49, Values: h.FirstWrite}
		for _, p := range r.Points {
			if p.HandOver != nil && p.Point.Case == h.Case {
				strip.NewHolders.add(a, p.Point, p.HandOver.NewHolder)
				strip.FirstWork.add(a, p.Point, p.HandOver.FirstWrite)
			}
		}
		strip.NewHolders.mark(a)
		strip.FirstWork.mark(a)
		view.Strips = append(view.Strips, strip)
	}
	for _, p := range r.Points {
		if p.HandOver == nil {
			continue
		}
		for _, write := range p.HandOver.Former {
			view.Former = append(view.Former, formerWrite{p.Point, write, write.At - p.HandOver.FirstWrite, write.became()})
		}
	}
	return view
}

// mark puts the median in its place.
func (t *track) mark(a axis) {
	t.Median, t.MedianSeconds = -1, median(t.Values)
	if len(t.Values) > 0 {
		t.Median = a.at(t.MedianSeconds)
	}
}

// add adds the dot of a run.
func (t *track) add(a axis, p Point, seconds float64) {
	d := dot{Point: p, X: a.at(seconds), Text: fmt.Sprintf("%s: %s after %.2f s", p, t.What, seconds)}
	if seconds == 0 {
		d = dot{Point: p, X: a.at(a.most), Text: fmt.Sprintf("%s: never a %s", p, t.What), Never: true}
	}
	d.Y = float64(t.Top+t.Bottom)/2 + t.room(d.X)
	t.Dots = append(t.Dots, d)
}

// room is how far from the middle of a track there is room for a dot, so that dots side by side can be told apart.
func (t *track) room(x float64) float64 {
	middle := float64(t.Top+t.Bottom) / 2
	for _, away := range []float64{0, -6, 6, -3, 3} {
		if !slices.ContainsFunc(t.Dots, func(d dot) bool { return d.Y == middle+away && math.Abs(d.X-x) < 1.2 }) {
			return away
		}
	}
	return 0
}

// Spread is from the least to the greatest value.
func (t track) Spread() string { return spread(t.Values) }
