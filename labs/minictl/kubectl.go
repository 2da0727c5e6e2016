package minictl

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/utils/ptr"
)

// Kubectl does what kubectl's commands of the same names do: it edits specs and reads statuses. The controllers do the
// rest. Its errors have kubectl's words (k8s.io/kubectl pkg/polymorphichelpers).
type Kubectl struct {
	store *Store
	log   *Log
}

// Create creates an object.
func (k *Kubectl) Create(object Object) error {
	created, err := create(k.store, object)
	if err == nil {
		k.log.Record("kubectl", describe(created), "Create", "kubectl create -f "+created.GetName()+".yaml")
	}
	return err
}

// Replace writes an object as it was read, with the version that it then had.
func (k *Kubectl) Replace(object Object, file string) error {
	command := "kubectl replace -f " + file
	if _, err := update(k.store, object); err != nil {
		k.log.Record("kubectl", describe(object), string(apierrors.ReasonForError(err)), command+": "+err.Error())
		return err
	}
	k.log.Record("kubectl", describe(object), "Replace", command)
	return nil
}

// Delete deletes an object; what it owns is left to the garbage collector, or let live on if orphan is set.
func (k *Kubectl) Delete(kind Kind, name string, orphan bool) error {
	key, what := Key{Namespace: namespace, Name: name}, strings.ToLower(kind.Kind)
	command, del := "kubectl delete "+what+" "+name, k.store.Delete
	if orphan {
		command, del = command+" --cascade=orphan", k.store.DeleteOrphaning
	}
	if err := del(kind, key); err != nil {
		return err
	}
	k.log.Record("kubectl", kind.Kind+"/"+key.String(), "Delete", command)
	return nil
}

// Scale sets the number of replicas of a Deployment or a ReplicaSet.
func (k *Kubectl) Scale(kind Kind, name string, replicas int32) error {
	command := fmt.Sprintf("kubectl scale %s/%s --replicas=%d", strings.ToLower(kind.Kind), name, replicas)
	if kind == ReplicaSetKind {
		return editNow(k, name, "Scale", command, func(rs *appsv1.ReplicaSet) { rs.Spec.Replicas = ptr.To(replicas) })
	}
	return editNow(k, name, "Scale", command, func(d *appsv1.Deployment) { d.Spec.Replicas = ptr.To(replicas) })
}

// SetImage sets the image of the container app, and so changes the pod template.
func (k *Kubectl) SetImage(name, image string) error {
	command := fmt.Sprintf("kubectl set image deployment/%s app=%s", name, image)
	return editNow(k, name, "SetImage", command, func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = image })
}

// Label sets a label of a pod, or removes it if the value is nil.
func (k *Kubectl) Label(pod, label string, value *string) error {
	argument := label + "-"
	if value != nil {
		argument = label + "=" + *value
	}
	return editNow(k, pod, "Label", fmt.Sprintf("kubectl label pod %s %s", pod, argument), func(p *corev1.Pod) {
		if value == nil {
			delete(p.Labels, label)
			return
		}
		metav1.SetMetaDataLabel(&p.ObjectMeta, label, *value)
	})
}

// RolloutPause suspends an update.
func (k *Kubectl) RolloutPause(name string) error {
	return editNow(k, name, "Pause", "kubectl rollout pause deployment/"+name, func(d *appsv1.Deployment) {
		d.Spec.Paused = true
	})
}

// RolloutResume lets an update go on.
func (k *Kubectl) RolloutResume(name string) error {
	return editNow(k, name, "Resume", "kubectl rollout resume deployment/"+name, func(d *appsv1.Deployment) {
		d.Spec.Paused = false
	})
}

// RolloutRestart replaces all pods: it annotates the pod template, and so starts an update to the same image.
func (k *Kubectl) RolloutRestart(name string) error {
	return editNow(k, name, "Restart", "kubectl rollout restart deployment/"+name, func(d *appsv1.Deployment) {
		now := k.store.clock.Now().Format(time.RFC3339)
		metav1.SetMetaDataAnnotation(&d.Spec.Template.ObjectMeta, "kubectl.kubernetes.io/restartedAt", now)
	})
}

// editNow changes an object as it is now. It carries no resourceVersion, as a patch does not.
func editNow[T Object](k *Kubectl, name, reason, command string, change func(T)) error {
	object, err := get[T](k.store, Key{Namespace: namespace, Name: name})
	if err != nil {
		return err
	}
	change(object)
	object.SetResourceVersion("")
	if _, err := update(k.store, object); err != nil {
		return err
	}
	k.log.Record("kubectl", describe(object), reason, command)
	return nil
}

// RolloutUndo puts the pod template of an earlier revision back; 0 is the one before the present.
func (k *Kubectl) RolloutUndo(name string, toRevision int) error {
	d, sets, err := k.rollout(name)
	if err != nil {
		return err
	}
	if d.Spec.Paused {
		return errors.New("you cannot rollback a paused deployment; resume it first with 'kubectl rollout resume' and try again")
	}
	target, err := undoTarget(d, sets, toRevision)
	if err != nil {
		return err
	}
	if sameTemplate(&target.Spec.Template, &d.Spec.Template) {
		k.log.Recordf("kubectl", describe(d), "Undo", "skipped rollback (current template already matches revision %d)",
			toRevision)
		return nil
	}
	command := "kubectl rollout undo deployment/" + name
	if toRevision > 0 {
		command += fmt.Sprintf(" --to-revision=%d", toRevision)
	}
	return editNow(k, name, "Undo", command, func(d *appsv1.Deployment) { d.Spec.Template = *withoutHash(&target.Spec.Template) })
}

func undoTarget(d *appsv1.Deployment, sets []*appsv1.ReplicaSet, toRevision int) (*appsv1.ReplicaSet, error) {
	if toRevision == 0 {
		if len(sets) < 2 {
			return nil, fmt.Errorf("no rollout history found for deployment %q", d.Name)
		}
		return sets[len(sets)-2], nil
	}
	for _, rs := range sets {
		if revisionOf(rs) == toRevision {
			return rs, nil
		}
	}
	return nil, fmt.Errorf("unable to find specified revision %d in history", toRevision)
}

// RolloutStatus says in a sentence how far an update is, and whether it is done. Past its deadline it is an error.
func (k *Kubectl) RolloutStatus(name string) (sentence string, done bool, err error) {
	d, err := get[*appsv1.Deployment](k.store, Key{Namespace: namespace, Name: name})
	if err != nil {
		return "", false, err
	}
	return rolloutStatus(d)
}

func rolloutStatus(d *appsv1.Deployment) (sentence string, done bool, err error) {
	status := d.Status
	progressing := findCondition(status, appsv1.DeploymentProgressing)
	switch {
	case d.Generation > status.ObservedGeneration:
		return "Waiting for deployment spec update to be observed...", false, nil
	case progressing != nil && progressing.Reason == timedOutReason:
		return "", false, fmt.Errorf("deployment %q exceeded its progress deadline", d.Name)
	case status.UpdatedReplicas < *d.Spec.Replicas:
		sentence = fmt.Sprintf("%d out of %d new replicas have been updated...", status.UpdatedReplicas, *d.Spec.Replicas)
	case status.Replicas > status.UpdatedReplicas:
		sentence = fmt.Sprintf("%d old replicas are pending termination...", status.Replicas-status.UpdatedReplicas)
	case status.AvailableReplicas < status.UpdatedReplicas:
		sentence = fmt.Sprintf("%d of %d updated replicas are available...", status.AvailableReplicas, status.UpdatedReplicas)
	default:
		return fmt.Sprintf("deployment %q successfully rolled out", d.Name), true, nil
	}
	return fmt.Sprintf("Waiting for deployment %q rollout to finish: %s", d.Name, sentence), false, nil
}

// RolloutHistory is the table of revisions.
func (k *Kubectl) RolloutHistory(name string) (string, error) {
	revisions, err := k.Revisions(name)
	if err != nil {
		return "", err
	}
	if len(revisions) == 0 {
		return "No rollout history found.", nil
	}
	var out strings.Builder
	table := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "REVISION\tCHANGE-CAUSE")
	for _, revision := range revisions {
		fmt.Fprintf(table, "%d\t<none>\n", revision)
	}
	err = table.Flush()
	return out.String(), err
}

// Revisions are the numbers in a Deployment's history, in ascending order.
func (k *Kubectl) Revisions(name string) ([]int, error) {
	_, sets, err := k.rollout(name)
	if err != nil {
		return nil, err
	}
	var revisions []int
	for _, rs := range sets {
		revisions = append(revisions, revisionOf(rs))
	}
	return revisions, nil
}

// rollout reads a Deployment and its ReplicaSets, the latest revision last.
func (k *Kubectl) rollout(name string) (*appsv1.Deployment, []*appsv1.ReplicaSet, error) {
	d, err := get[*appsv1.Deployment](k.store, Key{Namespace: namespace, Name: name})
	if err != nil {
		return nil, nil, err
	}
	sets := slices.DeleteFunc(list[*appsv1.ReplicaSet](k.store, namespace), func(rs *appsv1.ReplicaSet) bool {
		return !metav1.IsControlledBy(rs, d) || !selectorOf(d).Matches(labels.Set(rs.Labels))
	})
	slices.SortStableFunc(sets, func(a, b *appsv1.ReplicaSet) int { return revisionOf(a) - revisionOf(b) })
	return d, sets, nil
}
