package suite

import (
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"example.com/twinloop/shared/controlplane/controlplanetest"
)

// Behaviour 11: the API server rejects what makes no sense, and says what to change. No operator is needed for that.

// good is a Fleet that is accepted; each refusal is what a merge patch (RFC 7386) makes of it.
const good = `{
	"apiVersion": "fleet.twinloop.example.com/v1alpha1", "kind": "Fleet",
	"metadata": {"name": "web"},
	"spec": {
		"selector": {"matchLabels": {"app": "web"}},
		"template": {
			"metadata": {"labels": {"app": "web"}},
			"spec": {"containers": [{"name": "app", "image": "web:1.0"}]}
		}
	}
}`

var refusals = []struct {
	name, patch string
	// says are parts of the message: the field, and what it must be.
	says []string
}{
	{"negative replicas", `{"spec":{"replicas":-1}}`, []string{"spec.replicas", "greater than or equal to 0"}},
	{"replicas that are no number", `{"spec":{"replicas":"three"}}`,
		[]string{"spec.replicas", "must be of type integer"}},
	{"negative minReadySeconds", `{"spec":{"minReadySeconds":-1}}`,
		[]string{"spec.minReadySeconds", "greater than or equal to 0"}},
	{"no time for progress", `{"spec":{"progressDeadlineSeconds":0}}`,
		[]string{"spec.progressDeadlineSeconds", "greater than or equal to 1"}},
	{"negative history", `{"spec":{"revisionHistoryLimit":-1}}`,
		[]string{"spec.revisionHistoryLimit", "greater than or equal to 0"}},

	{"no selector", `{"spec":{"selector":null}}`, []string{"spec.selector", "Required value"}},
	{"empty selector", `{"spec":{"selector":{"matchLabels":null}}}`, []string{"spec.selector must not be empty"}},
	{"selector of no labels", `{"spec":{"selector":{"matchLabels":null,"matchExpressions":[]}}}`,
		[]string{"spec.selector must not be empty"}},
	{"no template", `{"spec":{"template":null}}`, []string{"spec.template", "Required value"}},
	{"template without a pod", `{"spec":{"template":{"spec":null}}}`, []string{"spec.template.spec", "Required value"}},
	{"template without containers", `{"spec":{"template":{"spec":{"containers":null}}}}`,
		[]string{"spec.template.spec.containers", "Required value"}},
	{"selector that misses the labels", `{"spec":{"selector":{"matchLabels":{"app":"db"}}}}`,
		[]string{"spec.template", "spec.template.metadata.labels must carry every label of spec.selector.matchLabels"}},
	{"selector that misses a label", `{"spec":{"selector":{"matchLabels":{"app":"web","tier":"front"}}}}`,
		[]string{"must carry every label of spec.selector.matchLabels"}},
	{"template without labels", `{"spec":{"template":{"metadata":null}}}`,
		[]string{"must carry every label of spec.selector.matchLabels"}},
	{"requirement that the labels miss",
		`{"spec":{"selector":{"matchExpressions":[{"key":"app","operator":"NotIn","values":["web"]}]}}}`,
		[]string{"spec.template.metadata.labels must satisfy every requirement of spec.selector.matchExpressions"}},
	{"values of a requirement that takes none",
		`{"spec":{"selector":{"matchExpressions":[{"key":"app","operator":"Exists","values":["web"]}]}}}`,
		[]string{"spec.selector.matchExpressions", "In and NotIn need values, Exists and DoesNotExist take none"}},
	{"requirement without values",
		`{"spec":{"selector":{"matchExpressions":[{"key":"app","operator":"In"}]}}}`,
		[]string{"spec.selector.matchExpressions", "In and NotIn need values, Exists and DoesNotExist take none"}},
	{"operator that there is not",
		`{"spec":{"selector":{"matchExpressions":[{"key":"app","operator":"Equals","values":["web"]}]}}}`,
		[]string{"spec.selector.matchExpressions[0].operator", `"In", "NotIn", "Exists", "DoesNotExist"`}},

	{"unknown strategy", `{"spec":{"strategy":{"type":"Rolling"}}}`,
		[]string{"spec.strategy.type", `"RollingUpdate"`, `"Recreate"`}},
	{"bounds of a Recreate", `{"spec":{"strategy":{"type":"Recreate","rollingUpdate":{"maxSurge":1}}}}`,
		[]string{"spec.strategy.rollingUpdate may be set only when spec.strategy.type is RollingUpdate"}},
	{"negative surge", `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":-1}}}}`,
		[]string{"maxSurge must be a number of pods, 0 or more, or a percentage"}},
	{"surge of no percentage", `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":"half"}}}}`,
		[]string{"maxSurge must be a number of pods, 0 or more, or a percentage"}},
	{"surge of a quoted number", `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":"1"}}}}`,
		[]string{"maxSurge must be a number of pods, 0 or more, or a percentage"}},
	{"negative percentage", `{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":"-5%"}}}}`,
		[]string{"maxUnavailable must be a number of pods, 0 or more, or a percentage"}},
	{"more than all unavailable", `{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":"101%"}}}}`,
		[]string{"maxUnavailable", `from "0%" to "100%"`}},

	{"no zone", `{"spec":{"dns":{}}}`, []string{"spec.dns.zone", "Required value"}},
	{"empty zone", `{"spec":{"dns":{"zone":""}}}`, []string{"spec.dns.zone", "must be a domain name"}},
	{"zone with a space", `{"spec":{"dns":{"zone":"fleet test"}}}`, []string{"spec.dns.zone", "must be a domain name"}},
	{"zone in capitals", `{"spec":{"dns":{"zone":"Fleet.test"}}}`, []string{"spec.dns.zone", "in lower case"}},
	{"zone with an empty label", `{"spec":{"dns":{"zone":"fleet..test"}}}`,
		[]string{"spec.dns.zone", "must be a domain name"}},
	{"zone with an underscore", `{"spec":{"dns":{"zone":"_fleet.test"}}}`,
		[]string{"spec.dns.zone", "must be a domain name"}},
	{"zone with a long label", `{"spec":{"dns":{"zone":"` + strings.Repeat("a", 64) + `.test"}}}`,
		[]string{"spec.dns.zone", "must be a domain name"}},
	{"long zone", `{"spec":{"dns":{"zone":"` + strings.Repeat("fleet.", 50) + `test"}}}`,
		[]string{"spec.dns.zone", "253"}},
	{"negative TTL", `{"spec":{"dns":{"zone":"fleet.test","ttl":-1}}}`,
		[]string{"spec.dns.ttl", "greater than or equal to 0"}},
	{"TTL that no record can have", `{"spec":{"dns":{"zone":"fleet.test","ttl":2147483648}}}`,
		[]string{"spec.dns.ttl", "2147483647"}},
	{"name that is no label of a domain",
		`{"metadata":{"name":"` + strings.Repeat("w", 64) + `"},"spec":{"dns":{"zone":"fleet.test"}}}`,
		[]string{"metadata.name", "at most 63 characters"}},

	{"name that leaves no room for a hash", `{"metadata":{"name":"` + strings.Repeat("w", 243) + `"}}`,
		[]string{"metadata.name must be at most 242 characters long"}},

	{"misspelled field", `{"spec":{"replica":3}}`, []string{`unknown field "spec.replica"`}},
	{"misspelled field of the template", `{"spec":{"template":{"spec":{"container":[]}}}}`,
		[]string{`unknown field "spec.template.spec.container"`}},
}

// limits are the last values that are accepted.
var limits = []struct{ name, patch string }{
	{"no pods", `{"spec":{"replicas":0}}`},
	{"no history", `{"spec":{"revisionHistoryLimit":0}}`},
	{"a requirement alone",
		`{"spec":{"selector":{"matchLabels":null,
			"matchExpressions":[{"key":"app","operator":"In","values":["web","db"]}]}}}`},
	{"an absent label", `{"spec":{"selector":{"matchExpressions":[{"key":"canary","operator":"DoesNotExist"}]}}}`},
	{"both bounds zero", `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":0,"maxUnavailable":"0%"}}}}`},
	{"a surge of 999%", `{"spec":{"strategy":{"rollingUpdate":{"maxSurge":"999%"}}}}`},
	{"all unavailable", `{"spec":{"strategy":{"rollingUpdate":{"maxUnavailable":"100%"}}}}`},
	{"a zone with a final dot", `{"spec":{"dns":{"zone":"fleet.test."}}}`},
	{"a zone of one label", `{"spec":{"dns":{"zone":"test"}}}`},
	{"a zone with a long label", `{"spec":{"dns":{"zone":"` + strings.Repeat("a", 63) + `.test"}}}`},
	{"no TTL", `{"spec":{"dns":{"zone":"fleet.test","ttl":0}}}`},
	{"a name that just leaves room for a hash", `{"metadata":{"name":"` + strings.Repeat("w", 242) + `"}}`},
	{"a name that is the longest label of a domain",
		`{"metadata":{"name":"` + strings.Repeat("w", 63) + `"},"spec":{"dns":{"zone":"fleet.test"}}}`},
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	create := creator(t)
	if err := create(good); err != nil {
		t.Fatalf("the Fleet that all refusals are made of is refused itself: %v", err)
	}
	for _, r := range refusals {
		t.Run(r.name, func(t *testing.T) { refused(t, create(merged(t, good, r.patch)), r.says...) })
	}
}

// What is just within the limits is accepted.
func TestAccept(t *testing.T) {
	t.Parallel()
	create := creator(t)
	for _, limit := range limits {
		t.Run(limit.name, func(t *testing.T) {
			if err := create(merged(t, good, limit.patch)); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a Fleet selects is settled when it is created.
func TestRefuseChangedSelector(t *testing.T) {
	t.Parallel()
	kube, fleets := clients(t)
	client := fleets.FleetV1alpha1().Fleets(controlplanetest.Namespace(t, kube))
	if _, err := client.Create(t.Context(), fleet("web", replicas(0)), metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	for name, patch := range map[string]string{
		"changed": `{"spec":{"selector":{"matchLabels":{"app":"db"}},"template":{"metadata":{"labels":{"app":"db"}}}}}`,
		"wider": `{"spec":{"selector":{"matchLabels":{"app":null},
			"matchExpressions":[{"key":"app","operator":"Exists"}]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := client.Patch(t.Context(), "web", types.MergePatchType, []byte(patch), metav1.PatchOptions{})
			refused(t, err, "spec.selector is immutable; create another Fleet to select other pods")
		})
	}
}

// creator returns what asks the API server whether it would create an object, as strictly as kubectl does.
func creator(t *testing.T) func(document string) error {
	kube, fleets := clients(t)
	namespace := controlplanetest.Namespace(t, kube)
	client := fleets.FleetV1alpha1().RESTClient()
	return func(document string) error {
		return client.Post().Namespace(namespace).Resource("fleets").
			Param("dryRun", metav1.DryRunAll).Param("fieldValidation", metav1.FieldValidationStrict).
			SetHeader("Content-Type", "application/json").Body([]byte(document)).
			Do(t.Context()).Error()
	}
}

func refused(t *testing.T, err error, says ...string) {
	t.Helper()
	if err == nil {
		t.Fatal("accepted")
	}
	for _, part := range says {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("the message does not say %q: %v", part, err)
		}
	}
}

func merged(t *testing.T, document, patch string) string {
	t.Helper()
	result, err := jsonpatch.MergePatch([]byte(document), []byte(patch))
	if err != nil {
		t.Fatal(err)
	}
	return string(result)
}
