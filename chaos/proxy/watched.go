package proxy

import (
	"net/url"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Watched is what a watch brings: the events of a resource, or those of one object.
type Watched struct {
	// Resource is the plural name, such as pods; the group is left out, as in a [Kind].
	Resource string
	// Name is that of one object, in whichever namespace; empty for all objects of the resource.
	Name string
}

// covers tells whether w stands for an event of the named object.
func (w Watched) covers(resource, name string) bool {
	return w.Resource == resource && (w.Name == "" || w.Name == name)
}

func anyCovers(set map[Watched]struct{}, resource, name string) bool {
	for w := range set {
		if w.covers(resource, name) {
			return true
		}
	}
	return false
}

// touches tells whether any of a set is about the resource, whole or in part.
func touches(set map[Watched]struct{}, resource string) bool {
	for w := range set {
		if w.Resource == resource {
			return true
		}
	}
	return false
}

// requireFrames stops a drill whose condition would silently have no effect.
func (p *Proxy) requireFrames(verb string) {
	if !p.options.ReadFrames {
		panic("proxy: " + verb + " needs Options.ReadFrames")
	}
}

// isCachedList tells whether a LIST may be answered from the API server's watch cache, which may lag behind: it names a
// version, and neither as the exact one nor, which means the same, with a limit.
// See k8s.io/apiserver@v0.37.2/pkg/storage/cacher/delegator/interface.go:38#ShouldDelegateList.
func isCachedList(r Request, query url.Values) bool {
	version, match := query.Get("resourceVersion"), metav1.ResourceVersionMatch(query.Get("resourceVersionMatch"))
	exact := match == metav1.ResourceVersionMatchExact ||
		match == "" && query.Get("limit") != "" && query.Get("limit") != "0" && version != "0"
	return r.Verb == "list" && version != "" && query.Get("continue") == "" && !exact
}

// isWatchList tells whether a watch asks for the state as it is before it asks for changes.
func isWatchList(r Request, query url.Values) bool {
	return r.Verb == "watch" && slices.Contains([]string{"true", "1"}, query.Get("sendInitialEvents"))
}

// older tells whether version a is known to be from before version b. Empty and malformed ones are not known to be.
func older(a, b string) bool {
	order, err := resourceversion.CompareResourceVersion(a, b)
	return err == nil && order < 0
}
