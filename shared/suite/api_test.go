package suite

import (
	"fmt"
	"slices"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	fleetclient "example.com/twinloop/shared/api/generated/clientset/versioned/typed/fleet/v1alpha1"
	"example.com/twinloop/shared/controlplane/controlplanetest"
)

// What the API server itself does with a Fleet, which every operator builds on. No operator runs here.

func fleetClient(t *testing.T) fleetclient.FleetInterface {
	t.Helper()
	kube, fleets := clients(t)
	return fleets.FleetV1alpha1().Fleets(controlplanetest.Namespace(t, kube))
}

// must takes a result and an error, and ends the test on the error.
func must[T any](t *testing.T) func(T, error) T {
	return func(value T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	web := fleet("web", publishedIn("fleet.test"))
	f := must[*v1alpha1.Fleet](t)(fleetClient(t).Create(t.Context(), web, metav1.CreateOptions{}))
	if f.Spec.Replicas == nil || *f.Spec.Replicas != 1 || f.Spec.Strategy.Type != v1alpha1.RollingUpdateStrategy ||
		*f.Spec.ProgressDeadlineSeconds != 600 || *f.Spec.RevisionHistoryLimit != 10 || *f.Spec.DNS.TTL != 30 {
		t.Errorf("defaulted to %+v", f.Spec)
	}
}

// A schema prunes what it does not know, and embedded metadata unless told not to.
func TestTemplateMetadataSurvives(t *testing.T) {
	t.Parallel()
	web := fleet("web", heldPods)
	web.Spec.Template.Annotations = map[string]string{"example.com/note": "kept"}
	f := must[*v1alpha1.Fleet](t)(fleetClient(t).Create(t.Context(), web, metav1.CreateOptions{}))
	template := f.Spec.Template
	if template.Labels["app"] != "web" || template.Annotations["example.com/note"] != "kept" ||
		!slices.Equal(template.Finalizers, []string{podFinalizer}) {
		t.Errorf("the template's metadata is %+v", template.ObjectMeta)
	}
}

// The generation counts changes of the spec. A status is written through its subresource and through nothing else, and
// nothing else is written through it.
func TestGenerationAndStatus(t *testing.T) {
	t.Parallel()
	client := fleetClient(t)
	f := must[*v1alpha1.Fleet](t)(client.Create(t.Context(), fleet("web"), metav1.CreateOptions{}))
	expect := func(when string, generation int64, replicas, counted int32) {
		t.Helper()
		if f.Generation != generation || *f.Spec.Replicas != replicas || f.Status.Replicas != counted {
			t.Errorf("%s: generation %d, %d wanted, %d counted; not %d, %d, %d",
				when, f.Generation, *f.Spec.Replicas, f.Status.Replicas, generation, replicas, counted)
		}
	}
	expect("created", 1, 1, 0)
	f.Spec.Replicas, f.Status.Replicas = ptr.To(int32(2)), 7
	f = must[*v1alpha1.Fleet](t)(client.Update(t.Context(), f, metav1.UpdateOptions{}))
	expect("spec and status through the main resource", 2, 2, 0)
	f.Spec.Replicas, f.Status.Replicas = ptr.To(int32(3)), 7
	f = must[*v1alpha1.Fleet](t)(client.UpdateStatus(t.Context(), f, metav1.UpdateOptions{}))
	expect("spec and status through the subresource", 2, 2, 7)
	f.Annotations = map[string]string{"example.com/note": "changed"}
	f = must[*v1alpha1.Fleet](t)(client.Update(t.Context(), f, metav1.UpdateOptions{}))
	expect("metadata", 2, 2, 7)
	version := f.ResourceVersion
	f = must[*v1alpha1.Fleet](t)(client.UpdateStatus(t.Context(), f, metav1.UpdateOptions{}))
	if f.ResourceVersion != version {
		t.Errorf("a write that changes nothing made version %s of %s", f.ResourceVersion, version)
	}
}

// Whoever writes a version that is not the last gets 409, for the status as for the rest. So does a deletion of
// another uid.
func TestConflict(t *testing.T) {
	t.Parallel()
	client := fleetClient(t)
	stale := must[*v1alpha1.Fleet](t)(client.Create(t.Context(), fleet("web"), metav1.CreateOptions{}))
	fresh := stale.DeepCopy()
	fresh.Spec.Replicas = ptr.To(int32(2))
	must[*v1alpha1.Fleet](t)(client.Update(t.Context(), fresh, metav1.UpdateOptions{}))

	stale.Spec.Paused = true
	if _, err := client.Update(t.Context(), stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("updating a stale version: %v", err)
	}
	stale.Status.Replicas = 7
	if _, err := client.UpdateStatus(t.Context(), stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("updating the status of a stale version: %v", err)
	}
	err := client.Delete(t.Context(), "web", *metav1.NewPreconditionDeleteOptions("another-uid"))
	if !apierrors.IsConflict(err) {
		t.Errorf("deleting another uid: %v", err)
	}
}

// A deletion is a change of the spec as well, and a finalizer holds what is deleted: it can be removed then, and no
// other added.
func TestDeletionIsHeld(t *testing.T) {
	t.Parallel()
	client := fleetClient(t)
	must[*v1alpha1.Fleet](t)(client.Create(t.Context(), fleet("web", held), metav1.CreateOptions{}))
	if err := client.Delete(t.Context(), "web", metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	f := must[*v1alpha1.Fleet](t)(client.Get(t.Context(), "web", metav1.GetOptions{}))
	if f.DeletionTimestamp == nil || f.Generation != 2 {
		t.Errorf("deleted: deletionTimestamp %v, generation %d", f.DeletionTimestamp, f.Generation)
	}
	f.Finalizers = append(f.Finalizers, v1alpha1.DNSFinalizer)
	if _, err := client.Update(t.Context(), f, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("adding a finalizer to a deleted Fleet: %v", err)
	}
	patch := []byte(`{"metadata":{"finalizers":null}}`)
	must[*v1alpha1.Fleet](t)(client.Patch(t.Context(), "web", types.MergePatchType, patch, metav1.PatchOptions{}))
	if _, err := client.Get(t.Context(), "web", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("after the last finalizer: %v", err)
	}
}

// kubectl scale and a HorizontalPodAutoscaler know a Fleet by its scale subresource.
func TestScaleSubresource(t *testing.T) {
	t.Parallel()
	client := fleetClient(t)
	f := must[*v1alpha1.Fleet](t)(client.Create(t.Context(), fleet("web", replicas(2)), metav1.CreateOptions{}))
	f.Status.Replicas, f.Status.Selector = 1, "app=web"
	must[*v1alpha1.Fleet](t)(client.UpdateStatus(t.Context(), f, metav1.UpdateOptions{}))
	scale := must[*autoscalingv1.Scale](t)(client.GetScale(t.Context(), "web", metav1.GetOptions{}))
	if scale.Spec.Replicas != 2 || scale.Status.Replicas != 1 || scale.Status.Selector != "app=web" {
		t.Errorf("scale: %+v, %+v", scale.Spec, scale.Status)
	}
	scale.Spec.Replicas = 5
	must[*autoscalingv1.Scale](t)(client.UpdateScale(t.Context(), "web", scale, metav1.UpdateOptions{}))
	f = must[*v1alpha1.Fleet](t)(client.Get(t.Context(), "web", metav1.GetOptions{}))
	if *f.Spec.Replicas != 5 || f.Generation != 2 {
		t.Errorf("scaled to %d at generation %d", *f.Spec.Replicas, f.Generation)
	}
	scale.Spec.Replicas = -1
	scale.ResourceVersion = ""
	if _, err := client.UpdateScale(t.Context(), "web", scale, metav1.UpdateOptions{}); !apierrors.IsInvalid(err) {
		t.Errorf("scaled to -1: %v", err)
	}
}

func TestDiscovery(t *testing.T) {
	t.Parallel()
	_, fleets := clients(t)
	version := v1alpha1.SchemeGroupVersion.String()
	list := must[*metav1.APIResourceList](t)(fleets.Discovery().ServerResourcesForGroupVersion(version))
	names := []string{}
	for _, resource := range list.APIResources {
		names = append(names, resource.Name)
		if resource.Name == "fleets" && fmt.Sprint(resource.ShortNames, resource.Categories) != "[fl] [all]" {
			t.Errorf("short names %v, categories %v", resource.ShortNames, resource.Categories)
		}
	}
	slices.Sort(names)
	if want := []string{"fleets", "fleets/scale", "fleets/status"}; !slices.Equal(names, want) {
		t.Errorf("served: %v, not %v", names, want)
	}
}

// What kubectl get shows.
func TestColumns(t *testing.T) {
	t.Parallel()
	_, fleets := clients(t)
	var table metav1.Table
	err := fleets.FleetV1alpha1().RESTClient().Get().Namespace("default").Resource("fleets").
		SetHeader("Accept", "application/json;as=Table;v=v1;g=meta.k8s.io").Do(t.Context()).Into(&table)
	if err != nil {
		t.Fatal(err)
	}
	var columns []string
	for _, column := range table.ColumnDefinitions {
		name := column.Name
		if column.Priority > 0 {
			name += " (wide)"
		}
		columns = append(columns, name)
	}
	want := []string{"Name", "Desired", "Updated", "Ready", "Available", "Age", "Images (wide)", "Selector (wide)"}
	if !slices.Equal(columns, want) {
		t.Errorf("columns: %v, not %v", columns, want)
	}
}
