package proxy

import "k8s.io/apimachinery/pkg/util/resourceversion"

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
