package drill

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// rest is how an object, o, tells that its operator is done with it: expressions, as far as its definition has fields for
// them.
type rest struct {
	// Seen is true once the status is about the newest generation, Honest while it is about none that is to come.
	Seen, Honest string
	// Ready is what the conditions say, Complete what the numbers of replicas say: all of them are true.
	Ready, Complete []string
	// Wanted is the number of replicas asked for; empty where that is not how many pods there are.
	Wanted string
	// RaisesGeneration is set if a write of the status does, as it does where the status is no subresource: then it can be about
	// no generation that is the newest.
	RaisesGeneration bool
	// Phased is set if there is a status.phase, and Phases are the values that it may have, where the definition lists them.
	Phased bool
	Phases []string
}

// restOf reads a version's schema. The replicas are nil where an object asks for none.
func restOf(version *apiextensionsv1.CustomResourceDefinitionVersion, r *replicas) rest {
	status := property(schemaOf(version), "status")
	seen, honest := generations(status.Properties["observedGeneration"].Type)
	all := rest{Seen: seen, Honest: honest}
	if condition := conditionOf(status); condition != nil {
		all.Ready = readiness(conditionTypes(version))
		if all.Seen == "" && condition.Properties["observedGeneration"].Type == "integer" {
			all.Seen = "o.status.conditions.exists(c, c.observedGeneration == o.metadata.generation)"
		}
	}
	if r != nil {
		all.Complete = completeness(status, r)
		if !r.apart {
			all.Wanted = r.wanted()
		}
	}
	if version.Subresources == nil || version.Subresources.Status == nil {
		all.RaisesGeneration, all.Seen, all.Honest = true, "", ""
	}
	phase := status.Properties["phase"]
	all.Phased = phase.Type == "string"
	for _, value := range phase.Enum {
		all.Phases = append(all.Phases, strings.Trim(string(value.Raw), `"`))
	}
	return all
}

// generations compare the generation that a status is about with the object's. There are statuses that have it as text.
func generations(schemaType string) (seen, honest string) {
	switch schemaType {
	case "integer":
		return "o.status.observedGeneration == o.metadata.generation", "o.status.observedGeneration <= o.metadata.generation"
	case "string":
		return "o.status.observedGeneration == string(o.metadata.generation)", "int(o.status.observedGeneration) <= o.metadata.generation"
	}
	return "", ""
}

// readiness is what conditions say at rest. Of those that tell that all is well it needs the one that there is; of a Ready
// that may or may not be there, that it is not false.
func readiness(known func(conditionType string) bool) []string {
	amiss := []string{"'Reconciling'", "'Stalled'"}
	if known("Degraded") {
		amiss = append(amiss, "'Degraded'")
	}
	none := fmt.Sprintf("!o.status.conditions.exists(c, c.type in [%s] && c.status == 'True')", strings.Join(amiss, ", "))
	for _, well := range []string{"Ready", "Available"} {
		if known(well) {
			return []string{fmt.Sprintf("o.status.conditions.exists(c, c.type == '%s' && c.status == 'True')", well), none}
		}
	}
	return []string{"o.status.conditions.all(c, c.type != 'Ready' || c.status == 'True')", none}
}

// conditionTypes tells the types of conditions that there are. A schema seldom lists them, but its texts name them, and so
// do the columns that a table of the objects has.
func conditionTypes(version *apiextensionsv1.CustomResourceDefinitionVersion) func(conditionType string) bool {
	status := property(schemaOf(version), "status")
	ofType := conditionOf(status).Properties["type"]
	texts := []string{status.Properties["conditions"].Description, ofType.Description}
	for _, value := range ofType.Enum {
		texts = append(texts, string(value.Raw))
	}
	for _, column := range version.AdditionalPrinterColumns {
		if strings.HasPrefix(column.JSONPath, ".status.conditions") {
			texts = append(texts, column.JSONPath)
		}
	}
	return func(conditionType string) bool {
		word := regexp.MustCompile(`\b` + conditionType + `\b`)
		return slices.ContainsFunc(texts, word.MatchString)
	}
}

// conditionOf is the schema of a condition, or nil if the status has none of the form that the API conventions give them.
func conditionOf(status *apiextensionsv1.JSONSchemaProps) *apiextensionsv1.JSONSchemaProps {
	items := status.Properties["conditions"].Items
	if items == nil || items.Schema == nil || items.Schema.Properties["type"].Type != "string" {
		return nil
	}
	return items.Schema
}

// completeness has every number that the status reports be the one that is wanted, as far as it is of the same things.
func completeness(status *apiextensionsv1.JSONSchemaProps, r *replicas) []string {
	var reported []string
	if r.reported != nil {
		reported = append(reported, fieldOf(r.reported))
	}
	usual := []string{"replicas", "updatedReplicas", "readyReplicas", "availableReplicas"}
	if r.apart {
		usual = nil
	}
	for _, field := range usual {
		if of := fieldOf([]string{"status", field}); status.Properties[field].Type == "integer" && !slices.Contains(reported, of) {
			reported = append(reported, of)
		}
	}
	var clauses []string
	for _, number := range reported {
		clauses = append(clauses, number+" == "+r.wanted())
	}
	return clauses
}

// replicas are how many of something an object asks for.
type replicas struct {
	path   []string
	number int64
	// minimum and maximum bound it.
	minimum, maximum int64
	// given is set if the field is there in every object, be it by default.
	given bool
	// reported is where the status says how many there are; nil if that is not known.
	reported []string
	// apart is set if the object has replicas beside those, as one that is scaled by shards: the usual numbers are of them.
	apart bool
}

// The usual places of how many replicas are wanted, and how many there are.
var (
	usualReplicas = []string{"spec", "replicas"}
	usualReported = []string{"status", "replicas"}
)

// replicasOf finds where an object asks for replicas: where its scale subresource says, or in the usual place; nil if it
// does not.
func replicasOf(version *apiextensionsv1.CustomResourceDefinitionVersion, sample *unstructured.Unstructured) *replicas {
	r := &replicas{path: usualReplicas, number: 1, maximum: math.MaxInt32}
	scalable := version.Subresources != nil && version.Subresources.Scale != nil
	if scalable {
		r.path, r.reported = pathOf(version.Subresources.Scale.SpecReplicasPath), pathOf(version.Subresources.Scale.StatusReplicasPath)
	}
	schema := property(schemaOf(version), r.path...)
	r.bound(schema)
	r.apart = scalable && !slices.Equal(r.path, usualReplicas) && !slices.Equal(r.reported, usualReported) &&
		(property(schemaOf(version), usualReplicas...).Type != "" || property(schemaOf(version), usualReported...).Type != "")
	number, given, _ := unstructured.NestedInt64(sample.Object, r.path...)
	switch byDefault := schema.Default; {
	case given:
		r.number, r.given = number, true
	case !scalable:
		return nil
	case byDefault != nil:
		r.given = json.Unmarshal(byDefault.Raw, &r.number) == nil
	}
	return r
}

func (r *replicas) bound(schema *apiextensionsv1.JSONSchemaProps) {
	if schema.Minimum != nil {
		r.minimum = int64(math.Ceil(*schema.Minimum))
		if schema.ExclusiveMinimum && float64(r.minimum) == *schema.Minimum {
			r.minimum++
		}
	}
	if schema.Maximum != nil {
		r.maximum = int64(math.Floor(*schema.Maximum))
		if schema.ExclusiveMaximum && float64(r.maximum) == *schema.Maximum {
			r.maximum--
		}
	}
}

// another is a number to scale to: up by 2, or by as much as there is room for, or else down by 1; the same number where it is
// the only one.
func (r *replicas) another() int64 {
	if up := min(r.number+2, r.maximum); up > r.number {
		return up
	}
	return max(r.number-1, r.minimum)
}

func (r *replicas) wanted() string {
	if r.given {
		return fieldOf(r.path)
	}
	last := len(r.path) - 1
	return fmt.Sprintf("%s[?'%s'].orValue(1)", fieldOf(r.path[:last]), r.path[last])
}

// pathOf are the fields of a path such as .spec.replicas.
func pathOf(path string) []string { return strings.Split(strings.TrimPrefix(path, "."), ".") }

var identifier = regexp.MustCompile(`^[_a-zA-Z][_a-zA-Z0-9]*$`)

// fieldOf is a field of the object o, as CEL has it.
func fieldOf(path []string) string {
	text := "o"
	for _, field := range path {
		if identifier.MatchString(field) {
			text += "." + field
		} else {
			text += "['" + field + "']"
		}
	}
	return text
}

func schemaOf(version *apiextensionsv1.CustomResourceDefinitionVersion) *apiextensionsv1.JSONSchemaProps {
	if version.Schema == nil || version.Schema.OpenAPIV3Schema == nil {
		return &apiextensionsv1.JSONSchemaProps{}
	}
	return version.Schema.OpenAPIV3Schema
}

// property is the schema of a field; an empty one where there is no such field.
func property(schema *apiextensionsv1.JSONSchemaProps, path ...string) *apiextensionsv1.JSONSchemaProps {
	for _, field := range path {
		next := schema.Properties[field]
		schema = &next
	}
	return schema
}
