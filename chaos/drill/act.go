package drill

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/resourceversion"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"

	"example.com/twinloop/chaos/proxy"
)

// errScenario says that a step could not be acted out, whatever the operator did.
var errScenario = errors.New("the scenario itself cannot be acted out")

// act does what a step says, and notes what it changed. What a user would do, the administrator does, past the proxy. When
// it returns the observer has seen it, so that no condition is judged by what was there before.
func (r *runner) act(ctx context.Context, step scripted, record *StepRecord) error {
	switch {
	case step.Apply != nil:
		return r.apply(ctx, step, record)
	case step.Patch != nil:
		return r.patch(ctx, step, record)
	case step.Delete != nil:
		return r.delete(ctx, step, record)
	case step.DeleteNamespace:
		return r.deleteNamespace(ctx)
	}
	return r.disturb(ctx, step.Disturbance, record)
}

func (r *runner) patch(ctx context.Context, step scripted, record *StepRecord) error {
	name, err := r.objectOf(ctx, step, step.Patch.Target)
	if err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	patch, err := json.Marshal(step.Patch.With)
	if err != nil {
		return fmt.Errorf("patch: %w", err)
	}
	var subresources []string
	if step.Patch.Subresource != "" {
		subresources = []string{step.Patch.Subresource}
	}
	patched, err := r.resource(step.Patch.Resource).Patch(
		ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, subresources...)
	if err != nil {
		return fmt.Errorf("%w: patch: %w", errScenario, err)
	}
	return r.awaitObserved(ctx, record, plural(step.Patch.Resource), patched)
}

func (r *runner) delete(ctx context.Context, step scripted, record *StepRecord) error {
	name, err := r.objectOf(ctx, step, *step.Delete)
	if err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	client, background := r.resource(step.Delete.Resource), metav1.DeletePropagationBackground
	deleted, err := client.Get(ctx, name, metav1.GetOptions{})
	if err == nil {
		err = client.Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background})
	}
	if err != nil {
		return fmt.Errorf("%w: delete: %w", errScenario, err)
	}
	return r.awaitDeletion(ctx, record, plural(step.Delete.Resource), deleted)
}

// deleteNamespace has everything in the namespace deleted. The operator keeps its rights, which in a cluster are not of that
// namespace.
func (r *runner) deleteNamespace(ctx context.Context) error {
	if err := r.arena.subject.Identity.BindEverywhere(ctx, r.arena.kube); err != nil {
		return err
	}
	return r.arena.kube.CoreV1().Namespaces().Delete(ctx, r.namespace, metav1.DeleteOptions{})
}

// awaitObserved waits until the observer has seen an object as a step left it, or anything later of it, its deletion
// included, and notes what the step changed. What is not observed is not waited for.
func (r *runner) awaitObserved(ctx context.Context, record *StepRecord, resource string, object *unstructured.Unstructured) error {
	return r.awaitEvent(ctx, record, resource, object, func(e Event) bool {
		order, err := resourceversion.CompareResourceVersion(e.Object.GetResourceVersion(), object.GetResourceVersion())
		return err == nil && order >= 0
	})
}

// awaitDeletion waits until the observer has seen that an object was deleted, or that it is terminating.
func (r *runner) awaitDeletion(ctx context.Context, record *StepRecord, resource string, object *unstructured.Unstructured) error {
	return r.awaitEvent(ctx, record, resource, object, func(e Event) bool {
		return e.Type == watch.Deleted || e.Object.GetDeletionTimestamp() != nil || e.Object.GetUID() != object.GetUID()
	})
}

func (r *runner) awaitEvent(
	ctx context.Context, record *StepRecord, resource string, object *unstructured.Unstructured, is func(Event) bool,
) error {
	record.changed = objectKey{resource, object.GetName()}
	if !slices.Contains(r.arena.observer.plurals(), resource) {
		return nil
	}
	return r.await(ctx, func(view) error {
		e, ok := r.arena.observer.newest(r.namespace, record.changed)
		if !ok || !is(e) {
			return fmt.Errorf("the change of %s %s has not been observed", resource, object.GetName())
		}
		record.change = proxy.Version{
			Resource: resource, Namespace: r.namespace, Name: e.Object.GetName(),
			Labels: e.Object.GetLabels(), ResourceVersion: e.Object.GetResourceVersion(),
		}
		return nil
	})
}

func (r *runner) apply(ctx context.Context, step scripted, record *StepRecord) error {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(step.Apply)}
	name, err := r.objectOf(ctx, step, Target{Object: object.GetName()})
	if err != nil {
		return fmt.Errorf("apply: %w", err)
	}
	object.SetName(name)
	object.SetNamespace(r.namespace)
	kind := object.GroupVersionKind()
	mapping, err := r.arena.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return fmt.Errorf("%w: apply: %w", errScenario, err)
	}
	applied, err := r.arena.dynamic.Resource(mapping.Resource).Namespace(r.namespace).Apply(
		ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: "drill", Force: true})
	if err != nil {
		return fmt.Errorf("%w: apply: %w", errScenario, err)
	}
	return r.awaitObserved(ctx, record, mapping.Resource.Resource, applied)
}

// objectOf is the name of a step's target. An expression sees what is there at this moment.
func (r *runner) objectOf(ctx context.Context, step scripted, target Target) (string, error) {
	if target.Object != "" {
		return target.Object, nil
	}
	seen, err := r.read(ctx)
	if err != nil {
		return "", err
	}
	seen.history = r.sofar()
	name, err := r.arena.expressions.scope(seen).text(step.object)
	if err != nil {
		return "", fmt.Errorf("%w: objectFrom: %w", errScenario, err)
	}
	return name, nil
}

func (r *runner) resource(name string) dynamic.ResourceInterface {
	resources := r.arena.observer.resources
	i := slices.IndexFunc(resources, func(of observed) bool { return of.plural == plural(name) })
	return r.arena.dynamic.Resource(resources[i].resource).Namespace(r.namespace)
}
