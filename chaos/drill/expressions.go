package drill

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"
)

// expressions are a definition's, compiled.
type expressions struct {
	lease      map[string]any
	variables  []named // each after those that it uses
	scenario   script
	cases      map[string]compiledCase
	measures   []named
	invariants []named
}

// script is a scenario whose expressions are compiled.
type script []scripted

type scripted struct {
	Step
	await, count, object cel.Program // nil where the step has none
}

type compiledCase struct {
	script
	handOverFrom, handOverTo cel.Program
	expect                   []named
}

type named struct {
	name, text string
	program    cel.Program
}

// compiling is held by whoever compiles: CEL's parser keeps tables that it shares without a lock.
var compiling sync.Mutex

func compile(d *Definition) (*expressions, error) {
	compiling.Lock()
	defer compiling.Unlock()
	c, err := newCompiler(d)
	if err != nil {
		return nil, err
	}
	compiled := &expressions{cases: map[string]compiledCase{}}
	if d.Lease != nil {
		compiled.lease = d.Lease.values()
	}
	order, err := variableOrder(c.usesOf(d.Variables))
	if err != nil {
		return nil, err
	}
	for _, name := range order {
		compiled.variables = append(compiled.variables, c.named("variables."+name, name, d.Variables[name], nil))
	}
	compiled.scenario = c.script(indexed("scenario"), d.Scenario, d.Count)
	for i, measure := range d.Measures {
		compiled.measures = append(compiled.measures, c.named(fmt.Sprintf("measures[%d].value", i), measure.Name, measure.Value, cel.IntType))
	}
	for i, invariant := range d.Invariants {
		compiled.invariants = append(compiled.invariants, c.invariant(fmt.Sprintf("invariants[%d]", i), invariant))
	}
	for i, definition := range d.Cases {
		compiled.cases[definition.Name] = c.compileCase(fmt.Sprintf("cases[%d]", i), d, definition)
	}
	return compiled, c.err
}

// compiler keeps the first error, so that its calls read as a list.
type compiler struct {
	env     *cel.Env
	names   []string            // those of the resources, and then what else there is
	members map[string][]string // of the names that are maps whose keys are known
	err     error
}

func newCompiler(d *Definition) (*compiler, error) {
	options := []cel.EnvOption{cel.OptionalTypes(), ext.Strings(), ext.Lists(), ext.Sets(), ext.Math()}
	names := map[string]*cel.Type{
		"variables":    cel.MapType(cel.StringType, cel.DynType),
		"records":      cel.ListType(cel.DynType),
		"event":        cel.MapType(cel.StringType, cel.DynType),
		"events":       cel.ListType(cel.DynType),
		"requests":     cel.ListType(cel.DynType),
		"delivered":    cel.MapType(cel.StringType, cel.StringType),
		"leaders":      cel.ListType(cel.IntType),
		"measures":     cel.MapType(cel.StringType, cel.IntType),
		"lease":        cel.MapType(cel.StringType, cel.DoubleType),
		"formerWrites": cel.ListType(cel.DynType),
	}
	own := slices.Sorted(maps.Keys(names))
	var plurals []string
	for i, resource := range d.Observe {
		name := plural(resource)
		switch {
		case len(validation.IsDNS1123Subdomain(resource)) > 0:
			return nil, fmt.Errorf("observe[%d]: %q: give the plural in lower case, as kubectl api-resources lists it", i, resource)
		case slices.Contains(d.Observe[:i], resource):
			return nil, fmt.Errorf("observe[%d]: %s is listed twice", i, resource)
		case names[name] != nil:
			return nil, fmt.Errorf("observe[%d]: %s cannot be observed: expressions call something else %s", i, resource, name)
		}
		names[name] = cel.ListType(cel.DynType)
		plurals = append(plurals, name)
	}
	for name, kind := range names {
		options = append(options, cel.Variable(name, kind))
	}
	env, err := cel.NewEnv(options...)
	if err != nil {
		return nil, fmt.Errorf("observe: %w", err)
	}
	var measures []string
	for _, measure := range d.Measures {
		measures = append(measures, measure.Name)
	}
	return &compiler{env: env, names: append(plurals, own...), members: map[string][]string{
		"variables": slices.Sorted(maps.Keys(d.Variables)),
		"event":     slices.Sorted(maps.Keys(eventValue(Event{Object: &unstructured.Unstructured{}}, nil))),
		"measures":  measures,
		"lease":     slices.Sorted(maps.Keys(defaultLease.values())),
	}}, nil
}

func (c *compiler) script(fieldOf func(i int) string, steps []Step, defaultCount string) script {
	var compiled script
	for i, step := range steps {
		field := fieldOf(i)
		countField := field + ".count"
		if step.Count == "" {
			countField = "count"
		}
		compiled = append(compiled, scripted{
			Step:   step,
			await:  c.optional(field+".await", step.Await, cel.BoolType),
			count:  c.optional(countField, cmp.Or(step.Count, defaultCount), cel.IntType),
			object: c.optional(field+"."+step.objectFrom().field, step.objectFrom().text, cel.StringType),
		})
	}
	return compiled
}

func (c *compiler) compileCase(field string, d *Definition, definition Case) compiledCase {
	compiled := compiledCase{script: c.script(d.stepFields(field), d.steps(definition), d.Count)}
	for i, expected := range definition.Expect {
		compiled.expect = append(compiled.expect, c.invariant(fmt.Sprintf("%s.expect[%d]", field, i), expected))
	}
	if h := definition.HandOver; h != nil {
		compiled.handOverFrom = c.compile(field+".handOver.from", h.From, cel.DoubleType)
		compiled.handOverTo = c.compile(field+".handOver.to", h.To, cel.DoubleType)
	}
	return compiled
}

func (c *compiler) invariant(field string, i Invariant) named {
	return c.named(field+".holds", i.Name, i.Holds, cel.BoolType)
}

func (c *compiler) named(field, name, text string, want *cel.Type) named {
	return named{name, text, c.compile(field, text, want)}
}

// optional is nil for an expression that is not given.
func (c *compiler) optional(field, text string, want *cel.Type) cel.Program {
	if text == "" {
		return nil
	}
	return c.compile(field, text, want)
}

func (c *compiler) compile(field, text string, want *cel.Type) cel.Program {
	if c.err != nil {
		return nil
	}
	if strings.TrimSpace(text) == "" {
		c.err = fmt.Errorf("%s: give an expression", field)
		return nil
	}
	checked, issues := c.env.Compile(text)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		c.err = fmt.Errorf("%s: line %d, column %d: %s", field, first.Location.Line(), first.Location.Column()+1, c.explained(text, first.Message))
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

var undeclared = regexp.MustCompile(`^undeclared reference to '(\w+)'`)

// explained is what CEL says of an expression; of a name that there is not, with those that there are.
func (c *compiler) explained(text, message string) string {
	found := undeclared.FindStringSubmatch(message)
	if found == nil {
		return message
	}
	if regexp.MustCompile(`\b` + found[1] + `\s*\(`).MatchString(text) {
		return found[0] + ": there is no such function"
	}
	return fmt.Sprintf("%s: name one of %s, or list it under observe", found[0], strings.Join(c.names, ", "))
}

// checkMembers reports a member that is selected of a name, as in lease.duration or measures['so many'], and that it does not
// have, which CEL itself would find only when it evaluates the expression.
func (c *compiler) checkMembers(checked *ast.AST) error {
	var failure error
	ast.PreOrderVisit(checked.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		of, member := selection(e)
		if of == nil || of.Kind() != ast.IdentKind {
			return
		}
		name := of.AsIdent()
		members, known := c.members[name]
		if known && failure == nil && !slices.Contains(members, member) {
			failure = fmt.Errorf("there is no %s.%s, only %s", name, member, strings.Join(members, ", "))
		}
	}))
	return failure
}

// selection is what an expression selects a member of, and which; nil for any other expression.
func selection(e ast.Expr) (of ast.Expr, member string) {
	switch e.Kind() {
	case ast.SelectKind:
		return e.AsSelect().Operand(), e.AsSelect().FieldName()
	case ast.CallKind:
		if args := e.AsCall().Args(); e.AsCall().FunctionName() == operators.Index && args[1].Kind() == ast.LiteralKind {
			member, ok := args[1].AsLiteral().Value().(string)
			if ok {
				return args[0], member
			}
		}
	}
	return nil, ""
}

// fromField is an expression and the field that it stands in.
type fromField struct{ field, text string }

// objectFrom is the expression that names the step's object, if one does.
func (s Step) objectFrom() fromField {
	switch {
	case s.Apply != nil:
		return fromField{"nameFrom", s.NameFrom}
	case s.Patch != nil:
		return fromField{"patch.objectFrom", s.Patch.ObjectFrom}
	case s.Delete != nil:
		return fromField{"delete.objectFrom", s.Delete.ObjectFrom}
	}
	return fromField{}
}

// usesOf is which variables each of them uses.
func (c *compiler) usesOf(variables map[string]string) map[string][]string {
	uses := map[string][]string{}
	for name, text := range variables {
		uses[name] = nil
		parsed, issues := c.env.Parse(text)
		if issues.Err() != nil {
			continue // compiling it tells
		}
		ast.PreOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
			of, member := selection(e)
			if of != nil && of.Kind() == ast.IdentKind && of.AsIdent() == "variables" {
				uses[name] = append(uses[name], member)
			}
		}))
	}
	return uses
}

// variableOrder puts each variable after those that it uses, or names a circle.
func variableOrder(uses map[string][]string) ([]string, error) {
	var order, through []string
	var place func(name string) error
	place = func(name string) error {
		if i := slices.Index(through, name); i >= 0 {
			return fmt.Errorf("variables: %s: one of them must do without the next", strings.Join(append(through[i:], name), " -> "))
		}
		if _, known := uses[name]; !known || slices.Contains(order, name) {
			return nil
		}
		through = append(through, name)
		for _, used := range uses[name] {
			if err := place(used); err != nil {
				return err
			}
		}
		through = through[:len(through)-1]
		order = append(order, name)
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(uses)) {
		if err := place(name); err != nil {
			return nil, err
		}
	}
	return order, nil
}
