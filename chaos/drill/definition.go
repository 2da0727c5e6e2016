package drill

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"example.com/twinloop/chaos/drills"
	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/zone"
)

// Definition is a drill as it is written down: a scenario, and what must hold while it runs. All expressions are CEL;
// chaos/drills/crash.yaml says which names they see.
type Definition struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	// Like names a drill that comes with the project, whose fields this one has where it gives none of its own.
	Like string `json:"like,omitempty"`
	// Faults are injected at every write, one in each run.
	Faults []Fault `json:"faults"`
	// Observe are the resources that are watched, as plural.group.
	Observe []string `json:"observe"`
	// Zone is the DNS zone that the operator is given a server for; empty for none.
	Zone string `json:"zone,omitempty"`
	// Variables are named expressions.
	Variables map[string]string `json:"variables,omitempty"`
	// Count is an integer that tells how far a step has come.
	Count string `json:"count,omitempty"`
	// Timeout bounds each step; 30 s unless it is given.
	Timeout metav1.Duration `json:"timeout,omitempty"`
	// Scenario is the life that the operator goes through.
	Scenario []Step `json:"scenario"`
	// Invariants must hold after every event.
	Invariants []Invariant `json:"invariants,omitempty"`
}

// Step changes something as a user would and awaits what the operator makes of it.
type Step struct {
	Name string `json:"name"`
	// One of these is what the step does.
	Apply  map[string]any `json:"apply,omitempty"`
	Patch  *Patch         `json:"patch,omitempty"`
	Delete *Target        `json:"delete,omitempty"`
	// Await is true once the step has had its effect. The step ends when it is true and the operator writes no more.
	Await string `json:"await"`
	// Count replaces the definition's.
	Count string `json:"count,omitempty"`
}

// Target is an existing object, by its name or by an expression that yields it.
type Target struct {
	// Resource is one of those observed, as plural.group.
	Resource   string `json:"resource"`
	Object     string `json:"object,omitempty"`
	ObjectFrom string `json:"objectFrom,omitempty"`
}

// Patch is a JSON merge patch (RFC 7396) of an object.
type Patch struct {
	Target `json:",inline"`
	With   map[string]any `json:"with"`
}

// Invariant is an expression that must hold after every event.
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

// Parse reads a definition. Its errors name the field and what it should be.
func Parse(source string, content []byte) (*Definition, error) {
	var d Definition
	if err := d.inherit(content); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	if err := yaml.UnmarshalStrict(content, &d); err != nil {
		return nil, fmt.Errorf("%s: %s", source, oneLine(err))
	}
	if d.Timeout.Duration == 0 {
		d.Timeout.Duration = 30 * time.Second
	}
	if err := d.validate(); err != nil {
		return nil, fmt.Errorf("%s: %w", source, err)
	}
	return &d, nil
}

// inherit fills in the fields of the drill that the content says it is like.
func (d *Definition) inherit(content []byte) error {
	var given struct {
		Like string `json:"like"`
	}
	if err := yaml.Unmarshal(content, &given); err != nil {
		return errors.New(oneLine(err))
	}
	if given.Like == "" {
		return nil
	}
	model, err := drills.Files.ReadFile(given.Like + ".yaml")
	if err != nil {
		return fmt.Errorf("like: unknown drill %q: choose one of %s", given.Like, strings.Join(Names(), ", "))
	}
	return yaml.UnmarshalStrict(model, d)
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
	case len(d.Observe) == 0:
		return errors.New("observe: list the resources to watch, such as pods")
	case len(d.Scenario) == 0:
		return errors.New("scenario: list at least one step")
	case len(d.Faults) == 0:
		return errors.New("faults: list at least one, such as before, after, cut or 500")
	}
	for i, fault := range d.Faults {
		if err := fault.validate(); err != nil {
			return fmt.Errorf("faults[%d]: %w", i, err)
		}
	}
	if d.Zone != "" {
		if err := zone.ValidateName(d.Zone); err != nil {
			return fmt.Errorf("zone: %w", err)
		}
	}
	seen := map[string]bool{}
	for i, step := range d.Scenario {
		field := fmt.Sprintf("scenario[%d]", i)
		switch {
		case step.Name == "" || strings.ContainsAny(step.Name, ":#,"):
			return fmt.Errorf("%s.name: %q must be a name without any of : # and comma", field, step.Name)
		case seen[step.Name]:
			return fmt.Errorf("%s.name: %q is used twice", field, step.Name)
		case step.Await == "":
			return fmt.Errorf("%s.await: say what the step leads to", field)
		}
		seen[step.Name] = true
		if err := step.validate(d.Observe); err != nil {
			return fmt.Errorf("%s.%w", field, err)
		}
	}
	_, err := compile(d)
	return err
}

func (s Step) validate(observed []string) error {
	actions := 0
	for _, given := range []bool{s.Apply != nil, s.Patch != nil, s.Delete != nil} {
		if given {
			actions++
		}
	}
	if actions != 1 {
		return errors.New("apply, patch, delete: give exactly one of them")
	}
	switch {
	case s.Apply != nil:
		return validateManifest(s.Apply)
	case s.Patch != nil:
		return s.Patch.validate("patch", observed)
	case s.Delete != nil:
		return s.Delete.validate("delete", observed)
	}
	return nil
}

func (t Target) validate(field string, observed []string) error {
	switch {
	case !slices.Contains(observed, t.Resource):
		return fmt.Errorf("%s.resource: %q must be one of those under observe", field, t.Resource)
	case (t.Object == "") == (t.ObjectFrom == ""):
		return fmt.Errorf("%s.object, %s.objectFrom: give exactly one of them", field, field)
	}
	return nil
}

// kinds are those that a control plane knows: Kubernetes' own, and Fleets.
var kinds = func() *runtime.Scheme {
	known := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(known))
	utilruntime.Must(v1alpha1.AddToScheme(known))
	return known
}()

// validateManifest checks what no API server needs to be asked about.
func validateManifest(manifest map[string]any) error {
	object := unstructured.Unstructured{Object: manifest}
	switch {
	case !kinds.Recognizes(object.GroupVersionKind()):
		return fmt.Errorf("apply.kind: there is no kind %q of apiVersion %q", object.GetKind(), object.GetAPIVersion())
	case object.GetName() == "":
		return errors.New("apply.metadata.name: give the object one")
	}
	return nil
}

// plural is the name of a resource without its group, which is what expressions call it.
func plural(resource string) string {
	name, _, _ := strings.Cut(resource, ".")
	return name
}
