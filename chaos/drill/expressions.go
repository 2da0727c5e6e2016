package drill

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// expressions are a definition's, compiled.
type expressions struct {
	variables  []named // each after those that it uses
	await      map[string]cel.Program
	count      map[string]cel.Program
	object     map[string]cel.Program
	invariants []named
}

type named struct {
	name    string
	program cel.Program
}

// view is what expressions see.
type view struct {
	objects map[string][]any // by plural, for every resource observed
	records []any
	event   map[string]any // for invariants only
}

func compile(d *Definition) (*expressions, error) {
	options := []cel.EnvOption{
		cel.OptionalTypes(), ext.Strings(), ext.Lists(), ext.Sets(),
		cel.Variable("variables", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("records", cel.ListType(cel.DynType)),
		cel.Variable("event", cel.MapType(cel.StringType, cel.DynType)),
	}
	for _, resource := range d.Observe {
		options = append(options, cel.Variable(plural(resource), cel.ListType(cel.DynType)))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, fmt.Errorf("observe: %w", err)
	}
	c := compiler{env: env, members: map[string][]string{
		"variables": slices.Sorted(maps.Keys(d.Variables)),
		"event":     slices.Sorted(maps.Keys(eventValue(Event{Object: &unstructured.Unstructured{}}, nil))),
	}}
	compiled := &expressions{
		await: map[string]cel.Program{}, count: map[string]cel.Program{}, object: map[string]cel.Program{},
	}
	for _, name := range variableOrder(d.Variables) {
		compiled.variables = append(compiled.variables, named{name, c.compile("variables."+name, d.Variables[name], nil)})
	}
	for i, step := range d.Scenario {
		field := fmt.Sprintf("scenario[%d]", i)
		compiled.await[step.Name] = c.compile(field+".await", step.Await, cel.BoolType)
		if count := cmp.Or(step.Count, d.Count); count != "" {
			compiled.count[step.Name] = c.compile(field+".count", count, cel.IntType)
		}
		if from := step.objectFrom(); from != "" {
			compiled.object[step.Name] = c.compile(field+".objectFrom", from, cel.StringType)
		}
	}
	for i, invariant := range d.Invariants {
		program := c.compile(fmt.Sprintf("invariants[%d].holds", i), invariant.Holds, cel.BoolType)
		compiled.invariants = append(compiled.invariants, named{invariant.Name, program})
	}
	return compiled, c.err
}

func (s Step) objectFrom() string {
	switch {
	case s.Patch != nil:
		return s.Patch.ObjectFrom
	case s.Delete != nil:
		return s.Delete.ObjectFrom
	}
	return ""
}

// compiler keeps the first error, so that its calls read as a list.
type compiler struct {
	env     *cel.Env
	members map[string][]string // of the names that are maps whose keys are known
	err     error
}

func (c *compiler) compile(field, text string, want *cel.Type) cel.Program {
	if c.err != nil {
		return nil
	}
	checked, issues := c.env.Compile(text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		c.err = fmt.Errorf("%s: line %d, column %d: %s", field, first.Location.Line(), first.Location.Column()+1, first.Message)
		return nil
	}
	if err := c.checkMembers(checked.NativeRep()); err != nil {
		c.err = fmt.Errorf("%s: %w", field, err)
		return nil
	}
	if got := checked.OutputType(); want != nil && !got.IsExactType(want) && !got.IsExactType(cel.DynType) {
		c.err = fmt.Errorf("%s: must yield %s, not %s", field, want, got)
		return nil
	}
	program, err := c.env.Program(checked, cel.EvalOptions(cel.OptOptimize))
	if err != nil {
		c.err = fmt.Errorf("%s: %w", field, err)
	}
	return program
}

// checkMembers reports a member that is selected of a name and that it does not have, which CEL itself would find only when
// it evaluates the expression.
func (c *compiler) checkMembers(checked *ast.AST) error {
	var failure error
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.SelectKind || e.AsSelect().Operand().Kind() != ast.IdentKind {
			return
		}
		name, member := e.AsSelect().Operand().AsIdent(), e.AsSelect().FieldName()
		members, known := c.members[name]
		if known && failure == nil && !slices.Contains(members, member) {
			failure = fmt.Errorf("there is no %s.%s, only %s", name, member, strings.Join(members, ", "))
		}
	}))
	return failure
}

// scope is a view with the variables evaluated.
type scope struct{ vars map[string]any }

func (e *expressions) scope(v view) scope {
	vars := map[string]any{"records": v.records, "event": v.event}
	for name, objects := range v.objects {
		vars[name] = objects
	}
	variables := map[string]any{}
	vars["variables"] = variables
	for _, variable := range e.variables {
		value, _, err := variable.program.Eval(vars)
		if err != nil {
			continue // whoever uses it gets the error that there is no such key
		}
		variables[variable.name] = value
	}
	return scope{vars}
}

// truth is the value of a condition. One that cannot be evaluated, such as one over a field that is not there yet, is
// not true; the error says why.
func (s scope) truth(program cel.Program) (bool, error) {
	value, err := s.eval(program)
	if err != nil {
		return false, err
	}
	truth, ok := value.(types.Bool)
	if !ok {
		return false, fmt.Errorf("yields %s, not a truth value", value.Type())
	}
	return bool(truth), nil
}

func (s scope) integer(program cel.Program) (int, error) {
	value, err := s.eval(program)
	if err != nil {
		return 0, err
	}
	n, ok := value.(types.Int)
	if !ok {
		return 0, fmt.Errorf("yields %s, not an integer", value.Type())
	}
	return int(n), nil
}

func (s scope) text(program cel.Program) (string, error) {
	value, err := s.eval(program)
	if err != nil {
		return "", err
	}
	text, ok := value.(types.String)
	if !ok {
		return "", fmt.Errorf("yields %s, not a string", value.Type())
	}
	return string(text), nil
}

func (s scope) eval(program cel.Program) (ref.Val, error) {
	value, _, err := program.Eval(s.vars)
	return value, err
}

// variableOrder puts each variable after those that its text mentions; a circle stays in the order of names, and fails
// when it is evaluated.
func variableOrder(variables map[string]string) []string {
	var order []string
	placed := map[string]bool{}
	var place func(name string)
	place = func(name string) {
		if placed[name] {
			return
		}
		placed[name] = true
		for _, other := range slices.Sorted(maps.Keys(variables)) {
			if regexp.MustCompile(`\bvariables\.` + regexp.QuoteMeta(other) + `\b`).MatchString(variables[name]) {
				place(other)
			}
		}
		order = append(order, name)
	}
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		place(name)
	}
	return order
}
