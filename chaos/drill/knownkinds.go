package drill

import "k8s.io/apimachinery/pkg/runtime/schema"

// knownKinds are those of the resources that are observed, as the API server knows them, and their plurals.
type knownKinds map[schema.GroupKind]string

// include reports whether the objects of an owner's kind are among those seen: of others nothing can be said.
func (k knownKinds) include(owner map[string]any) bool {
	apiVersion, _ := owner["apiVersion"].(string)
	kind, _ := owner["kind"].(string)
	_, observed := k[schema.FromAPIVersionAndKind(apiVersion, kind).GroupKind()]
	return observed
}
