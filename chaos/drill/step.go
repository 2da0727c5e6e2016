package drill

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Step changes something, as a user would or as a fault does, and awaits what the operator makes of it.
type Step struct {
	Name string `json:"name"`
	// At most one of those that follow is what the step does; a step of none only waits. As a user:
	Apply map[string]any `json:"apply,omitempty"`
	// NameFrom is an expression that yields the name of what is applied, where the manifest has none.
	NameFrom        string  `json:"nameFrom,omitempty"`
	Patch           *Patch  `json:"patch,omitempty"`
	Delete          *Target `json:"delete,omitempty"`
	DeleteNamespace bool    `json:"deleteNamespace,omitempty"`
	// As a fault, in cases only:
	Disturbance `json:",inline"`

	// Await is true once the step has had its effect. The step ends when it is true and the operator writes no more; without
	// it, at once.
	Await string `json:"await,omitempty"`
	// Busy ends the step though the operator still writes.
	Busy bool `json:"busy,omitempty"`
	// For is how long the step lasts at the least.
	For metav1.Duration `json:"for,omitempty"`
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
	// Subresource is what is patched of it, such as status; the object itself if it is empty.
	Subresource string         `json:"subresource,omitempty"`
	With        map[string]any `json:"with"`
}

// validateSteps checks the steps of a scenario, each of which has a field that is named in errors. Each must await something if all must.
func validateSteps(fieldOf func(i int) string, steps []Step, observed []string, cases bool) error {
	seen := map[string]bool{}
	for i, step := range steps {
		field := fieldOf(i)
		switch {
		case step.Name == "" || strings.ContainsAny(step.Name, ":#,;"):
			return fmt.Errorf("%s.name: %q must be a name without any of : # ; and comma", field, step.Name)
		case strings.HasSuffix(step.Name, again):
			return fmt.Errorf("%s.name: %q must not end in%s, which is what a step is called after a restart", field, step.Name, again)
		case step.Name == listening:
			return fmt.Errorf("%s.name: %q is what the time is called in which nothing must happen", field, step.Name)
		case seen[step.Name]:
			return fmt.Errorf("%s.name: %q is used twice", field, step.Name)
		case step.Await == "" && !cases:
			return fmt.Errorf("%s.await: say what the step leads to", field)
		}
		seen[step.Name] = true
		if err := step.validate(observed, cases); err != nil {
			return fmt.Errorf("%s.%w", field, err)
		}
	}
	return nil
}

func (s Step) validate(observed []string, inCase bool) error {
	asUser := count(s.Apply != nil, s.Patch != nil, s.Delete != nil, s.DeleteNamespace)
	disturbing := s.Disturbance.count()
	switch {
	case s.For.Duration < 0:
		return fmt.Errorf("for: must be a time such as 5s, not %s", s.For.Duration)
	case disturbing > 0 && !inCase:
		return errors.New("name: this step disturbs the operator, which only the steps of cases do")
	case asUser+disturbing > 1 && inCase:
		return errors.New("name: this step does several things: have each done by a step of its own")
	case asUser+disturbing > 1 || asUser == 0 && !inCase:
		return errors.New("apply, patch, delete: give exactly one of them")
	case asUser+disturbing == 0 && s.Await == "" && s.For.Duration == 0:
		return errors.New("name: a step that does nothing must wait: give await or for")
	}
	switch {
	case s.Apply != nil:
		return validateManifest(s.Apply, s.NameFrom)
	case s.Patch != nil:
		return s.Patch.validate("patch", observed)
	case s.Delete != nil:
		return s.Delete.validate("delete", observed)
	}
	return s.Disturbance.validate(observed)
}

// count is how many are true.
func count(given ...bool) int {
	n := 0
	for _, is := range given {
		if is {
			n++
		}
	}
	return n
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

// kinds are those that every control plane here knows: Kubernetes' own, and Fleets. Others have a definition of their own.
var kinds = func() *runtime.Scheme {
	known := runtime.NewScheme()
	utilruntime.Must(scheme.AddToScheme(known))
	utilruntime.Must(v1alpha1.AddToScheme(known))
	return known
}()

// validateManifest checks what no API server needs to be asked about.
func validateManifest(manifest map[string]any, nameFrom string) error {
	object := unstructured.Unstructured{Object: manifest}
	switch {
	case object.GetAPIVersion() == "":
		return errors.New("apply.apiVersion: give the object one, such as apps/v1")
	case object.GetKind() == "":
		return errors.New("apply.kind: give the object one, such as Deployment")
	case kinds.IsGroupRegistered(object.GroupVersionKind().Group) && !kinds.Recognizes(object.GroupVersionKind()):
		return fmt.Errorf("apply.kind: there is no kind %q of apiVersion %q", object.GetKind(), object.GetAPIVersion())
	case object.GetNamespace() != "":
		return errors.New("apply.metadata.namespace: leave it out: each run has a namespace of its own")
	case (object.GetName() == "") == (nameFrom == ""):
		return errors.New("apply.metadata.name, nameFrom: give exactly one of them")
	}
	return nil
}

// CheckKinds reports a step that applies an object of a group that custom resources are defined in, but of a kind that none of them
// has.
func (d *Definition) CheckKinds(defined []*apiextensionsv1.CustomResourceDefinition) error {
	if err := checkKinds(indexed("scenario"), d.Scenario, defined); err != nil {
		return err
	}
	for i, c := range d.Cases {
		if err := checkKinds(d.stepFields(fmt.Sprintf("cases[%d]", i)), d.steps(c), defined); err != nil {
			return err
		}
	}
	return nil
}

func checkKinds(fieldOf func(i int) string, steps []Step, defined []*apiextensionsv1.CustomResourceDefinition) error {
	for i, step := range steps {
		object := unstructured.Unstructured{Object: step.Apply}
		kind := object.GroupVersionKind()
		var known []string
		for _, definition := range defined {
			if definition.Spec.Group == kind.Group {
				known = append(known, definition.Spec.Names.Kind)
			}
		}
		if len(known) > 0 && !slices.Contains(known, kind.Kind) {
			return fmt.Errorf("%s.apply.kind: there is no kind %q of group %s, only %s", fieldOf(i), kind.Kind, kind.Group, strings.Join(known, ", "))
		}
	}
	return nil
}
