package differential

import (
	"context"
	"sync"
	"testing"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/ptr"
)

const (
	// untilAvailable labels a ReplicaSet whose status may not tell of more available pods before it tells of so many. The
	// pods of a batch become ready one after another; the Deployment controller is to hear of all of them at once.
	untilAvailable = "hold-until-available"
	// held labels a ReplicaSet whose status may not be written at all.
	held = "hold"
)

var holdOnce sync.Once

// holdStatuses has the API server heed the labels. It returns when it does.
func holdStatuses(t testing.TB, client kubernetes.Interface, namespace string) {
	t.Helper()
	holdOnce.Do(func() { createPolicy(t, client) })
	rs, err := client.AppsV1().ReplicaSets(namespace).Create(t.Context(), &appsv1.ReplicaSet{
		ObjectMeta: metav1.ObjectMeta{Name: "probe", Labels: map[string]string{held: ""}},
		Spec: appsv1.ReplicaSetSpec{
			Replicas: ptr.To[int32](0),
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "probe"}},
			Template: podTemplate("probe", "probe:1.0"),
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer client.AppsV1().ReplicaSets(namespace).Delete(context.Background(), rs.Name, metav1.DeleteOptions{})
	err = wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(ctx context.Context) (bool, error) {
		_, err := client.AppsV1().ReplicaSets(namespace).Patch(ctx, rs.Name, "application/merge-patch+json",
			[]byte(`{"status": {"observedGeneration": 7}}`), metav1.PatchOptions{DryRun: []string{metav1.DryRunAll}}, "status")
		return apierrors.IsInvalid(err), nil
	})
	if err != nil {
		t.Fatal("the policy that holds statuses is not heeded: ", err)
	}
}

func createPolicy(t testing.TB, client kubernetes.Interface) {
	t.Helper()
	policy := &admissionv1.ValidatingAdmissionPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: "hold-statuses"},
		Spec: admissionv1.ValidatingAdmissionPolicySpec{
			MatchConstraints: &admissionv1.MatchResources{ResourceRules: []admissionv1.NamedRuleWithOperations{{
				RuleWithOperations: admissionv1.RuleWithOperations{
					Operations: []admissionv1.OperationType{admissionv1.Update},
					Rule: admissionv1.Rule{
						APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"replicasets/status"},
					},
				},
			}}},
			Variables: []admissionv1.Variable{
				{Name: "before", Expression: `oldObject.?status.?availableReplicas.orValue(0)`},
				{Name: "after", Expression: `object.?status.?availableReplicas.orValue(0)`},
				{Name: "until", Expression: `int(object.metadata.?labels["` + untilAvailable + `"].orValue("0"))`},
			},
			Validations: []admissionv1.Validation{
				{Expression: `variables.after <= variables.before || variables.after >= variables.until`},
				{Expression: `!("` + held + `" in object.metadata.?labels.orValue({}))`},
			},
		},
	}
	binding := &admissionv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: policy.Name},
		Spec: admissionv1.ValidatingAdmissionPolicyBindingSpec{
			PolicyName: policy.Name, ValidationActions: []admissionv1.ValidationAction{admissionv1.Deny},
		},
	}
	admission := client.AdmissionregistrationV1()
	if _, err := admission.ValidatingAdmissionPolicies().Create(t.Context(), policy, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := admission.ValidatingAdmissionPolicyBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}
