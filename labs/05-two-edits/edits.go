package twoedits

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/fleet"
	"example.com/twinloop/shared/zone/rfc2136"
)

// edits are made one after the other, each when the operator has come to rest after the one before.
var edits = []edit{
	{
		name: "replicas", says: "spec.replicas of the Fleet is set from 3 to 4.",
		what: "spec.replicas",
		do:   patchFleet(`{"spec":{"replicas":4}}`),
		look: ofFleet(func(f *v1alpha1.Fleet) string { return fmt.Sprint(*f.Spec.Replicas) }),
		want: "4",
	},
	{
		name: "fleet-annotation", says: "The Fleet gets the annotation note=mine.",
		what: "the annotation note",
		do:   patchFleet(`{"metadata":{"annotations":{"note":"mine"}}}`),
		look: ofFleet(func(f *v1alpha1.Fleet) string { return f.Annotations["note"] }),
		want: "mine",
	},
	{
		name: "fleet-status", says: "status.readyReplicas of the Fleet is set to 7.",
		what: "status.readyReplicas",
		do:   patchFleet(`{"status":{"readyReplicas":7}}`, "status"),
		look: ofFleet(func(f *v1alpha1.Fleet) string { return fmt.Sprint(f.Status.ReadyReplicas) }),
		want: "7",
	},
	{
		name: "foreign-condition", says: "A condition of the type Audited is added to the Fleet's status.",
		what: "the condition Audited",
		do:   addCondition,
		look: ofFleet(func(f *v1alpha1.Fleet) string {
			return presence(meta.IsStatusConditionTrue(f.Status.Conditions, audited))
		}),
		want: present,
	},
	{
		name: "defaulted-field", says: "spec.revisionHistoryLimit, which nobody has set, is removed from the Fleet.",
		what: "spec.revisionHistoryLimit",
		do:   patchFleet(`{"spec":{"revisionHistoryLimit":null}}`),
		look: ofFleet(func(f *v1alpha1.Fleet) string {
			if f.Spec.RevisionHistoryLimit == nil {
				return absent
			}
			return fmt.Sprint(*f.Spec.RevisionHistoryLimit)
		}),
		want: absent,
	},
	{
		name: "finalizer", says: "The operator's finalizer is removed from the Fleet.",
		what: "the finalizer",
		do:   patchFleet(`{"metadata":{"finalizers":null}}`),
		look: ofFleet(func(f *v1alpha1.Fleet) string { return presence(fleet.HasDNSFinalizer(f)) }),
		want: absent,
	},
	{
		name: "pod-label", says: "A pod gets the label team=blue, which no selector asks for.",
		what: "the label team",
		do:   patchPod(`{"metadata":{"labels":{"team":"blue"}}}`),
		look: ofPod(func(pod *corev1.Pod) string { return pod.Labels["team"] }),
		want: "blue",
	},
	{
		name: "pod-image", says: "A pod's image is set to web:9.9, which the Fleet's template does not have.",
		what: "the pod's image",
		do:   patchPodImage,
		look: ofPod(func(pod *corev1.Pod) string { return pod.Spec.Containers[0].Image }),
		want: "web:9.9",
	},
	{
		name: "pod-owner", says: "A pod's owner references are removed.",
		what: "the number of owner references",
		do:   patchPod(`{"metadata":{"ownerReferences":null}}`),
		look: ofPod(func(pod *corev1.Pod) string { return fmt.Sprint(len(pod.OwnerReferences)) }),
		want: "0",
	},
	{
		name: "pod-selected-label", says: "A pod's label app=web, which the selector asks for, is set to app=debug.",
		what: "the label app",
		do:   patchPod(`{"metadata":{"labels":{"app":"debug"}}}`),
		look: ofPod(func(pod *corev1.Pod) string { return pod.Labels["app"] }),
		want: "debug",
	},
	{
		name: "pod-hash-label", says: "A pod's label controller-revision-hash is set to mine.",
		what: "the label controller-revision-hash",
		do:   patchPod(`{"metadata":{"labels":{"` + appsv1.ControllerRevisionHashLabelKey + `":"mine"}}}`),
		look: ofPod(func(pod *corev1.Pod) string { return pod.Labels[appsv1.ControllerRevisionHashLabelKey] }),
		want: "mine",
	},
	{
		name: "pod-deleted", says: "A pod is deleted, which leaves one too few.",
		what: "the number of pods",
		do: func(ctx context.Context, b *bed, pod string) error {
			return b.pods().Delete(ctx, pod, metav1.DeleteOptions{})
		},
		look: func(ctx context.Context, b *bed, _ string) (string, error) {
			own, err := b.own(ctx)
			return fmt.Sprint(len(own)), err
		},
		want: "3",
	},
	{
		name: "revision-deleted", says: "The Fleet's ControllerRevision is deleted.",
		what: "the number of revisions",
		do:   deleteRevisions,
		look: revisions,
		want: "0",
	},
	{
		name: "zone-record", says: "The addresses are removed from the Fleet's entry in the zone.",
		what: "the number of addresses",
		do:   emptyEntry,
		look: addresses,
		want: "0",
	},
	{
		name: "template-image", says: "The image in the Fleet's template is set to web:2.0.",
		what: "the template's image",
		do:   patchFleet(`{"spec":{"template":{"spec":{"containers":[{"name":"app","image":"web:2.0"}]}}}}`),
		look: ofFleet(func(f *v1alpha1.Fleet) string {
			return f.Spec.Template.Spec.Containers[0].Image
		}),
		want: "web:2.0",
	},
}

// What is found where something is there, or is not.
const (
	present = "there"
	absent  = "not there"
)

func presence(is bool) string {
	if is {
		return present
	}
	return absent
}

// audited is the type of a condition that the operator knows nothing of.
const audited = "Audited"

func addCondition(ctx context.Context, b *bed, _ string) error {
	f, err := b.fleet(ctx)
	if err != nil {
		return err
	}
	meta.SetStatusCondition(&f.Status.Conditions, metav1.Condition{Type: audited, Status: metav1.ConditionTrue, Reason: "ByHand"})
	_, err = b.fleets().UpdateStatus(ctx, f, metav1.UpdateOptions{})
	return err
}

// patchPodImage updates the pod whole: a merge patch would replace the list of containers by one that lacks all else.
func patchPodImage(ctx context.Context, b *bed, name string) error {
	pod, err := b.pods().Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	pod.Spec.Containers[0].Image = "web:9.9"
	_, err = b.pods().Update(ctx, pod, metav1.UpdateOptions{})
	return err
}

func deleteRevisions(ctx context.Context, b *bed, _ string) error {
	return b.cluster.Kube.AppsV1().ControllerRevisions(cluster.Namespace).DeleteCollection(
		ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
}

func revisions(ctx context.Context, b *bed, _ string) (string, error) {
	list, err := b.cluster.Kube.AppsV1().ControllerRevisions(cluster.Namespace).List(ctx, metav1.ListOptions{})
	return fmt.Sprint(len(list.Items)), err
}

// emptyEntry is what somebody does who may write to the zone: the entry keeps its owner.
func emptyEntry(ctx context.Context, b *bed, _ string) error {
	held := b.zone.Entries(zoneName)[0]
	empty := held
	empty.Addresses = nil
	client := rfc2136.Client{Server: b.zone.Addr()}
	return client.Publish(ctx, zoneName, held, empty)
}

func addresses(_ context.Context, b *bed, _ string) (string, error) {
	return fmt.Sprint(len(b.zone.Entries(zoneName)[0].Addresses)), nil
}
