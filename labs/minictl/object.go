package minictl

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
)

// An Object is what the store holds: a *corev1.Pod, *appsv1.ReplicaSet or *appsv1.Deployment.
type Object interface {
	metav1.Object
	runtime.Object
}

// A Key names an object among those of its kind; it prints as default/web.
type Key = types.NamespacedName

// A Kind is a type of object.
type Kind struct {
	schema.GroupVersionKind
	// Resource is the kind's name in paths and messages, such as deployments.
	Resource string
}

// The kinds, owners before what they own.
var (
	DeploymentKind = Kind{appsv1.SchemeGroupVersion.WithKind("Deployment"), "deployments"}
	ReplicaSetKind = Kind{appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), "replicasets"}
	PodKind        = Kind{corev1.SchemeGroupVersion.WithKind("Pod"), "pods"}

	kinds = []Kind{DeploymentKind, ReplicaSetKind, PodKind}
)

func (k Kind) groupResource() schema.GroupResource {
	return schema.GroupResource{Group: k.Group, Resource: k.Resource}
}

// kindOf looks at the type alone, so that it answers for a nil pointer too.
func kindOf(object Object) Kind {
	switch object.(type) {
	case *corev1.Pod:
		return PodKind
	case *appsv1.ReplicaSet:
		return ReplicaSetKind
	case *appsv1.Deployment:
		return DeploymentKind
	}
	panic(fmt.Sprintf("minictl holds no %T", object))
}

func keyOf(object Object) Key { return Key{Namespace: object.GetNamespace(), Name: object.GetName()} }

func copyOf[T Object](object T) T { return object.DeepCopyObject().(T) }

// describe names an object as the log does: Pod/default/web-1.
func describe(object Object) string { return kindOf(object).Kind + "/" + keyOf(object).String() }

func sameSpec(a, b Object) bool {
	switch a := a.(type) {
	case *corev1.Pod:
		return equality.Semantic.DeepEqual(a.Spec, b.(*corev1.Pod).Spec)
	case *appsv1.ReplicaSet:
		return equality.Semantic.DeepEqual(a.Spec, b.(*appsv1.ReplicaSet).Spec)
	default:
		return equality.Semantic.DeepEqual(a.(*appsv1.Deployment).Spec, b.(*appsv1.Deployment).Spec)
	}
}

func copyStatus(to, from Object) {
	switch to := to.(type) {
	case *corev1.Pod:
		from.(*corev1.Pod).Status.DeepCopyInto(&to.Status)
	case *appsv1.ReplicaSet:
		from.(*appsv1.ReplicaSet).Status.DeepCopyInto(&to.Status)
	case *appsv1.Deployment:
		from.(*appsv1.Deployment).Status.DeepCopyInto(&to.Status)
	}
}
