package suite

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/util/retry"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// What a test does to its world. Each act returns when the record shows it.

// create creates a Fleet.
func (w *world) create(f *v1alpha1.Fleet) *v1alpha1.Fleet {
	w.Helper()
	created, err := w.fleets.Create(w.Context(), f, metav1.CreateOptions{})
	if err != nil {
		w.Fatal(err)
	}
	w.recorded(created)
	return created
}

// persistent is how a change is tried that the operator's own writes get in the way of.
var persistent = wait.Backoff{Steps: 200, Duration: 10 * time.Millisecond, Jitter: 1}

// change gives a Fleet other traits.
func (w *world) change(name string, traits ...trait) {
	w.Helper()
	err := retry.RetryOnConflict(persistent, func() error {
		f := w.read(name)
		for _, t := range traits {
			t(f)
		}
		changed, err := w.fleets.Update(w.Context(), f, metav1.UpdateOptions{})
		if err == nil {
			w.recorded(changed)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
}

// read is a Fleet as the API server has it.
func (w *world) read(name string) *v1alpha1.Fleet {
	w.Helper()
	f, err := w.fleets.Get(w.Context(), name, metav1.GetOptions{})
	if err != nil {
		w.Fatal(err)
	}
	return f
}

// delete deletes a Fleet in the background, as kubectl does, or as the options say.
func (w *world) delete(name string, options ...metav1.DeletionPropagation) {
	w.Helper()
	policy := metav1.DeletePropagationBackground
	if len(options) > 0 {
		policy = options[0]
	}
	if err := w.fleets.Delete(w.Context(), name, metav1.DeleteOptions{PropagationPolicy: &policy}); err != nil {
		w.Fatal(err)
	}
	w.eventually(func(now state) error {
		if f := now.fleets[name]; f != nil && f.DeletionTimestamp == nil {
			return fmt.Errorf("the deletion of Fleet %s is not recorded yet", name)
		}
		return nil
	})
}

// releaseFleet removes all finalizers of a Fleet.
func (w *world) releaseFleet(name string) {
	w.Helper()
	w.patchFleet(name, `{"metadata":{"finalizers":null}}`)
}

// patchFleet applies a merge patch (RFC 7386), which unlike a typed client keeps the spelling of a quantity.
func (w *world) patchFleet(name, patch string) {
	w.Helper()
	patched, err := w.fleets.Patch(w.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		w.Fatal(err)
	}
	w.recorded(patched)
}

// nudge changes the Fleet in a way that changes nothing, and returns when the operator has acted on it.
func (w *world) nudge(name string) {
	w.Helper()
	w.change(name, func(f *v1alpha1.Fleet) { *f.Spec.ProgressDeadlineSeconds++ })
	w.eventually(observed(name))
}

// pods are the Fleet's pods now that are of all the kinds asked for, by name.
func (w *world) pods(name string, are ...func(*corev1.Pod) bool) (pods []*corev1.Pod) {
	_ = w.record.judge(func(now state) error {
		pods = now.podsOf(name, are...)
		return nil
	}, nil)
	return pods
}

// createRevision creates a revision that nobody owns.
func (w *world) createRevision(name, data string) {
	w.Helper()
	created, err := w.kube.AppsV1().ControllerRevisions(w.namespace).Create(w.Context(), &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Data:       runtime.RawExtension{Raw: []byte(data)},
		Revision:   1,
	}, metav1.CreateOptions{})
	if err != nil {
		w.Fatal(err)
	}
	w.recorded(created)
}

func (w *world) createPod(pod *corev1.Pod) *corev1.Pod {
	w.Helper()
	created, err := w.kube.CoreV1().Pods(w.namespace).Create(w.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		w.Fatal(err)
	}
	w.recorded(created)
	return created
}

func (w *world) deletePod(pod *corev1.Pod) {
	w.Helper()
	err := w.kube.CoreV1().Pods(w.namespace).Delete(w.Context(), pod.Name, metav1.DeleteOptions{})
	if err != nil {
		w.Fatal(err)
	}
	w.eventually(func(now state) error {
		if there := now.pods[pod.Name]; there != nil && there.UID == pod.UID && there.DeletionTimestamp == nil {
			return fmt.Errorf("the deletion of pod %s is not recorded yet", pod.Name)
		}
		return nil
	})
}

// patchPod applies a merge patch (RFC 7386).
func (w *world) patchPod(pod *corev1.Pod, patch string) *corev1.Pod {
	w.Helper()
	patched, err := w.kube.CoreV1().Pods(w.namespace).Patch(
		w.Context(), pod.Name, types.MergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		w.Fatal(err)
	}
	if patched.ResourceVersion != pod.ResourceVersion {
		w.recorded(patched)
	}
	return patched
}

// openGate lets a gated pod be bound to the node, where it becomes ready.
func (w *world) openGate(pod *corev1.Pod) {
	w.Helper()
	w.patchPod(pod, `{"spec":{"schedulingGates":null}}`)
}

// letGo removes the finalizers of a pod.
func (w *world) letGo(pod *corev1.Pod) {
	w.Helper()
	_, err := w.kube.CoreV1().Pods(w.namespace).Patch(w.Context(), pod.Name, types.MergePatchType,
		[]byte(`{"metadata":{"finalizers":null}}`), metav1.PatchOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		w.Fatal(err)
	}
}

// command has the simulated kubelet do something to a pod: cp.Kubelet.Ready, Unready or Fail.
func (w *world) command(do func(ctx context.Context, namespace, name string) error, pod *corev1.Pod) {
	w.Helper()
	if err := do(w.Context(), w.namespace, pod.Name); err != nil {
		w.Fatal(err)
	}
	after, err := w.kube.CoreV1().Pods(w.namespace).Get(w.Context(), pod.Name, metav1.GetOptions{})
	if err == nil {
		w.recorded(after)
	} else if !apierrors.IsNotFound(err) {
		w.Fatal(err)
	}
}
