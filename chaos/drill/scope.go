package drill

import (
	"errors"
	"fmt"
	"maps"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
)

// view is what expressions see.
type view struct {
	objects map[string][]any // by plural, for every resource observed
	kinds   knownKinds
	records []any
	event   map[string]any // for invariants only
	history history
}

// history is what happened in a run so far. Each part is made only for an expression that asks for it.
type history struct {
	requests     func() []any
	events       func() []any
	delivered    func() map[string]string
	leaders      func() []int
	measures     map[string]int
	formerWrites []any
}

// scope is a view with the variables evaluated.
type scope struct {
	vars map[string]any
	// failed has, for each variable that vars lack since it cannot be evaluated, why.
	failed map[string]any
}

// unevaluated is why an expression cannot be evaluated: for a reason of its own, and not for that of a variable that it uses.
type unevaluated struct {
	what   string
	reason error
}

func (u *unevaluated) Error() string {
	return fmt.Sprintf("%s cannot be evaluated: %v", u.what, u.reason)
}

// rootOf is why an expression cannot be evaluated, or the variable among those that it uses that cannot.
func rootOf(what string, err error) *unevaluated {
	var variable *unevaluated
	if errors.As(err, &variable) {
		return variable
	}
	return &unevaluated{what, err}
}

func (e *expressions) scope(v view) scope {
	vars := map[string]any{
		"records": v.records, "event": v.event, "lease": e.lease,
		"measures": v.history.measures, "formerWrites": v.history.formerWrites,
		"requests":  lazily(v.history.requests),
		"events":    lazily(v.history.events),
		"delivered": lazily(v.history.delivered),
		"leaders":   lazily(v.history.leaders),
	}
	for name, objects := range v.objects {
		vars[name] = objects
	}
	s, variables := scope{vars, map[string]any{}}, map[string]any{}
	s.vars["variables"] = variables
	for _, variable := range e.variables {
		value, err := s.eval(variable.program)
		if err != nil {
			s.failed[variable.name] = types.WrapErr(rootOf("variables."+variable.name, err))
			continue
		}
		variables[variable.name] = value
	}
	return s
}

// amiss are the variables that are false or cannot be evaluated, a line each, but for those that only use one that cannot.
func (e *expressions) amiss(v view) []string {
	seen := e.scope(v)
	var lines []string
	for _, variable := range e.variables {
		name := "variables." + variable.name
		switch value, err := seen.eval(variable.program); {
		case err != nil:
			if root := rootOf(name, err); root.what == name {
				lines = append(lines, root.Error())
			}
		case value == types.False:
			lines = append(lines, name+" is false")
		}
	}
	return lines
}

// lazily is a value that CEL asks for when it needs it; empty without a source.
func lazily[T any](source func() T) func() any {
	return func() any {
		if source == nil {
			var empty T
			return empty
		}
		return source()
	}
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

func (s scope) number(program cel.Program) (float64, error) {
	value, err := s.eval(program)
	if err != nil {
		return 0, err
	}
	n, ok := value.(types.Double)
	if !ok {
		return 0, fmt.Errorf("yields %s, not a number", value.Type())
	}
	return float64(n), nil
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

// eval fails, where a variable is used that cannot be evaluated, for its reason, and not since there is no such key.
func (s scope) eval(program cel.Program) (ref.Val, error) {
	value, _, err := program.Eval(s.vars)
	if err == nil {
		return value, nil
	}
	if len(s.failed) == 0 {
		return nil, err
	}
	reasons := maps.Clone(s.vars)
	variables := maps.Clone(s.vars["variables"].(map[string]any))
	maps.Copy(variables, s.failed)
	reasons["variables"] = variables
	if _, _, reason := program.Eval(reasons); reason != nil {
		err = reason
	}
	return nil, err
}
