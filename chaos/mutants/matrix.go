package mutants

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"

	"golang.org/x/sync/errgroup"
	"k8s.io/client-go/kubernetes"

	"example.com/twinloop/chaos/drill"
	"example.com/twinloop/shared/checkout"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/operator"
	"example.com/twinloop/shared/process/gocommand"
	"example.com/twinloop/shared/process/scratch"
)

// Verdict is what came of a mutant in a drill.
type Verdict string

const (
	// Caught: by the drill that it names, at the points and by the oracles that it names.
	Caught Verdict = "caught"
	// Lives: the drill, or the test of the suite, that it names does not catch it.
	Lives Verdict = "lives"
	// AlsoCaught and Unseen: by a drill that it does not name.
	AlsoCaught Verdict = "also"
	Unseen     Verdict = "unseen"
	// Silent and FalseAlarm: by a drill of an operator without a mistake.
	Silent     Verdict = "silent"
	FalseAlarm Verdict = "false alarm"
)

// Suite stands for shared/suite among the drills.
const Suite = "suite"

// unbroken stands for no mutant.
const unbroken = "unbroken"

// Cell is what came of one mutant of one operator in one drill.
type Cell struct {
	Mutant   string  `json:"mutant"`
	Operator string  `json:"operator"`
	Drill    string  `json:"drill"`
	Verdict  Verdict `json:"verdict"`
	// Why says what was found, or why a mutant lives.
	Why string `json:"why,omitempty"`
}

// Expected reports whether it came out as the mutant says; a drill that it does not name may say what it likes.
func (c Cell) Expected() bool { return c.Verdict != Lives && c.Verdict != FalseAlarm }

// Options say what is held against what.
type Options struct {
	Mutants      []Mutant
	Operators    []operator.Operator
	ControlPlane *controlplane.ControlPlane
	// Everywhere holds each mutant against every drill, at all points that any mutant names, and not only its own.
	Everywhere bool
	// Lanes is how many mutants are drilled at once.
	Lanes int
	// Progress is told of each cell, from one goroutine at a time; nil for nobody.
	Progress func(cell Cell, done, total int)
}

// task is one operator with one mistake, or none.
type task struct {
	mutant   *Mutant // nil for none
	operator operator.Operator
}

// Run builds every operator with every mistake that can be made in it, and with none, and drills each. The error is that it
// could not be done; what was found is in the cells, in the order of the mutants.
func Run(ctx context.Context, options Options) ([]Cell, error) {
	g, err := newGround(ctx, options)
	if err != nil {
		return nil, err
	}
	defer g.folder.Remove()
	tasks := options.tasks()
	cells := make([][]Cell, len(tasks))
	lanes, running := errgroup.WithContext(ctx)
	lanes.SetLimit(max(1, options.Lanes))
	for i, task := range tasks {
		lanes.Go(func() error {
			if running.Err() != nil {
				return context.Cause(running)
			}
			held, err := g.hold(running, task)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", task.name(), task.operator.Name, err)
			}
			cells[i] = held
			return nil
		})
	}
	if err := lanes.Wait(); err != nil {
		return nil, err
	}
	return slices.Concat(cells...), nil
}

func (o Options) tasks() []task {
	var all []task
	for _, subject := range o.Operators {
		all = append(all, task{nil, subject})
	}
	for i := range o.Mutants {
		for _, subject := range o.Mutants[i].Operators() {
			if slices.Contains(o.Operators, subject) {
				all = append(all, task{&o.Mutants[i], subject})
			}
		}
	}
	return all
}

func (t task) name() string {
	if t.mutant == nil {
		return unbroken
	}
	return t.mutant.Name
}

// drills are those that the task is held against.
func (o Options) drills(t task) []string {
	if t.mutant != nil && !o.Everywhere {
		return []string{cmp.Or(t.mutant.Drill, Suite)}
	}
	var names []string
	for _, name := range drill.Names() {
		if len(o.points(name)) > 0 {
			names = append(names, name)
		}
	}
	if t.mutant != nil && t.mutant.Suite != "" {
		names = append(names, Suite)
	}
	return names
}

// points are all that any mutant names of a drill.
func (o Options) points(drillName string) []drill.Point {
	var points []drill.Point
	for _, m := range o.Mutants {
		for _, point := range m.Points {
			if m.Drill == drillName && !slices.Contains(points, point) {
				points = append(points, point)
			}
		}
	}
	return points
}

// ground is what all tasks share.
type ground struct {
	options    Options
	identities map[string]operator.Identity // by the operator's name
	folder     *scratch.Folder
	linking    sync.Mutex

	mu          sync.Mutex
	done, total int
}

func newGround(ctx context.Context, options Options) (*ground, error) {
	g := &ground{options: options, identities: map[string]operator.Identity{}}
	client, err := kubernetes.NewForConfig(options.ControlPlane.AdminConfig())
	if err != nil {
		return nil, err
	}
	for _, subject := range options.Operators {
		if g.identities[subject.Name], err = subject.Install(ctx, client); err != nil {
			return nil, err
		}
	}
	for _, t := range options.tasks() {
		g.total += len(options.drills(t))
	}
	g.folder, err = scratch.New("mutants")
	return g, err
}

// hold builds one operator and holds it against its drills.
func (g *ground) hold(ctx context.Context, t task) ([]Cell, error) {
	folder := filepath.Join(g.folder.Path, t.name()+"-"+t.operator.Name)
	if err := os.Mkdir(folder, 0o755); err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	var flags []string
	if t.mutant != nil {
		overlay, err := t.mutant.Overlay(folder)
		if err != nil {
			return nil, err
		}
		flags = []string{"-overlay=" + overlay}
	}
	binary := filepath.Join(folder, "operator")
	var cells []Cell
	for i, name := range g.options.drills(t) {
		if name != Suite && i == 0 {
			if err := g.build(ctx, t, binary, flags); err != nil {
				return nil, err
			}
		}
		cell, err := g.holdAgainst(ctx, t, name, binary, flags)
		if err != nil {
			return nil, err
		}
		cells = append(cells, cell)
		g.report(cell)
	}
	return cells, nil
}

// build builds one operator at a time, since each takes all processors.
func (g *ground) build(ctx context.Context, t task, binary string, flags []string) error {
	g.linking.Lock()
	defer g.linking.Unlock()
	return t.operator.Build(ctx, binary, flags...)
}

func (g *ground) report(cell Cell) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.done++
	if g.options.Progress != nil {
		g.options.Progress(cell, g.done, g.total)
	}
}

func (g *ground) holdAgainst(ctx context.Context, t task, name, binary string, flags []string) (Cell, error) {
	cell := Cell{Mutant: t.name(), Operator: t.operator.Name, Drill: name}
	if name == Suite {
		err := t.mutant.failsInSuite(ctx, t.operator, flags)
		cell.Verdict = Caught
		if err != nil {
			cell.Verdict, cell.Why = Lives, err.Error()
		}
		return cell, ctx.Err()
	}
	named := t.mutant != nil && t.mutant.Drill == name
	points := g.options.points(name)
	if named && !g.options.Everywhere {
		points = t.mutant.Points
	}
	definition, err := drill.Load(name)
	if err != nil {
		return cell, err
	}
	report, err := drill.Run(ctx, drill.Options{
		Definition:   definition,
		Subject:      drill.Subject{Name: t.operator.Name, Command: operator.CommandOf(binary), Identity: g.identities[t.operator.Name]},
		ControlPlane: g.options.ControlPlane,
		Points:       points,
		Lanes:        4,
	})
	if ctx.Err() != nil {
		return cell, context.Cause(ctx)
	}
	cell.Verdict, cell.Why = judge(t.mutant, named, report, err)
	return cell, nil
}

// judge says what a drill's report makes of a mutant. A drill that cannot be held since the operator fails without any fault
// has caught it too, but not where its mutant says.
func judge(m *Mutant, named bool, report *drill.Report, failure error) (Verdict, string) {
	why := ""
	found := failure != nil
	if failure != nil {
		why = failure.Error()
	} else {
		for _, flake := range report.FaultFree {
			found, why = true, cmp.Or(why, "without any fault: "+flake.Oracle)
		}
		for _, c := range report.Causes() {
			if !c.Expected {
				found, why = true, cmp.Or(why, fmt.Sprintf("%s: %s", c.Points[0], c.Oracle))
			}
		}
	}
	switch {
	case m == nil && found:
		return FalseAlarm, why
	case m == nil:
		return Silent, ""
	case named && failure != nil:
		return Lives, why // it is not the drill's points that show it
	case named:
		if err := m.CaughtBy(report); err != nil {
			return Lives, err.Error()
		}
		return Caught, why
	case found:
		return AlsoCaught, why
	}
	return Unseen, ""
}

// failsInSuite runs a test of the suite with every build that it starts overlaid. The error is that the test passes. That it
// passes without, the suite's own run shows.
func (m Mutant) failsInSuite(ctx context.Context, o operator.Operator, flags []string) error {
	root, err := checkout.Root()
	if err != nil {
		return err
	}
	cmd := exec.Command("go", "test", "-count=1", "-run=^"+m.Suite+"$/^"+o.Name+"$", "./shared/suite")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" "+flags[0])
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err = gocommand.Run(ctx, cmd)
	switch {
	case err == nil:
		return errors.New(m.Suite + " passes")
	case !bytes.Contains(output.Bytes(), []byte("--- FAIL: "+m.Suite)):
		return fmt.Errorf("%s was not run: %w\n%s", m.Suite, err, output.String())
	}
	return nil
}
