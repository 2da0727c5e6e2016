package proxy

import (
	"bytes"
	"mime"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/yaml"
)

// Before there were Leases, replicas agreed on their leader by an annotation of a ConfigMap or of Endpoints, and older clients
// still do. It is renewed every few seconds, as a Lease is.
const leaderAnnotation = resourcelock.LeaderElectionRecordAnnotationKey

// mayLock reports whether the request is about objects that older clients use as a lock.
func (r Request) mayLock() bool {
	return r.Group == "" && (r.Resource == "configmaps" || r.Resource == "endpoints") && r.Subresource == ""
}

// namesLeader reports whether the body of a write has the annotation. A JSON patch may name it in a path or in a value.
func namesLeader(contentType string, body []byte) bool {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	switch types.PatchType(mediaType) {
	case types.JSONPatchType:
		return bytes.Contains(body, []byte(leaderAnnotation)) || bytes.Contains(body, []byte(leaderPointer))
	case types.MergePatchType, types.StrategicMergePatchType:
		mediaType = runtime.ContentTypeJSON
	case types.ApplyYAMLPatchType:
		converted, err := yaml.YAMLToJSON(body)
		if err != nil {
			return false
		}
		mediaType, body = runtime.ContentTypeJSON, converted
	}
	_, names := decodeMetadata(mediaType, body).Annotations[leaderAnnotation]
	return names
}

// leaderPointer is the annotation as a JSON pointer has it (RFC 6901).
var leaderPointer = strings.ReplaceAll(leaderAnnotation, "/", "~1")

// readLeader reports whether the object in the answer to a get has the annotation, and leaves the answer whole.
func readLeader(answer *http.Response) (bool, error) {
	object, err := readMetadata(answer)
	_, names := object.Annotations[leaderAnnotation]
	return names, err
}

// leaderLocks are the paths of the objects that were seen with the annotation.
type leaderLocks map[string]bool

// knowsLock reports whether a path is that of a lock.
func (p *Proxy) knowsLock(path string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.journal.locks[path]
}

// noteLock remembers the object of a request that has shown it to be a lock. What was asked of it before, such as whether
// it is there, was about the lock as well.
func (j *journal) noteLock(x *Exchange) {
	path := x.objectPath()
	if !x.LeaderLock || !x.mayLock() || path == "" || j.locks[path] {
		return
	}
	j.locks[path] = true
	for _, earlier := range j.exchanges {
		earlier.LeaderLock = earlier.LeaderLock || earlier.objectPath() == path
	}
}

// objectPath returns the URL path of the one object that the request is about, and nothing while that has no name.
func (r Request) objectPath() string {
	switch {
	case r.Verb != "create":
		return r.Path
	case r.Name == "":
		return ""
	default:
		return r.Path + "/" + r.Name
	}
}
