package drawing

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
)

//go:embed picture.svg.tmpl
var pictureMarkup string

var pictureTemplate = template.Must(template.New("picture").Parse(pictureMarkup))

// library is where all files are that are not yours.
const library = "k8s.io/client-go/"

// The measures of a picture, in pixels.
const (
	pictureMargin = 24
	boxesTop      = 84
	boxWidth      = 232
	boxHeight     = 56
	columnGap     = 52
	rowGap        = 64
	apart         = 9 // of the middle, for arrows that go both ways
)

// places are the columns and rows of the stages.
var places = map[Stage]struct{ column, row float64 }{
	APIServer: {0, 0}, Reflector: {1, 0}, FIFO: {2, 0}, Informer: {3, 0},
	Reconcile: {0, 1}, Lister: {1, 1}, Indexer: {2, 1}, Listeners: {3, 1},
	Worker: {0, 2}, Workqueue: {1.5, 2}, Handlers: {3, 2},
}

// picture is the pipeline, drawn: the template has the markup, and here are the places.
type picture struct {
	Width, Height, Margin int
	Library               string
	Legend                []box
	Boxes                 []box
	Arrows                []curve
}

type box struct {
	Kind          string
	X, Y          int
	Width, Height int
	TextX         int
	NameY, FileY  int
	Name, File    string
}

type curve struct {
	Kind, D, Title string
}

// Draw writes the whole pipeline as an SVG picture, with the first file of each stage.
func Draw(out io.Writer, files Files) error {
	return pictureTemplate.Execute(out, newPicture(files))
}

func newPicture(files Files) picture {
	p := picture{
		Width:   2*pictureMargin + 4*boxWidth + 3*columnGap,
		Height:  boxesTop + 3*boxHeight + 2*rowGap + pictureMargin,
		Margin:  pictureMargin,
		Library: strings.TrimSuffix(library, "/"),
	}
	for _, stage := range Whole.Stages() {
		p.Boxes = append(p.Boxes, newBox(stage, files[stage]))
	}
	for _, flow := range Whole {
		p.Arrows = append(p.Arrows, newCurve(flow))
	}
	for i, kind := range []string{"theirs", "yours", "outside"} {
		x := pictureMargin + i*110
		p.Legend = append(p.Legend, box{
			Kind: kind, X: x, Y: 48, Width: 14, Height: 14, TextX: x + 22, NameY: 59,
			Name: map[string]string{"theirs": "client-go", "yours": "yours", "outside": "another program"}[kind],
		})
	}
	return p
}

func newBox(stage Stage, files []string) box {
	x, y := corner(stage)
	b := box{
		Kind: "theirs", X: x, Y: y, Width: boxWidth, Height: boxHeight, TextX: x + boxWidth/2, NameY: y + 24, FileY: y + 43,
		Name: string(stage),
	}
	switch {
	case len(files) == 0:
		b.Kind = "outside"
	case files[0] == Yours:
		b.Kind = "yours"
	default:
		b.File = strings.TrimPrefix(files[0], library)
	}
	if b.File == "" {
		b.NameY = y + boxHeight/2 + 5
	}
	return b
}

// corner is the upper left one of a stage's box.
func corner(stage Stage) (x, y int) {
	place := places[stage]
	return pictureMargin + int(place.column*(boxWidth+columnGap)), boxesTop + int(place.row*(boxHeight+rowGap))
}

// newCurve goes straight between stages that are beside or above each other, and around a corner between others.
func newCurve(f Flow) curve {
	p := curve{Kind: "flow", Title: fmt.Sprintf("%s -> %s", f.From, f.To)}
	if f.Optional {
		p.Kind = "flow optional"
	}
	fromX, fromY := corner(f.From)
	toX, toY := corner(f.To)
	switch {
	case fromY == toY:
		y := fromY + boxHeight/2
		if Whole.flow(f.To, f.From) {
			y += apart * sign(toX-fromX)
		}
		p.D = fmt.Sprintf("M%d %d H%d", edge(fromX, toX, boxWidth), y, edge(toX, fromX, boxWidth))
	case fromX == toX:
		p.D = fmt.Sprintf("M%d %d V%d", fromX+boxWidth/2, edge(fromY, toY, boxHeight), edge(toY, fromY, boxHeight))
	default:
		p.D = fmt.Sprintf("M%d %d v%d H%d V%d", fromX+boxWidth/4, edge(fromY, toY, boxHeight), rowGap/2, toX+boxWidth/2,
			edge(toY, fromY, boxHeight))
	}
	return p
}

// edge is the side of a box that faces another.
func edge(at, other, size int) int {
	if other > at {
		return at + size
	}
	return at
}

func sign(n int) int {
	if n < 0 {
		return -1
	}
	return 1
}
