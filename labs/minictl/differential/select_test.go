package differential

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/labs/minictl"
	"example.com/twinloop/shared/controlplane/controlplanetest"
)

// shelf is what the selectors choose from.
var shelf = map[string]map[string]string{
	"web-prod":   {"app": "web", "env": "prod"},
	"web-stage":  {"app": "web", "env": "stage", "tier": "front"},
	"web-canary": {"app": "web", "env": "prod", "canary": "yes"},
	"db-prod":    {"app": "db", "env": "prod", "generation": "12"},
	"db-canary":  {"app": "db", "canary": ""},
	"no-value":   {"app": "", "env": ""},
	"prefixed":   {"example.com/app": "web", "generation": "7"},
	"no-labels":  nil,
}

// TestSelect asks kubectl get -l, and minictl select of everything there is. Either both refuse or both choose the same.
func TestSelect(t *testing.T) {
	t.Parallel()
	client := controlplanetest.Client(t, cp)
	namespace := controlplanetest.Namespace(t, client)
	config := kubeconfig(t, namespace)
	for name, set := range shelf {
		_, err := client.CoreV1().Pods(namespace).Create(t.Context(), &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: set},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "app:1.0"}}},
		}, metav1.CreateOptions{})
		if err != nil {
			t.Fatal(err)
		}
	}
	kubectl := func(args ...string) ([]byte, error) {
		args = append([]string{"--kubeconfig", config, "get", "pods"}, args...)
		return exec.CommandContext(t.Context(), cp.Bin("kubectl"), args...).Output()
	}
	everything, err := kubectl("-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	for selector, chosen := range map[string]int{
		"app=web":                        3,
		"app==web":                       3,
		"app = web , env = prod":         2,
		"env!=prod":                      5, // what has no env is not prod either
		"app=web,env!=prod":              1,
		"env in (prod)":                  3,
		"env in (prod, stage)":           4,
		"env notin (prod)":               5,
		"app in (web,db),!canary":        3,
		"canary":                         2,
		"!canary":                        6,
		"app=":                           1,
		"app!=":                          7,
		"app":                            6,
		"env in ()":                      1,
		"env in (,prod)":                 4,
		"env notin (,prod)":              4,
		"generation>7":                   1,
		"generation<12":                  1,
		"generation>6,generation<13":     2,
		"example.com/app=web":            1,
		"app=web,app=db":                 0,
		"app=web,":                       refused,
		"":                               8,
		"in in (in)":                     0,
		"app=in":                         0,
		"app in (web":                    refused,
		"app in web":                     refused,
		"app=web,,env":                   refused,
		"app web":                        refused,
		"app=web)":                       refused,
		"!app=web":                       refused,
		"app>web":                        refused,
		"-app=web":                       refused,
		"app=-web":                       refused,
		"a/b/c=web":                      refused,
		"app=" + strings.Repeat("x", 64): refused,
	} {
		t.Run(selector, func(t *testing.T) {
			output, theirs := kubectl("-l", selector, "-o", "name")
			parsed, ours := minictl.ParseSelector(selector)
			if (theirs != nil) != (chosen == refused) || (ours != nil) != (chosen == refused) {
				t.Fatalf("kubectl: %v; minictl: %v; want that both refuse: %t", theirs, ours, chosen == refused)
			}
			if chosen == refused {
				return
			}
			want := strings.Fields(string(output))
			got, err := minictl.Select(everything, parsed)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, append([]string{}, got...)); diff != "" {
				t.Errorf("(-kubectl +minictl):\n%s", diff)
			}
			if len(got) != chosen {
				t.Errorf("chose %d, want %d", len(got), chosen)
			}
		})
	}
}

// refused stands for a malformed selector.
const refused = -1
