package drill

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"

	"example.com/twinloop/chaos/drills"
	"example.com/twinloop/shared/zone"
)

// Definition is a drill as it is written down: a scenario, what is done to the operator meanwhile, and what must hold. All
// expressions are CEL; the files in chaos/drills say which names they see.
type Definition struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Source is the file that it was read from.
	Source string `json:"-"`
	// Renamed says of each old name in it which one to write.
	Renamed []string `json:"-"`
	// Like names a drill that comes with the project, whose fields this one has where it gives none of its own.
	Like string `json:"like,omitempty"`
	// Operator says how to start the operator, in a file that is about one.
	Operator *Operator `json:"operator,omitempty"`
	// Observe are the resources that are watched, as plural.group.
	Observe []string `json:"observe"`
	// Ignore are fields that may differ between two runs that came to the same state, such as status.conditions[*].message.
	Ignore []Ignored `json:"ignore,omitempty"`
	// Zone is the DNS zone that the operator is given a server for; empty for none.
	Zone string `json:"zone,omitempty"`
	// Variables are named expressions.
	Variables map[string]string `json:"variables,omitempty"`
	// Count is an integer that tells how far a step has come.
	Count string `json:"count,omitempty"`
	// Timeout bounds each step; 30 s unless it is given.
	Timeout metav1.Duration `json:"timeout,omitempty"`
	// Scenario is the life that the operator goes through. Faults and Silence are about it.
	Scenario []Step `json:"scenario,omitempty"`
	// Faults, Silence and Cases say what is done; at least one of them.
	Plan `json:",inline"`
	// Invariants must hold after every event.
	Invariants []Invariant `json:"invariants,omitempty"`
}

// Plan is what is done to the operator, a run for each point of it.
type Plan struct {
	// Faults are injected at every write, one in each run.
	Faults []Fault `json:"faults,omitempty"`
	// Pairs is how many points there are besides at which an operator that was killed once is killed again before it has
	// recovered. They are drawn from all there are.
	Pairs int `json:"pairs,omitempty"`
	// Silence is how long the operator is listened to after each step: it must neither write nor list.
	Silence metav1.Duration `json:"silence,omitempty"`
	// Cases are scenarios of their own, each after Setup.
	Setup []Step `json:"setup,omitempty"`
	Cases []Case `json:"cases,omitempty"`
	// Measures are integers that are reported for each case.
	Measures []Measure `json:"measures,omitempty"`
	// Lease is what the operator's replicas are told of leader election: client-go's defaults unless it is given.
	Lease *Lease `json:"lease,omitempty"`
}

// Invariant is an expression that must hold.
type Invariant struct {
	Name  string `json:"name"`
	Holds string `json:"holds"`
}

// Load reads a definition: one that comes with the project, by its name, or a file.
func Load(nameOrFile string) (*Definition, error) {
	if strings.ContainsAny(nameOrFile, "/.") {
		content, err := os.ReadFile(nameOrFile)
		if err != nil {
			return nil, fmt.Errorf("drill file: %w", err)
		}
		return Parse(nameOrFile, content)
	}
	content, err := drills.Files.ReadFile(nameOrFile + ".yaml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("unknown drill %q: choose one of %s, or give a file", nameOrFile, strings.Join(Names(), ", "))
	}
	if err != nil {
		return nil, err
	}
	return Parse(nameOrFile, content)
}

// Names lists the drills that come with the project.
func Names() []string {
	entries, err := drills.Files.ReadDir(".")
	if err != nil {
		panic(err) // an embedded folder can be read
	}
	var names []string
	for _, entry := range entries {
		names = append(names, strings.TrimSuffix(entry.Name(), ".yaml"))
	}
	return names
}

// Describe is what a drill that comes with the project says of itself. It reads no more of it.
func Describe(name string) string {
	var described struct {
		Description string `json:"description"`
	}
	content, err := drills.Files.ReadFile(name + ".yaml")
	if err == nil {
		err = yaml.Unmarshal(content, &described)
	}
	if err != nil {
		panic(err) // a test loads each of them
	}
	return described.Description
}

// LoadFor reads a drill that comes with the project, by its name, to be held with the operator and the scenario of a file: what is
// done to the operator is the drill's, all else the file's.
func LoadFor(name, file string) (*Definition, error) {
	model, err := Load(name)
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("drill file: %w", err)
	}
	fields, err := fieldsOf(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if fields == nil {
		return nil, fmt.Errorf("%s: it is empty: 'twinloop drill init' writes a first version", file)
	}
	onlyCases := len(model.Faults) == 0 && model.Silence.Duration == 0
	if onlyCases && fields["cases"] == nil {
		return nil, fmt.Errorf("%s: cases: those of the drill %s are about a Fleet: write some of your own, after chaos/drills/%s.yaml",
			file, name, name)
	}
	if !onlyCases {
		for _, ofCases := range []string{"cases", "setup", "measures"} {
			delete(fields, ofCases)
		}
		fields["faults"], fields["pairs"], fields["silence"] = model.Faults, model.Pairs, model.Silence
	}
	fields["name"] = model.Name
	d, err := newDefinition(fields)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if d.Operator == nil {
		return nil, fmt.Errorf("%s: operator: say how to start it: give at least name and command", file)
	}
	d.Source = file
	return d, nil
}

// Parse reads a definition. Its errors name the field and what it should be.
func Parse(source string, content []byte) (*Definition, error) {
	fields, err := fieldsOf(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	d, err := newDefinition(fields)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	d.Source = source
	return d, nil
}

// newDefinition is the definition of some fields, complete and checked.
func newDefinition(fields map[string]any) (*Definition, error) {
	content, err := json.Marshal(fields)
	if err != nil {
		return nil, err
	}
	var d Definition
	strict, err := kjson.UnmarshalStrict(content, &d)
	if err := cmp.Or(err, errors.Join(strict...)); err != nil {
		return nil, errors.New(oneLine(err))
	}
	d.complete()
	d.Renamed = d.renameOracles()
	if fields["timeout"] == nil {
		d.Timeout.Duration = 30 * time.Second
	}
	return &d, d.validate()
}

// fieldsOf are the fields of a file, and of the drill that it is like those that it does not have itself. Of the kinds of plan
// there is only one, and variables add up.
func fieldsOf(content []byte) (map[string]any, error) {
	fields, err := decodeFields(content)
	if err != nil {
		return nil, err
	}
	like, ok := fields["like"].(string)
	if !ok {
		return fields, nil
	}
	model, err := drills.Files.ReadFile(like + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("like: unknown drill %q: choose one of %s", like, strings.Join(Names(), ", "))
	}
	inherited, err := fieldsOf(model)
	if err != nil {
		return nil, err
	}
	if fields["faults"] != nil || fields["silence"] != nil || fields["cases"] != nil {
		for _, plan := range []string{"faults", "pairs", "silence", "cases", "setup", "measures", "lease"} {
			delete(inherited, plan)
		}
	}
	if fields["faults"] == nil && fields["silence"] == nil && fields["cases"] != nil {
		delete(inherited, "scenario")
	}
	if variables, ok := inherited["variables"].(map[string]any); ok {
		if own, ok := fields["variables"].(map[string]any); ok || fields["variables"] == nil {
			maps.Copy(variables, own)
			fields["variables"] = variables
		}
	}
	maps.Copy(inherited, fields)
	return inherited, nil
}

// oneLine is what the decoder says without the layers that it says it through.
func oneLine(err error) string {
	line := strings.Join(strings.Fields(err.Error()), " ")
	for _, layer := range []string{
		"error converting YAML to JSON: ", "error unmarshaling JSON: ", "while decoding JSON: ", "json: ", "yaml: ",
		"unmarshal errors: ",
	} {
		line = strings.TrimPrefix(line, layer)
	}
	return line
}

func (d *Definition) validate() error {
	switch {
	case d.Name == "":
		return errors.New("name: give the drill one")
	case !fitsNamespace(d.Name):
		return fmt.Errorf("name: %q must be %s", d.Name, namespacePart)
	case d.Timeout.Duration < shortestTimeout:
		return fmt.Errorf("timeout: must be at least %s, such as 30s, not %s", shortestTimeout, d.Timeout.Duration)
	case d.Silence.Duration < 0:
		return fmt.Errorf("silence: must be a time such as 10s, not %s", d.Silence.Duration)
	case len(d.Observe) == 0:
		return errors.New("observe: list the resources to watch, such as pods")
	case len(d.Faults) == 0 && d.Silence.Duration == 0 && len(d.Cases) == 0:
		return errors.New("faults, silence, cases: give at least one of them, such as faults: [before, after]")
	case d.Pairs < 0 || d.Pairs > 0 && !slices.Contains(d.Faults, Before) && !slices.Contains(d.Faults, After):
		return errors.New("pairs: they are of kills: give a number from 1, and before or after among the faults")
	case len(d.Cases) == 0 && len(d.Setup)+len(d.Measures) > 0:
		return errors.New("setup, measures: they are of cases, and there are none")
	case (len(d.Faults) > 0 || d.Silence.Duration > 0) && len(d.Scenario) == 0:
		return errors.New("scenario: list at least one step")
	}
	for i, fault := range d.Faults {
		if err := fault.validate(); err != nil {
			return fmt.Errorf("faults[%d]: %w", i, err)
		}
	}
	for i, ignored := range d.Ignore {
		if err := ignored.validate(d.Observe); err != nil {
			return fmt.Errorf("ignore[%d]: %w", i, err)
		}
	}
	if d.Zone != "" {
		if err := zone.ValidateName(d.Zone); err != nil {
			return fmt.Errorf("zone: %w", err)
		}
	}
	if err := validateSteps(indexed("scenario"), d.Scenario, d.Observe, false); err != nil {
		return err
	}
	if err := checkNames("invariants", d.Invariants, func(i Invariant) string { return i.Name }); err != nil {
		return err
	}
	if err := checkNames("measures", d.Measures, func(m Measure) string { return m.Name }); err != nil {
		return err
	}
	if err := d.validateCases(); err != nil {
		return err
	}
	if d.Operator != nil {
		if err := d.Operator.validate(); err != nil {
			return fmt.Errorf("operator.%w", err)
		}
	}
	_, err := compile(d)
	return err
}

// stepNames returns the names of the scenario's steps, in their order.
func (d *Definition) stepNames() []string {
	var names []string
	for _, step := range d.Scenario {
		names = append(names, step.Name)
	}
	return names
}

// shortestTimeout leaves a step the time that it takes to see that an operator is at rest, several times over; see quiet.
const shortestTimeout = time.Second

// longestName leaves room in the name of a namespace, a label of at most 63 characters (RFC 1123), for what tells the runs apart.
const longestName = 40

// namespacePart is what a name must be that is part of one.
var namespacePart = fmt.Sprintf("lower-case letters and digits, with dashes between them, at most %d characters", longestName)

func fitsNamespace(name string) bool {
	return len(name) <= longestName && len(validation.IsDNS1123Label(name)) == 0
}

// checkNames reports one of a list that has no name, or that of another.
func checkNames[T any](field string, all []T, name func(T) string) error {
	seen := map[string]bool{}
	for i, one := range all {
		switch name := name(one); {
		case name == "":
			return fmt.Errorf("%s[%d].name: give it one", field, i)
		case seen[name]:
			return fmt.Errorf("%s[%d].name: %q is used twice", field, i, name)
		default:
			seen[name] = true
		}
	}
	return nil
}

// indexed names the elements of a list.
func indexed(list string) func(i int) string {
	return func(i int) string { return fmt.Sprintf("%s[%d]", list, i) }
}

// plural is the name of a resource without its group, which is what expressions call it.
func plural(resource string) string {
	name, _, _ := strings.Cut(resource, ".")
	return name
}
