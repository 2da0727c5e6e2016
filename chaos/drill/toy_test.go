package drill

import (
	"context"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/util/workqueue"

	"example.com/twinloop/shared/operator"
)

// toyArgument makes an operator of the test binary.
const toyArgument = "toy-operator"

// toy is a subject that makes, for every ConfigMap want-X, the ConfigMaps made-X and done-X, in the ways that its flags say.
func toy(t *testing.T, flags ...string) Subject {
	t.Helper()
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	s := program(t, binary)
	s.Name = "toy"
	s.Command = operator.Command{Program: binary, Args: append([]string{
		toyArgument, "--kubeconfig={{kubeconfig}}", "--namespace={{namespace}}", "--starts=" + t.TempDir()}, flags...)}
	return s
}

// toyOperator is what the toy does.
type toyOperator struct {
	client    kubernetes.Interface
	namespace string
	// random puts something else into made-X each time. forgets matches the namespaces where it makes no done-X.
	random  bool
	forgets *regexp.Regexp
	// locks has it renew a leader lock in a ConfigMap.
	locks bool
	// edge has it make done-X only when it has just made made-X, which is a mistake.
	edge bool
}

// runToy runs the toy until it is killed.
func runToy(args []string) {
	var o toyOperator
	flags := flag.NewFlagSet(toyArgument, flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "")
	starts := flags.String("starts", "", "folder in which starts are noted")
	wait := flags.Duration("wait", 0, "how long a start after the first takes")
	flags.StringVar(&o.namespace, "namespace", "", "")
	flags.BoolVar(&o.random, "random", false, "")
	flags.BoolVar(&o.edge, "edge", false, "")
	flags.BoolVar(&o.locks, "locks", false, "")
	forgets := flags.String("forgets", "^nowhere$", "")
	_ = flags.Parse(args)
	o.forgets = regexp.MustCompile(*forgets)

	started := filepath.Join(*starts, o.namespace)
	if _, err := os.Stat(started); err == nil {
		time.Sleep(*wait)
	}
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err == nil {
		err = os.WriteFile(started, nil, 0o600)
	}
	if err != nil {
		log.Fatal(err)
	}
	o.client = kubernetes.NewForConfigOrDie(config)
	if o.locks {
		go func() {
			for range time.Tick(100 * time.Millisecond) {
				o.lock(context.Background())
			}
		}()
	}
	o.run(context.Background())
}

func (o *toyOperator) run(ctx context.Context) {
	factory := informers.NewSharedInformerFactoryWithOptions(o.client, 0, informers.WithNamespace(o.namespace))
	lister := factory.Core().V1().ConfigMaps().Lister()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[string]())
	_, _ = factory.Core().V1().ConfigMaps().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(any) { queue.Add("all") },
		UpdateFunc: func(any, any) { queue.Add("all") },
		DeleteFunc: func(any) { queue.Add("all") },
	})
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	for {
		key, _ := queue.Get()
		all, err := lister.List(labels.Everything())
		if err == nil {
			err = o.reconcile(ctx, all)
		}
		if err != nil {
			fmt.Println(err)
			queue.AddRateLimited(key)
		} else {
			queue.Forget(key)
		}
		queue.Done(key)
	}
}

func (o *toyOperator) reconcile(ctx context.Context, all []*corev1.ConfigMap) error {
	for _, wanted := range all {
		name, ok := strings.CutPrefix(wanted.Name, "want-")
		if !ok {
			continue
		}
		made, err := o.create(ctx, "made-"+name, o.random)
		if err != nil {
			return err
		}
		if o.forgets.MatchString(o.namespace) || o.edge && !made {
			continue
		}
		if _, err := o.create(ctx, "done-"+name, false); err != nil {
			return err
		}
	}
	return nil
}

// lock takes or renews the lock, as client-go did before there were Leases.
func (o *toyOperator) lock(ctx context.Context) {
	record := fmt.Sprintf(`{"holderIdentity":"toy","renewTime":"%s"}`, time.Now().Format(time.RFC3339Nano))
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "lock", Annotations: map[string]string{
		resourcelock.LeaderElectionRecordAnnotationKey: record}}}
	_, err := o.client.CoreV1().ConfigMaps(o.namespace).Get(ctx, "lock", metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		_, err = o.client.CoreV1().ConfigMaps(o.namespace).Create(ctx, object, metav1.CreateOptions{})
	} else {
		_, err = o.client.CoreV1().ConfigMaps(o.namespace).Update(ctx, object, metav1.UpdateOptions{})
	}
	if err != nil {
		fmt.Println(err)
	}
}

// create reports whether it made a ConfigMap that there was not.
func (o *toyOperator) create(ctx context.Context, name string, random bool) (bool, error) {
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: map[string]string{"x": "y"}}
	if random {
		object.Data["x"] = fmt.Sprint("drawn ", rand.Uint64())
	}
	_, err := o.client.CoreV1().ConfigMaps(o.namespace).Get(ctx, name, metav1.GetOptions{})
	if !apierrors.IsNotFound(err) {
		return false, err
	}
	_, err = o.client.CoreV1().ConfigMaps(o.namespace).Create(ctx, object, metav1.CreateOptions{})
	return err == nil, err
}

// toyScenario has the toy work twice. The awaits of the steps are up to the test.
func toyScenario(await string) string {
	step := func(name string) string {
		return "- name: " + name + "\n  apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: want-" + name + "}}\n" +
			"  await: " + strings.ReplaceAll(await, "X", name) + "\n"
	}
	return "name: toy\nobserve: [configmaps]\nfaults: [before, after]\nscenario:\n" + step("first") + step("second")
}

const (
	toyDone   = `configmaps.exists(c, c.metadata.name == 'done-X')`
	toyAnyway = `"true"`
)

func runToyDrill(t *testing.T, text string, s Subject, points ...string) *Report {
	t.Helper()
	report, err := Run(t.Context(), Options{
		Definition: parse(t, text), Subject: s, ControlPlane: cp, Lanes: 4, Points: parsePoints(t, points...),
	})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// requireVerdicts wants as many points of each verdict, and so much to be found without a fault.
func requireVerdicts(t *testing.T, report *Report, want map[Verdict]int, faultFree int) {
	t.Helper()
	got := map[Verdict]int{}
	for _, p := range report.Points {
		got[p.Verdict]++
	}
	for _, v := range []Verdict{Passed, Failed, NotReached, NotJudged, NotConfirmed} {
		if got[v] != want[v] {
			t.Errorf("%d points are %s, want %d", got[v], v, want[v])
		}
	}
	if len(report.FaultFree) != faultFree {
		t.Errorf("%d findings without a fault, want %d", len(report.FaultFree), faultFree)
	}
	if t.Failed() {
		var table strings.Builder
		_ = Reports{report}.WriteTable(&table)
		t.Log(table.String())
	}
}

// A restart takes longer than most, as one that waits for a Lease does. Until then the operator rests like one that is done: not
// before it has worked is it judged.
func TestRestartThatTakesLong(t *testing.T) {
	t.Parallel()
	for name, await := range map[string]string{"what it makes is awaited": toyDone, "nothing is awaited": toyAnyway} {
		t.Run(name, func(t *testing.T) {
			report := runToyDrill(t, toyScenario(await), toy(t, "--wait=6s"), "first: POST configmaps #1, before", "first: POST configmaps #2, after")
			requireVerdicts(t, report, map[Verdict]int{Passed: 2}, 0)
		})
	}
}

// A restart that takes longer than a step may last says nothing of the operator, whatever is awaited.
func TestRestartThatTakesTooLong(t *testing.T) {
	t.Parallel()
	for name, await := range map[string]string{"what it makes is awaited": toyDone, "nothing is awaited": toyAnyway} {
		t.Run(name, func(t *testing.T) {
			report := runToyDrill(t, "timeout: 10s\n"+toyScenario(await), toy(t, "--wait=60s"), "first: POST configmaps #1, before")
			requireVerdicts(t, report, map[Verdict]int{NotJudged: 1}, 0)
			if s := report.Summary; s.NotJudged != 1 || s.Passed+s.Failed != 0 || !strings.Contains(report.Points[0].NotJudged, "WATCH configmaps") {
				t.Errorf("%+v: %s", s, report.Points[0].NotJudged)
			}
		})
	}
}

// The operator does not remember to finish what it has begun: wherever it was in the middle of it, and nowhere else.
func TestFindingIsConfirmed(t *testing.T) {
	t.Parallel()
	report := runToyDrill(t, "timeout: 10s\n"+toyScenario(toyDone), toy(t, "--edge"))
	requireVerdicts(t, report, map[Verdict]int{Passed: 4, Failed: 4}, 0)
	for _, p := range report.Points {
		between := p.Point.Ordinal == 1 && p.Point.Fault == After || p.Point.Ordinal == 2 && p.Point.Fault == Before
		if (p.Verdict == Failed) != between {
			t.Errorf("%s: %s", p.Point, p.Verdict)
		}
	}
}

// Nothing is awaited, and what the step before has led to is not there yet when a step ends: the next finds it.
func TestWeakAwait(t *testing.T) {
	t.Parallel()
	requireVerdicts(t, runToyDrill(t, toyScenario(toyAnyway), toy(t)), map[Verdict]int{Passed: 8}, 0)
	report := runToyDrill(t, "timeout: 10s\n"+toyScenario(toyAnyway), toy(t, "--edge"))
	requireVerdicts(t, report, map[Verdict]int{Passed: 4, Failed: 4}, 0)
}

// In one of the fault-free runs something is left undone. That is a finding of its own, and is blamed on no point.
func TestOneOfTheFaultFreeRunsFails(t *testing.T) {
	t.Parallel()
	for name, await := range map[string]string{"it does not settle": toyDone, "it ends in another state": toyAnyway} {
		t.Run(name, func(t *testing.T) {
			report := runToyDrill(t, "timeout: 10s\n"+toyScenario(await), toy(t, "--forgets=-reference-2$"))
			requireVerdicts(t, report, map[Verdict]int{Passed: 8}, 1)
			if t.Failed() {
				return
			}
			if f := report.FaultFree[0]; f.Runs != 1 || f.Of != 3 {
				t.Errorf("in %d of %d runs", f.Runs, f.Of)
			}
		})
	}
}

// The first run of a point goes wrong two steps before its fault: it is run again, and the finding is one without a fault.
func TestRunThatFailsBeforeItsFault(t *testing.T) {
	t.Parallel()
	for name, await := range map[string]string{"it does not settle": toyDone, "it ends in another state": toyAnyway} {
		t.Run(name, func(t *testing.T) {
			report := runToyDrill(t, "timeout: 10s\n"+toyScenario(await), toy(t, "--forgets=^toy-....-1$"), "second: POST configmaps #1, after")
			requireVerdicts(t, report, map[Verdict]int{Passed: 1}, 1)
			if t.Failed() {
				return
			}
			if f := report.FaultFree[0]; f.Before != 1 || report.Points[0].Attempts != 2 {
				t.Errorf("before its fault in %d runs, %d attempts", f.Before, report.Points[0].Attempts)
			}
		})
	}
}

// A leader lock in a ConfigMap is renewed without end. That is no work: not awaited, no point, and no state to compare.
func TestLeaderLockInAConfigMap(t *testing.T) {
	t.Parallel()
	requireVerdicts(t, runToyDrill(t, toyScenario(toyDone), toy(t, "--locks")), map[Verdict]int{Passed: 8}, 0)
	idle := "silence: 2s\n" + strings.Replace(toyScenario(toyDone), "faults: [before, after]\n", "", 1)
	requireVerdicts(t, runToyDrill(t, idle, toy(t, "--locks")), map[Verdict]int{Passed: 2}, 0)
}

// A step lasts until what it applies has been observed, however soon its await is true.
func TestStepLastsUntilItsObjectIsObserved(t *testing.T) {
	t.Parallel()
	var text strings.Builder
	text.WriteString("name: unseen\nobserve: [configmaps]\nsilence: 100ms\nscenario:\n")
	for i := range 12 {
		fmt.Fprintf(&text, "- {name: s%d, apply: {apiVersion: v1, kind: ConfigMap, metadata: {name: c%d}}, await: \"true\"}\n", i, i)
	}
	a, err := newArena(t.Context(), parse(t, text.String()), toy(t), cp)
	if err != nil {
		t.Fatal(err)
	}
	defer a.close()
	p := a.faultFreePlan()
	p.longRest = false
	run, err := a.run(t.Context(), a.name, p)
	if err != nil || run.Failure != nil {
		t.Fatal(err, run.Failure)
	}
	for i, step := range run.Steps {
		if len(step.snapshot) != i+1 {
			t.Errorf("after %s there were %d ConfigMaps, want %d", step.Name, len(step.snapshot), i+1)
		}
	}
}

// What the operator makes is different each time. That is no finding, not even of a single point, and is told of.
func TestFieldThatDiffersWithoutAFault(t *testing.T) {
	t.Parallel()
	for name, points := range map[string][]string{"at all points": nil, "at one": {"second: POST configmaps #1, after"}} {
		t.Run(name, func(t *testing.T) {
			report := runToyDrill(t, "timeout: 10s\n"+toyScenario(toyDone), toy(t, "--random"), points...)
			requireVerdicts(t, report, map[Verdict]int{Passed: max(1, 8*min(1, 1-len(points)))}, 0)
			if got := ignoreLine(report.Ignored); got != `ignore: ["configmaps: data.x"]` {
				t.Errorf("got %s", got)
			}
		})
	}
}
