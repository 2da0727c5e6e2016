package minictl

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"
)

//go:embed picture.svg.tmpl
var pictureMarkup string

var pictureTemplate = template.Must(template.New("picture").Parse(pictureMarkup))

// The measures of a picture, in pixels.
const (
	margin      = 20
	gutter      = 190 // for the names of pods
	boundGutter = 130 // for what the bounds are
	chartTop    = 76
	chartHeight = 120
	laneHeight  = 17
	groupHeight = 30
	plotWidth   = 900
)

// picture is a Result, drawn: the template has the markup, and here are the places.
type picture struct {
	Title                 string
	Width, Height         int
	Margin, Left, Right   int
	Top, Bottom           int
	MomentY, TickY        int
	LabelX, BoundX        int
	KeyX, KeyTextX        int
	KeyY1, KeyY2          int
	KeyTextY1, KeyTextY2  int
	Legend                []legendEntry
	Values, Ticks, Bounds []mark
	Moments, Groups       []mark
	Lanes                 []lane
	Total, Ready          string // paths
	tickWidth             float64
	most                  int // pods, at the top of the chart
}

type legendEntry struct {
	State    PodState
	X, TextX int
}

// mark is a line or a word at a place.
type mark struct {
	X, Y, TextY int
	Text        string
}

// lane is a pod through time.
type lane struct {
	Name  string
	TextY int
	Spans []span
}

// span is a stretch of time in one state.
type span struct {
	State    PodState
	X, Width int
	Y        int
	Title    string
}

// Draw writes a run as an SVG picture: how many pods there were and were ready, with the bounds, and below it a lane for
// each pod, under the ReplicaSet that controlled it first.
func Draw(out io.Writer, r *Result) error {
	return pictureTemplate.Execute(out, newPicture(r))
}

func newPicture(r *Result) *picture {
	p := &picture{
		Title: "minictl run " + r.Scenario, Margin: margin, Left: margin + gutter, Right: margin + gutter + plotWidth,
		Top: chartTop, MomentY: chartTop - 8, LabelX: margin + gutter - 8, BoundX: margin + gutter + plotWidth + 8,
		Width: 2*margin + gutter + plotWidth + boundGutter, KeyX: margin + 24, KeyTextX: margin + 32,
		KeyY1: chartTop + 10, KeyY2: chartTop + 30, KeyTextY1: chartTop + 14, KeyTextY2: chartTop + 34,
	}
	p.tickWidth = plotWidth / float64(max(1, len(r.Samples)))
	p.most = max(1, r.Bounds.MaxPods)
	for _, s := range r.Samples {
		p.most = max(p.most, s.Total())
	}
	for i, state := range []PodState{Pending, Running, Ready, Available, Failed, Terminating} {
		p.Legend = append(p.Legend, legendEntry{state, margin + i*110, margin + i*110 + 18})
	}
	for n := 0; n <= p.most; n += roundStep(p.most, 6) {
		p.Values = append(p.Values, mark{Y: p.y(n), TextY: p.y(n) + 4, Text: fmt.Sprint(n)})
	}
	p.drawBounds(r.Bounds, r.BoundsFrom)
	p.drawMoments(r.Log)
	p.Total = p.steps(r.Samples, Sample.Total)
	p.Ready = p.steps(r.Samples, Sample.Ready)
	p.drawLanes(r.Samples)
	for i, step := 0, roundStep(len(r.Samples), 20); i < len(r.Samples); i++ {
		if tick := r.Samples[i].Tick; tick%step == 0 {
			p.Ticks = append(p.Ticks, mark{X: p.x(i), Text: fmt.Sprint(tick)})
		}
	}
	return p
}

// x is where the tick of a sample begins. The state at its end is drawn from there on.
func (p *picture) x(sample int) int { return p.Left + int(float64(sample)*p.tickWidth) }

func (p *picture) y(pods int) int { return p.Top + chartHeight - chartHeight*pods/p.most }

// roundStep divides a range into at most so many steps of 1, 2 or 5 times a power of ten.
func roundStep(most, steps int) int {
	for power := 1; ; power *= 10 {
		for _, factor := range []int{1, 2, 5} {
			if most <= steps*power*factor {
				return power * factor
			}
		}
	}
}

func (p *picture) drawBounds(b Bounds, from int) {
	if b == (Bounds{}) {
		return
	}
	p.Bounds = []mark{
		{X: p.x(from), Y: p.y(b.MaxPods), Text: fmt.Sprintf("at most %d in all", b.MaxPods)},
		{X: p.x(from), Y: p.y(b.MinAvailable), Text: fmt.Sprintf("at least %d available", b.MinAvailable)},
	}
	for i := range p.Bounds {
		p.Bounds[i].TextY = p.Bounds[i].Y + 4
	}
	if b.MaxPods == b.MinAvailable || p.Bounds[1].Y-p.Bounds[0].Y < 14 {
		p.Bounds[0].TextY -= 7
		p.Bounds[1].TextY += 7
	}
}

// moments are the reasons in the log that turn a rollout, and what the picture calls them.
var moments = map[string]string{"SetImage": "set image", "RolloutStatus": "deadline", "Undo": "undo"}

// drawMoments marks the end of the tick in which each of the moments came.
func (p *picture) drawMoments(log []Record) {
	for _, record := range log {
		text, x := moments[record.Reason], p.x(record.Tick)
		switch last := len(p.Moments) - 1; {
		case text == "":
		case last >= 0 && p.Moments[last].X == x:
			p.Moments[last].Text += ", " + text
		default:
			p.Moments = append(p.Moments, mark{X: x, Text: text})
		}
	}
}

// steps is the path of a number over time.
func (p *picture) steps(samples []Sample, number func(Sample) int) string {
	var path strings.Builder
	fmt.Fprintf(&path, "M%d %d", p.x(0), p.y(0))
	for i, s := range samples {
		fmt.Fprintf(&path, " H%d V%d", p.x(i), p.y(number(s)))
	}
	fmt.Fprintf(&path, " H%d", p.x(len(samples)))
	return path.String()
}

// drawLanes draws the pods in the order in which they and their ReplicaSets came.
func (p *picture) drawLanes(samples []Sample) {
	type track struct {
		name   string
		states []PodState // by sample; empty when there is no such pod
	}
	var owners []string
	tracks := map[string][]*track{}
	byPod := map[string]*track{}
	for i, s := range samples {
		for _, pod := range s.Pods {
			known, ok := byPod[pod.Name]
			if !ok {
				known = &track{pod.Name, make([]PodState, len(samples))}
				byPod[pod.Name] = known
				if !slices.Contains(owners, pod.Owner) {
					owners = append(owners, pod.Owner)
				}
				tracks[pod.Owner] = append(tracks[pod.Owner], known)
			}
			known.states[i] = pod.State
		}
	}
	y := chartTop + chartHeight + 10
	for _, owner := range owners {
		y += groupHeight
		p.Groups = append(p.Groups, mark{Y: y - 8, Text: groupName(owner)})
		for _, t := range tracks[owner] {
			p.Lanes = append(p.Lanes, lane{t.name, y + 10, p.spans(t.name, t.states, y)})
			y += laneHeight
		}
	}
	p.Bottom = y + 6
	p.TickY = p.Bottom + 16
	p.Height = p.TickY + margin
}

func groupName(owner string) string {
	if owner == "" {
		return "no controller"
	}
	return "ReplicaSet " + owner
}

// spans joins ticks of the same state, and marks the one in which the pod went.
func (p *picture) spans(name string, states []PodState, y int) []span {
	var spans []span
	add := func(state PodState, from, to int) {
		left, right := p.x(from), p.x(to)
		title := fmt.Sprintf("%s: %s from tick %d to %d", name, state, from+1, to)
		spans = append(spans, span{state, left, max(1, right-left-1), y, title})
	}
	for from, to := 0, 0; from < len(states); from = to {
		for to = from; to < len(states) && states[to] == states[from]; to++ {
		}
		switch {
		case states[from] != "":
			add(states[from], from, to)
		case from > 0:
			add(Terminating, from, from+1)
		}
	}
	return spans
}
