package minictl

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
)

// The sentences are those of DeploymentStatusViewer in k8s.io/kubectl pkg/polymorphichelpers.
func TestRolloutStatusSaysWhatKubectlSays(t *testing.T) {
	for want, status := range map[string]appsv1.DeploymentStatus{
		`Waiting for deployment spec update to be observed...`: {
			ObservedGeneration: 1,
		},
		`Waiting for deployment "web" rollout to finish: 1 out of 3 new replicas have been updated...`: {
			ObservedGeneration: 2, Replicas: 4, UpdatedReplicas: 1,
		},
		`Waiting for deployment "web" rollout to finish: 1 old replicas are pending termination...`: {
			ObservedGeneration: 2, Replicas: 4, UpdatedReplicas: 3,
		},
		`Waiting for deployment "web" rollout to finish: 2 of 3 updated replicas are available...`: {
			ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 2,
		},
		`deployment "web" successfully rolled out`: {
			ObservedGeneration: 2, Replicas: 3, UpdatedReplicas: 3, AvailableReplicas: 3,
		},
	} {
		d := deployment(3, "1", "0")
		d.Generation, d.Status = 2, status
		got, done, err := rolloutStatus(d)
		if err != nil || got != want || done != (status.AvailableReplicas == 3) {
			t.Errorf("got %q, %t and %v, want %q", got, done, err, want)
		}
	}
	late := deployment(3, "1", "0")
	late.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, Reason: timedOutReason}}
	_, _, err := rolloutStatus(late)
	mustFail(t, err, `deployment "web" exceeded its progress deadline`)
}

func TestUndo(t *testing.T) {
	c := rolled(t, deployment(2, "1", "0"))
	for _, image := range []string{"web:2.0", "web:3.0"} {
		c.Kubectl.SetImage("web", image)
		tickUntil(t, c, "the rollout of "+image, rolledOut(c))
	}
	undo := func(to int, image string, revisions ...int) {
		t.Helper()
		if err := c.Kubectl.RolloutUndo("web", to); err != nil {
			t.Fatal(err)
		}
		tickUntil(t, c, "the undo", rolledOut(c))
		if got := web(t, c).Spec.Template.Spec.Containers[0].Image; got != image {
			t.Errorf("image is %s, want %s", got, image)
		}
		got, err := c.Kubectl.Revisions("web")
		if diff := cmp.Diff(revisions, got); err != nil || diff != "" {
			t.Errorf("revisions: %v (-want +got):\n%s", err, diff)
		}
	}
	undo(0, "web:2.0", 1, 3, 4)
	undo(1, "web:1.0", 3, 4, 5)
	undo(5, "web:1.0", 3, 4, 5) // it is there already
	mustFail(t, c.Kubectl.RolloutUndo("web", 9), "unable to find specified revision 9 in history")

	history, err := c.Kubectl.RolloutHistory("web")
	want := "REVISION  CHANGE-CAUSE\n3         <none>\n4         <none>\n5         <none>\n"
	if diff := cmp.Diff(want, history); err != nil || diff != "" {
		t.Errorf("history: %v (-want +got):\n%s", err, diff)
	}
	if marked := web(t, c).Annotations[revisionAnnotation]; marked != "5" {
		t.Errorf("the Deployment is marked with revision %q, want 5", marked)
	}
}
