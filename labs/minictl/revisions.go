package minictl

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/utils/dump"
)

const (
	hashLabel          = appsv1.DefaultDeploymentUniqueLabelKey
	revisionAnnotation = "deployment.kubernetes.io/revision"
)

// templateHash is short for a pod template: 32 bits of FNV-1a in an alphabet that spells no words. As ComputeHash in
// k8s.io/kubernetes pkg/controller/controller_utils.go, whose result it is for the same template.
func templateHash(template *corev1.PodTemplateSpec) string {
	hasher := fnv.New32a()
	fmt.Fprintf(hasher, "%v", dump.ForHash(*withoutHash(template)))
	return utilrand.SafeEncodeString(strconv.FormatUint(uint64(hasher.Sum32()), 10))
}

func withoutHash(template *corev1.PodTemplateSpec) *corev1.PodTemplateSpec {
	plain := template.DeepCopy()
	delete(plain.Labels, hashLabel)
	return plain
}

func sameTemplate(a, b *corev1.PodTemplateSpec) bool {
	return equality.Semantic.DeepEqual(withoutHash(a), withoutHash(b))
}

// revisionOf is the revision that an object is marked with; 0 if with none.
func revisionOf(object Object) int {
	revision, _ := strconv.Atoi(object.GetAnnotations()[revisionAnnotation])
	return revision
}

// splitByTemplate separates the ReplicaSet of a Deployment's present template, or nil, from the others, oldest first.
func splitByTemplate(d *appsv1.Deployment, sets []*appsv1.ReplicaSet) (newSet *appsv1.ReplicaSet, old []*appsv1.ReplicaSet) {
	for _, rs := range byCreation(sets) {
		if newSet == nil && sameTemplate(&rs.Spec.Template, &d.Spec.Template) {
			newSet = rs
		} else {
			old = append(old, rs)
		}
	}
	return newSet, old
}

func byCreation(sets []*appsv1.ReplicaSet) []*appsv1.ReplicaSet {
	return slices.SortedFunc(slices.Values(sets), compareCreation)
}

func compareCreation(a, b *appsv1.ReplicaSet) int {
	return cmp.Or(a.CreationTimestamp.Compare(b.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
}

// newRevision is the revision of the new ReplicaSet, given those of the old ones. A template that comes back is thereby
// renumbered to be the newest.
func newRevision(newSet *appsv1.ReplicaSet, old []*appsv1.ReplicaSet) int {
	revision := 1
	for _, rs := range old {
		revision = max(revision, revisionOf(rs)+1)
	}
	if newSet != nil {
		revision = max(revision, revisionOf(newSet))
	}
	return revision
}

// beyondHistory are the old ReplicaSets to delete so that only as many idle ones as the limit remain: those of the
// lowest revisions. As cleanupDeployment in k8s.io/kubernetes pkg/controller/deployment/sync.go.
func beyondHistory(old []*appsv1.ReplicaSet, limit int) []*appsv1.ReplicaSet {
	excess := len(old) - limit
	if excess <= 0 {
		return nil
	}
	byRevision := slices.SortedStableFunc(slices.Values(byCreation(old)), func(a, b *appsv1.ReplicaSet) int {
		return cmp.Compare(revisionOf(a), revisionOf(b))
	})
	return slices.DeleteFunc(byRevision[:excess], func(rs *appsv1.ReplicaSet) bool {
		return *rs.Spec.Replicas != 0 || rs.Status.Replicas != 0 || rs.Generation > rs.Status.ObservedGeneration
	})
}
