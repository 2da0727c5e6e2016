package fleet

import (
	"errors"
	"fmt"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
)

// Two ways in which the API server refuses a revision: for what it is, and for now.
var (
	invalid   = apierrors.NewInvalid(appsv1.SchemeGroupVersion.WithKind("ControllerRevision").GroupKind(), "web-1", nil)
	forbidden = apierrors.NewForbidden(revisionResource, "web-1", errors.New("exceeded quota"))
)

var revisionResource = appsv1.SchemeGroupVersion.WithResource("controllerrevisions").GroupResource()

func TestRevisionFailure(t *testing.T) {
	for _, row := range []struct {
		name    string
		err     error
		refused bool
	}{
		{"none", nil, false},
		{"invalid", invalid, true},
		{"no quota", forbidden, true},
		{"a webhook that fails", apierrors.NewInternalError(errors.New("failed calling webhook")), true},
		{"within another error", fmt.Errorf("writing: %w", forbidden), true},
		{"a conflict", apierrors.NewConflict(revisionResource, "web-1", errors.New("modified")), false},
		{"gone", apierrors.NewNotFound(revisionResource, "web-1"), false},
		{"a timeout", apierrors.NewTimeoutError("too long", 1), false},
		{"a timeout of the server's", apierrors.NewServerTimeout(revisionResource, "create", 1), false},
		{"no answer", errors.New("connection refused"), false},
	} {
		t.Run(row.name, func(t *testing.T) {
			want := row.err
			if !row.refused {
				want = nil
			}
			if got := RevisionFailure(row.err); got != want {
				t.Errorf("got %v; want %v", got, want)
			}
		})
	}
}

// Without a revision of its template a Fleet scales and heals with those that there are, and does not roll.
func TestDecideWithoutRevision(t *testing.T) {
	for _, row := range []struct {
		name string
		seen Observed
		want string
	}{
		{"settled but for its template", given(rolledOut("v1"), pods(3, "v1"), wants("v2")), "do nothing"},
		{"scaled up", given(rolledOut("v1"), pods(3, "v1"), wants("v2"), replicas(5)), "create 2 v1"},
		{"scaled down", given(rolledOut("v1"), pods(3, "v1"), wants("v2"), replicas(1)), "delete 2 v1 (surplus)"},
		{"healing", given(rolledOut("v1"), pods(2, "v1"), pods(1, "v1", failed), wants("v2")), "create 1 v1"},
		{"going back", given(rolledOut("v1"), rollingTo("v2"), pods(3, "v1"), wants("v1")), "do nothing"},
		{"without any", given(), "do nothing"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if got := inWords(DecideWithoutRevision(row.seen)); got != row.want {
				t.Errorf("decided to %s; want %s", got, row.want)
			}
			if row.seen.Fleet.Spec.Paused {
				t.Error("the Fleet that was given became paused")
			}
		})
	}
}

func TestProgressingWithoutRevision(t *testing.T) {
	seen := given(generation(7), rolledOut("v1"), pods(3, "v1"), wants("v2"))
	for name, refusal := range map[string]error{"invalid": invalid, "forbidden": forbidden} {
		t.Run(name, func(t *testing.T) {
			status := Status(seen, DecideWithoutRevision(seen), Outcome{RevisionFailure: refusal})
			if got := conditionOf(status, v1alpha1.ConditionProgressing); got != "False FailedCreateRevision" {
				t.Errorf("Progressing is %q", got)
			}
			if got := messageOf(status, v1alpha1.ConditionProgressing); got != refusal.Error() {
				t.Errorf("the message is %q; want %q", got, refusal)
			}
			if status.ObservedGeneration != 7 || status.UpdatedReplicas != 0 || status.UpdateRevision != nameOf("v1") {
				t.Errorf("got %+v", status)
			}
		})
	}
}
