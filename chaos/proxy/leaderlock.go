package proxy

import (
	"mime"
	"slices"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"sigs.k8s.io/yaml"
)

// A leader lock is the object in which leader election keeps its record. Today that is a Lease. Before there were Leases,
// client-go kept the record in an annotation of a ConfigMap or of Endpoints, as many operators still do. Such an object is
// known only once the annotation has been seen: in a write, or in the answer to a create or a GET.

// leaderRecord is the path of the annotation in a JSON Patch (RFC 6901 escapes the slash).
const leaderRecord = "/metadata/annotations/control-plane.alpha.kubernetes.io~1leader"

// lockKey names a ConfigMap or Endpoints.
type lockKey struct{ resource, namespace, name string }

func (r Request) lockKey() lockKey { return lockKey{r.Resource, r.Namespace, r.Name} }

// isLease reports whether a request is about Leases.
func (r Request) isLease() bool {
	return r.Group == "coordination.k8s.io" && r.Resource == "leases"
}

// mayBeLeaderLock reports whether a request reads or writes an object that may be a leader lock or something else.
func (r Request) mayBeLeaderLock() bool {
	return r.Group == "" && (r.Resource == "configmaps" || r.Resource == "endpoints") && r.Subresource == "" &&
		slices.Contains([]string{"get", "create", "update", "patch", "delete"}, r.Verb)
}

// isLeaderLock reports whether the object of a request has been known for a leader lock, or is from now on by what is
// written into it.
func (p *Proxy) isLeaderLock(r Request, contentType string, body []byte) bool {
	records := recordsLeader(contentType, body)
	p.mu.Lock()
	defer p.mu.Unlock()
	if records && r.Name != "" {
		p.leaderLocks.Insert(r.lockKey())
	}
	return records || p.leaderLocks.Has(r.lockKey())
}

// recordsLeader reports whether the body of a write says who leads.
func recordsLeader(contentType string, body []byte) bool {
	mediaType, _, _ := mime.ParseMediaType(contentType)
	switch types.PatchType(mediaType) {
	case types.JSONPatchType:
		return patchesLeader(body)
	case types.ApplyYAMLPatchType:
		var patch metav1.PartialObjectMetadata
		return yaml.Unmarshal(body, &patch) == nil && HasLeaderRecord(&patch)
	case types.MergePatchType, types.StrategicMergePatchType, "":
		mediaType = runtime.ContentTypeJSON
	}
	written := decodeMetadata(mediaType, body)
	return HasLeaderRecord(&written)
}

func patchesLeader(body []byte) bool {
	patch, err := jsonpatch.DecodePatch(body)
	if err != nil {
		return false
	}
	for _, operation := range patch {
		if path, err := operation.Path(); err == nil && path == leaderRecord {
			return true
		}
	}
	return false
}

// HasLeaderRecord reports whether an object is a leader lock that is no Lease.
func HasLeaderRecord(object metav1.Object) bool {
	_, ok := object.GetAnnotations()[resourcelock.LeaderElectionRecordAnnotationKey]
	return ok
}
