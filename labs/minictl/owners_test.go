package minictl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

func TestTenure(t *testing.T) {
	selector := parse(t, "app=web")
	owned := func(app string, uid types.UID) *corev1.Pod {
		pod := bare("a", map[string]string{"app": app})
		if uid != "" {
			pod.OwnerReferences = []metav1.OwnerReference{{UID: uid, Controller: ptr.To(true)}}
		}
		return pod
	}
	for name, test := range map[string]struct {
		pod  *corev1.Pod
		want tenure
	}{
		"mine, and matches":             {owned("web", "me"), keep},
		"mine, and matches no longer":   {owned("db", "me"), release},
		"nobody's, and matches":         {owned("web", ""), adopt},
		"nobody's, and does not match":  {owned("db", ""), ignore},
		"another's, and matches":        {owned("web", "other"), ignore},
		"another's, and does not match": {owned("db", "other"), ignore},
	} {
		if got := decideTenure("me", selector, test.pod); got != test.want {
			t.Errorf("%s: got %d, want %d", name, got, test.want)
		}
	}
}

func TestClaimWritesReferences(t *testing.T) {
	s := newStore()
	rs := must[*appsv1.ReplicaSet](t)(create(s, set("web", 1)))
	must[*corev1.Pod](t)(create(s, bare("orphan", map[string]string{"app": "web"})))
	mine := bare("leaving", map[string]string{"app": "sick"})
	mine.OwnerReferences = []metav1.OwnerReference{*metav1.NewControllerRef(rs, ReplicaSetKind.GroupVersionKind)}
	must[*corev1.Pod](t)(create(s, mine))
	claimed := must[[]*corev1.Pod](t)(claim(s, rs, list[*corev1.Pod](s, namespace)))
	if len(claimed) != 1 || claimed[0].Name != "orphan" {
		t.Fatalf("claimed %v, want the orphan", claimed)
	}
	for name, want := range map[string]bool{"orphan": true, "leaving": false} {
		if got := metav1.IsControlledBy(must[*corev1.Pod](t)(get[*corev1.Pod](s, key(name))), rs); got != want {
			t.Errorf("%s: controlled by the ReplicaSet: %t, want %t", name, got, want)
		}
	}
}

func TestACascadeMovesOneLevelAPass(t *testing.T) {
	c := rolled(t, deployment(2, "1", "0"))
	if err := c.Store.Delete(DeploymentKind, key("web")); err != nil {
		t.Fatal(err)
	}
	var levels [][]string
	for range 3 {
		var kinds []string
		for _, object := range collectGarbage(c.Store) {
			kinds = append(kinds, kindOf(object).Kind)
		}
		levels = append(levels, kinds)
	}
	if diff := cmp.Diff([][]string{{"ReplicaSet"}, {"Pod", "Pod"}, nil}, levels); diff != "" {
		t.Errorf("levels (-want +got):\n%s", diff)
	}
}

func TestAnOwnerOfTheSameNameIsNotTheOwner(t *testing.T) {
	c := rolled(t, deployment(2, "1", "0"))
	c.Store.Delete(DeploymentKind, key("web"))
	must[*appsv1.Deployment](t)(create(c.Store, deployment(2, "1", "0")))
	if doomed := collectGarbage(c.Store); len(doomed) != 1 {
		t.Errorf("collected %d objects, want the ReplicaSet of the owner that is gone", len(doomed))
	}
}

func TestOrphansLiveOn(t *testing.T) {
	c := rolled(t, deployment(2, "1", "0"))
	if err := c.Kubectl.Delete(DeploymentKind, "web", true); err != nil {
		t.Fatal(err)
	}
	if doomed := collectGarbage(c.Store); len(doomed) != 0 {
		t.Errorf("collected %d objects", len(doomed))
	}
	sets := list[*appsv1.ReplicaSet](c.Store, namespace)
	if len(sets) != 1 || len(sets[0].OwnerReferences) != 0 {
		t.Errorf("got %d ReplicaSets with owners %v", len(sets), sets[0].OwnerReferences)
	}
	if pods := list[*corev1.Pod](c.Store, namespace); len(pods) != 2 || len(pods[0].OwnerReferences) != 1 {
		t.Error("the pods lost the ReplicaSet that owns them")
	}
}
