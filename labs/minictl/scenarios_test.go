package minictl

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/util/intstr"
)

func scenario(t *testing.T, name string) Scenario {
	t.Helper()
	for _, s := range Scenarios() {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no scenario %q", name)
	return Scenario{}
}

// What each scenario is there to show.
func TestScenariosShowWhatTheySay(t *testing.T) {
	for name, want := range map[string]string{
		"self-heal":  "ticks_until_ready_after_eviction: 3, pods: 3, ready: 3",
		"rolling":    "max_pods: 4, min_ready: 3, revisions: [1, 2]",
		"rollback":   "stalled_pods: 4, stalled_ready: 3, max_pods: 4, min_ready: 3, revisions: [2, 3]",
		"conflict":   "conflicts: 1, pods: 4",
		"quarantine": "pods_with_the_sick_one: 4, owner_of_the_sick_one: <none>, pods_when_it_is_back: 3",
		"gc": "ticks_until_replicaset_gone: 1, ticks_until_pods_gone: 2, " +
			"orphaned_replicasets: 1, pods_of_the_orphan: 3, pods: 3",
		"resync":          "ticks_until_replaced: 7, pods: 3",
		"relist":          "pods_while_disconnected: 2, replacements: 1, pods: 3",
		"recreate":        "max_pods: 3, min_ready: 0, revisions: [1, 2]",
		"min-ready":       "max_pods: 4, min_ready: 3, min_ready_after_flap: 3",
		"over-create":     "wanted: 5, max_pods: 7, pods: 5",
		"expectations":    "wanted: 5, max_pods: 5, ticks_waited_for_lost_news: 10, wanted_at_the_end: 7, pods: 7",
		"missed-events":   "pods_under_the_supervisor: 8, pods_under_the_controller: 10",
		"two-supervisors": "pods_under_the_supervisors: 11, max_pods_under_the_controllers: 12, pods_under_the_controllers: 10",
		"all-at-once":     "min_ready_under_the_supervisor: 0, min_ready_under_the_deployment: 10",
	} {
		t.Run(name, func(t *testing.T) {
			s := scenario(t, name)
			result, err := s.Play(s.Defaults)
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, fact := range result.Summary {
				got[fact.Key] = fact.String()
			}
			for line := range strings.SplitSeq(want, ", ") {
				if strings.HasSuffix(line, "]") && !strings.Contains(line, ":") {
					continue // the rest of a list
				}
				key, value, _ := strings.Cut(line, ": ")
				if !strings.HasPrefix(got[key], value) {
					t.Errorf("%s is %s, want %s", key, got[key], value)
				}
			}
		})
	}
}

func TestEveryScenarioIsTested(t *testing.T) {
	if n := len(Scenarios()); n != 15 {
		t.Errorf("there are %d scenarios, and the table has 15", n)
	}
}

func TestAConflictIsLoggedWithItsDelay(t *testing.T) {
	s := scenario(t, "conflict")
	result, err := s.Play(s.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range result.Log {
		if r.Source == "replicaset-controller" && strings.HasSuffix(r.Message, "requeue in 1 tick(s)") {
			return
		}
	}
	t.Error("no controller lost a race")
}

// The same scenario prints and draws the same, byte for byte.
func TestScenariosAreDeterministic(t *testing.T) {
	for _, s := range Scenarios() {
		var prints [2]bytes.Buffer
		for i := range prints {
			result, err := s.Play(s.Defaults)
			if err := errors.Join(err, result.Print(&prints[i]), Draw(&prints[i], result)); err != nil {
				t.Fatalf("%s: %v", s.Name, err)
			}
		}
		if diff := cmp.Diff(prints[0].String(), prints[1].String()); diff != "" {
			t.Errorf("%s (-first +second):\n%s", s.Name, diff)
		}
	}
}

// Events come down to fewer reconciles in every scenario.
func TestTheQueueJoinsEvents(t *testing.T) {
	for _, s := range Scenarios() {
		result, err := s.Play(s.Defaults)
		if err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		for _, c := range result.Controllers {
			if c.Reconciles >= c.Events {
				t.Errorf("%s: %s made %d reconciles of %d events", s.Name, c.Name, c.Reconciles, c.Events)
			}
		}
	}
}

func TestScenariosAreSafeAtAnySize(t *testing.T) {
	for _, s := range Scenarios() {
		for _, replicas := range []int32{0, 1, 2, 7} {
			p := s.Defaults
			p.Replicas, p.Ticks = replicas, 1000
			if _, err := s.Play(p); err != nil && !strings.HasPrefix(err.Error(), "--replicas: ") {
				t.Errorf("%s with %d replicas: %v", s.Name, replicas, err)
			}
		}
	}
}

func TestParametersAreChecked(t *testing.T) {
	for want, change := range map[string]func(*Parameters){
		"--replicas: must be":                           func(p *Parameters) { p.Replicas = -1 },
		"--ready-after: must be":                        func(p *Parameters) { p.ReadyAfter = 0 },
		"--min-ready-seconds: must be":                  func(p *Parameters) { p.MinReadySeconds = -2 },
		"--ticks: must be":                              func(p *Parameters) { p.Ticks = 0 },
		"--surge: must be a number or":                  func(p *Parameters) { p.Surge = intstr.Parse("ten") },
		"--unavailable: must not be negative":           func(p *Parameters) { p.Unavailable = intstr.Parse("-1%") },
		"--surge and --unavailable: must not both be 0": func(p *Parameters) { p.Surge = intstr.Parse("0%") },
		"--ticks: 5 were not enough":                    func(p *Parameters) { p.Ticks = 5 },
	} {
		s := scenario(t, "rolling")
		p := s.Defaults
		change(&p)
		_, err := s.Play(p)
		mustFail(t, err, want)
	}
}

// A run that fails tells of nothing that did not happen.
func TestTheFirstErrorEndsARun(t *testing.T) {
	s := scenario(t, "rolling")
	p := s.Defaults
	p.ReadyAfter = 500
	result, err := s.Play(p)
	mustFail(t, err, "--ticks: 200 were not enough")
	if last := result.Log[len(result.Log)-1]; len(result.Summary) > 0 || last.Tick == p.Ticks {
		t.Errorf("it went on with %+v, and found %v", last, result.Summary)
	}
}

// A ReplicaSet does not keep a rollout's bounds, and a rollout does not before it begins.
func TestBoundsAreDrawnWhereTheyAreKept(t *testing.T) {
	for _, s := range Scenarios() {
		result, err := s.Play(s.Defaults)
		if err != nil {
			t.Fatal(err)
		}
		if result.Bounds == (Bounds{}) {
			continue
		}
		for _, sample := range result.Samples[result.BoundsFrom:] {
			if sample.Total() > result.Bounds.MaxPods || sample.Ready() < result.Bounds.MinAvailable {
				t.Errorf("%s: tick %d has %d pods, %d ready, and the bounds are %+v",
					s.Name, sample.Tick, sample.Total(), sample.Ready(), result.Bounds)
			}
		}
	}
}

func TestPicture(t *testing.T) {
	s := scenario(t, "rolling")
	result, err := s.Play(s.Defaults)
	if err != nil {
		t.Fatal(err)
	}
	var drawn bytes.Buffer
	if err := Draw(&drawn, result); err != nil {
		t.Fatal(err)
	}
	elements := map[string]int{}
	for decoder := xml.NewDecoder(bytes.NewReader(drawn.Bytes())); ; {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the picture is not well formed: %v", err)
		}
		if element, ok := token.(xml.StartElement); ok {
			class := ""
			for _, a := range element.Attr {
				if a.Name.Local == "class" {
					class = "." + a.Value
				}
			}
			elements[element.Name.Local+class]++
		}
	}
	// Six pods, three of which go; every state is in the legend once.
	for element, want := range map[string]int{
		"line.bound": 2, "line.moment": 1, "rect.pending": 7, "rect.terminating": 4, "text.group": 2, "path.total": 1,
	} {
		if elements[element] != want {
			t.Errorf("%d of %s, want %d", elements[element], element, want)
		}
	}
	for _, want := range []string{"prefers-color-scheme: dark", "at most 4 in all", "at least 3 available"} {
		if !strings.Contains(drawn.String(), want) {
			t.Errorf("the picture lacks %q", want)
		}
	}
	if strings.Count(drawn.String(), "http://") != 1 || strings.Contains(drawn.String(), "ZgotmplZ") {
		t.Error("the picture is not self-contained, or a value was filtered from it")
	}
}

func TestRoundStep(t *testing.T) {
	for most, want := range map[int]int{1: 1, 6: 1, 7: 2, 13: 5, 60: 10, 200: 50} {
		if got := roundStep(most, 6); got != want {
			t.Errorf("%d: got %d, want %d", most, got, want)
		}
	}
}
