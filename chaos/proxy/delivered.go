package proxy

import (
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/resourceversion"
)

// Delivered is the version of an object that the operator has been told last: the resourceVersion of the newest event of
// it that a watch passed on to the process that lives now. It is empty if none has, and never without
// [Options.ReadFrames]. What came with a LIST is not counted. Of objects of that name in several namespaces it is the
// newest of any.
func (p *Proxy) Delivered(resource, name string) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.life.delivered[Watched{resource, name}]
}

// Changes is closed when a request next arrives, is answered or ends, or a watch event is passed on. To wait for one, take it first and then look:
//
//	for {
//		changes := p.Changes()
//		if p.Delivered("pods", "web") == version {
//			return
//		}
//		<-changes
//	}
func (p *Proxy) Changes() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.changed
}

// deliver notes the version of an object that a watch has passed on.
func (l *life) deliver(object Watched, version string) {
	if order, err := resourceversion.CompareResourceVersion(version, l.delivered[object]); err != nil || order > 0 {
		l.delivered[object] = version
	}
}

// A Version is one version of one object.
type Version struct {
	// Resource is the plural name, without the group.
	Resource, Namespace, Name string
	Labels                    labels.Set
	ResourceVersion           string
}

// Owes reports whether a watch that the process has open is about an object and has passed on neither this version of it
// nor a newer one. It needs [Options.ReadFrames].
func (p *Proxy) Owes(v Version) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	delivered, ok := p.life.delivered[Watched{v.Resource, v.Name}]
	if ok && !older(delivered, v.ResourceVersion) {
		return false
	}
	for s := range p.streams {
		if s.call.life == p.life && s.call.isAbout(v) {
			return true
		}
	}
	return false
}

// isAbout reports whether a watch brings the events of an object. A field selector other than for its name is taken not to
// select it, since what it selects is the API server's to know.
func (c *Call) isAbout(v Version) bool {
	if c.Resource != v.Resource || c.Namespace != "" && c.Namespace != v.Namespace {
		return false
	}
	byLabels, err := labels.Parse(c.query.Get("labelSelector"))
	if err != nil || !byLabels.Matches(v.Labels) {
		return false
	}
	byFields, err := fields.ParseSelector(c.query.Get("fieldSelector"))
	return err == nil && byFields.Matches(fields.Set{"metadata.name": v.Name, "metadata.namespace": v.Namespace})
}

// Watching returns the kinds of watches that the process has open, and whether the first state has been passed on to it by
// all of that kind: up to the bookmark that ends a WatchList's initial events (KEP-3157); a watch that begins at a version
// continues a LIST. It is empty without [Options.ReadFrames].
func (p *Proxy) Watching() map[Kind]bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	watching := map[Kind]bool{}
	for s := range p.streams {
		if s.call.life != p.life {
			continue
		}
		shown, other := watching[s.call.Place.Kind]
		watching[s.call.Place.Kind] = s.shown && (shown || !other)
	}
	return watching
}
