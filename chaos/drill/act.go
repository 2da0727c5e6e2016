package drill

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
)

// act does what a step says, as the administrator and past the proxy.
func (r *runner) act(ctx context.Context, step Step) error {
	switch {
	case step.Apply != nil:
		return r.apply(ctx, step.Apply)
	case step.Patch != nil:
		name, err := r.objectOf(ctx, step, step.Patch.Target)
		if err != nil {
			return fmt.Errorf("patch: %w", err)
		}
		patch, err := json.Marshal(step.Patch.With)
		if err != nil {
			return fmt.Errorf("patch: %w", err)
		}
		_, err = r.resource(step.Patch.Resource).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	default:
		name, err := r.objectOf(ctx, step, *step.Delete)
		if err != nil {
			return fmt.Errorf("delete: %w", err)
		}
		background := metav1.DeletePropagationBackground
		return r.resource(step.Delete.Resource).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background})
	}
}

func (r *runner) apply(ctx context.Context, manifest map[string]any) error {
	object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(manifest)}
	object.SetNamespace(r.namespace)
	kind := object.GroupVersionKind()
	mapping, err := r.arena.mapper.RESTMapping(kind.GroupKind(), kind.Version)
	if err != nil {
		return fmt.Errorf("apply: %w", err)
	}
	_, err = r.arena.dynamic.Resource(mapping.Resource).Namespace(r.namespace).Apply(
		ctx, object.GetName(), object, metav1.ApplyOptions{FieldManager: "drill", Force: true})
	return err
}

// objectOf is the name of a step's target. An expression sees what is there at this moment.
func (r *runner) objectOf(ctx context.Context, step Step, target Target) (string, error) {
	if target.Object != "" {
		return target.Object, nil
	}
	seen, err := r.read(ctx)
	if err != nil {
		return "", err
	}
	name, err := r.arena.expressions.scope(seen).text(r.arena.expressions.object[step.Name])
	if err != nil {
		return "", fmt.Errorf("objectFrom: %w", err)
	}
	return name, nil
}

func (r *runner) resource(name string) dynamic.ResourceInterface {
	resources := r.arena.observer.resources
	i := slices.IndexFunc(resources, func(of observed) bool { return of.plural == plural(name) })
	return r.arena.dynamic.Resource(resources[i].resource).Namespace(r.namespace)
}
