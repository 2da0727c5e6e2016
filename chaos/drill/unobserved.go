package drill

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// checkObserved reports what an operator wrote in its namespace of which nothing would be judged. Events and leader locks tell of the
// operator's work, and are none.
func (d *Definition) checkObserved(run *Recording) error {
	var missing []string
	for _, x := range run.Exchanges {
		if !x.IsWrite() || !x.Committed() || x.Namespace != run.Namespace || x.Resource == "events" || x.LeaderLock {
			continue
		}
		resource := schema.GroupResource{Group: x.Group, Resource: x.Resource}.String()
		if !slices.Contains(d.Observe, resource) && !slices.Contains(missing, resource) {
			missing = append(missing, resource)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	slices.Sort(missing)
	return fmt.Errorf("observe: the operator writes %s, and what becomes of that would not be judged: add it", strings.Join(missing, ", "))
}
