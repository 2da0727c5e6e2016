package suite

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
)

// allowPods and allowRevisions limit what there may be in the namespace.
func (w *world) allowPods(n int64) {
	w.Helper()
	w.allow("pods", corev1.ResourcePods, n)
}

func (w *world) allowRevisions(n int64) {
	w.Helper()
	w.allow("revisions", "count/controllerrevisions.apps", n)
}

// allow sets a quota, and returns when it is counted.
func (w *world) allow(name string, counted corev1.ResourceName, n int64) {
	w.Helper()
	limit := *resource.NewQuantity(n, resource.DecimalSI)
	quota := corev1apply.ResourceQuota(name, w.namespace).
		WithSpec(corev1apply.ResourceQuotaSpec().WithHard(corev1.ResourceList{counted: limit}))
	options := metav1.ApplyOptions{FieldManager: "suite"}
	if _, err := w.kube.CoreV1().ResourceQuotas(w.namespace).Apply(w.Context(), quota, options); err != nil {
		w.Fatal(err)
	}
	w.eventually(func(now state) error {
		quota := now.quotas[name]
		if quota == nil || !quota.Status.Hard[counted].Equal(limit) {
			return fmt.Errorf("the quota is not counted yet: %+v", quota)
		}
		return nil
	})
}
