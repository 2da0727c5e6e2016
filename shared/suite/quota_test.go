package suite

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
)

// allowPods limits the number of pods in the namespace, by a quota called pods, and returns when the quota is counted.
func (w *world) allowPods(n int64) {
	w.Helper()
	limit := *resource.NewQuantity(n, resource.DecimalSI)
	quota := corev1apply.ResourceQuota("pods", w.namespace).
		WithSpec(corev1apply.ResourceQuotaSpec().WithHard(corev1.ResourceList{corev1.ResourcePods: limit}))
	options := metav1.ApplyOptions{FieldManager: "suite"}
	if _, err := w.kube.CoreV1().ResourceQuotas(w.namespace).Apply(w.Context(), quota, options); err != nil {
		w.Fatal(err)
	}
	w.eventually(func(now state) error {
		quota := now.quotas["pods"]
		if quota == nil || quota.Status.Hard.Pods().Cmp(limit) != 0 {
			return fmt.Errorf("the quota is not counted yet: %+v", quota)
		}
		return nil
	})
}
