package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/klog/v2"
	"k8s.io/klog/v2/ktesting"
	"k8s.io/utils/ptr"

	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
	"example.com/twinloop/shared/operator"
)

// patience is how long a test waits for what must happen. It is spent only by a test that fails.
const patience = 30 * time.Second

var cp *controlplane.ControlPlane

func TestMain(m *testing.M) { controlplanetest.Main(m, controlplane.Options{}, &cp) }

// seldom are the options of a replica that would not come round to a second try while a test lasts.
var seldom = options{leaseDuration: 3 * time.Hour, renewDeadline: 2 * time.Hour, retryPeriod: time.Hour}

// often are the options of a replica that tries all the time.
var often = options{leaseDuration: time.Minute, renewDeadline: 45 * time.Second, retryPeriod: 100 * time.Millisecond}

// An electorate is the replicas of a test, which contend for the Lease of its namespace, and who of them works.
type electorate struct {
	*testing.T
	kube      kubernetes.Interface
	namespace string
	working   atomic.Int32
	leading   chan *replica // those that have begun to work
}

// A replica leads as the operator does; its work is to see that nobody else works.
type replica struct {
	stop     context.CancelFunc
	ended    chan error
	watchdog *leaderelection.HealthzAdaptor
	watch    *watchSpy
	log      ktesting.Buffer
}

func newElectorate(t *testing.T) *electorate {
	t.Parallel()
	kube := controlplanetest.Client(t, cp)
	return &electorate{T: t, kube: kube, namespace: controlplanetest.Namespace(t, kube), leading: make(chan *replica, 10)}
}

// launch starts a replica as somebody.
func (e *electorate) launch(as *rest.Config, o options) *replica {
	e.Helper()
	spy := newWatchSpy()
	config := rest.CopyConfig(as)
	config.Wrap(func(transport http.RoundTripper) http.RoundTripper {
		spy.transport = transport
		return spy
	})
	kube, err := kubernetes.NewForConfig(config)
	if err != nil {
		e.Fatal(err)
	}
	logger := ktesting.NewLogger(ktesting.NopTL{}, ktesting.NewConfig(ktesting.BufferLogs(true)))
	ctx, stop := context.WithCancel(klog.NewContext(context.WithoutCancel(e.Context()), logger))
	r := &replica{
		stop:  stop,
		ended: make(chan error, 1),
		// Any leader that it knows of has renewed too long ago.
		watchdog: leaderelection.NewLeaderHealthzAdaptor(-24 * time.Hour),
		watch:    spy,
		log:      logger.GetSink().(ktesting.Underlier).GetBuffer(),
	}
	work := func(ctx context.Context) error {
		if n := e.working.Add(1); n != 1 {
			e.Errorf("%d replicas work", n)
		}
		e.leading <- r
		<-ctx.Done()
		e.working.Add(-1)
		return nil
	}
	var running sync.WaitGroup
	running.Go(func() { r.ended <- o.lead(ctx, kube, e.namespace, r.watchdog, work) })
	e.Cleanup(func() {
		stop()
		running.Wait()
	})
	return r
}

// leader waits for the next replica that begins to work.
func (e *electorate) leader() *replica {
	e.Helper()
	return await(e.T, e.leading, "a leader")
}

func await[T any](t *testing.T, events <-chan T, what string) T {
	t.Helper()
	select {
	case event := <-events:
		return event
	case <-time.After(patience):
		t.Fatalf("waited %s for %s", patience, what)
		panic("unreachable")
	}
}

// A watchSpy sees the watch of a replica.
type watchSpy struct {
	transport http.RoundTripper
	refused   chan struct{} // a value each time
	filled    chan struct{} // closed when the replica has been sent what there was at the start
	closed    chan struct{} // closed when the replica has had enough
	fill      sync.Once
	close     sync.Once
}

func newWatchSpy() *watchSpy {
	return &watchSpy{refused: make(chan struct{}, 100), filled: make(chan struct{}), closed: make(chan struct{})}
}

func (s *watchSpy) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := s.transport.RoundTrip(request)
	switch query := request.URL.Query(); {
	case err != nil || !query.Has("fieldSelector"):
	case response.StatusCode == http.StatusForbidden:
		s.refused <- struct{}{}
	case query.Has("watch"):
		response.Body = &spiedBody{ReadCloser: response.Body, spy: s}
	}
	return response, err
}

type spiedBody struct {
	io.ReadCloser
	spy     *watchSpy
	content []byte
}

func (b *spiedBody) Read(into []byte) (int, error) {
	n, err := b.ReadCloser.Read(into)
	b.content = append(b.content, into[:n]...)
	if bytes.Contains(b.content, []byte(metav1.InitialEventsAnnotationKey)) {
		b.spy.fill.Do(func() { close(b.spy.filled) })
	}
	return n, err
}

func (b *spiedBody) Close() error {
	b.spy.close.Do(func() { close(b.spy.closed) })
	return b.ReadCloser.Close()
}

// asOperator is the operator's ServiceAccount, which may do what the operator's manifest lets it.
func (e *electorate) asOperator() *rest.Config {
	e.Helper()
	handwired, err := operator.Find("handwired")
	if err != nil {
		e.Fatal(err)
	}
	identity, err := handwired.Install(e.Context(), e.kube)
	if err != nil {
		e.Fatal(err)
	}
	if err := identity.Bind(e.Context(), e.kube, e.namespace); err != nil {
		e.Fatal(err)
	}
	return e.as(identity.Account)
}

// asBlind is a ServiceAccount that may do with Leases what it takes to try for one, but not watch them.
func (e *electorate) asBlind() *rest.Config {
	e.Helper()
	const name = "blind"
	meta := metav1.ObjectMeta{Name: name}
	account := types.NamespacedName{Namespace: e.namespace, Name: name}
	_, err := e.kube.CoreV1().ServiceAccounts(e.namespace).
		Create(e.Context(), &corev1.ServiceAccount{ObjectMeta: meta}, metav1.CreateOptions{})
	if err != nil {
		e.Fatal(err)
	}
	_, err = e.kube.RbacV1().Roles(e.namespace).Create(e.Context(), &rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{coordinationv1.GroupName}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update"},
	}}}, metav1.CreateOptions{})
	if err != nil {
		e.Fatal(err)
	}
	_, err = e.kube.RbacV1().RoleBindings(e.namespace).Create(e.Context(), &rbacv1.RoleBinding{
		ObjectMeta: meta,
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: e.namespace, Name: name}},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
	}, metav1.CreateOptions{})
	if err != nil {
		e.Fatal(err)
	}
	return e.as(account)
}

func (e *electorate) as(account types.NamespacedName) *rest.Config {
	e.Helper()
	kubeconfig, err := cp.Kubeconfig(e.Context(), controlplane.Access{ServiceAccount: account})
	if err != nil {
		e.Fatal(err)
	}
	config, err := clientcmd.RESTConfigFromKubeConfig(kubeconfig)
	if err != nil {
		e.Fatal(err)
	}
	config.QPS = -1
	return config
}

func (e *electorate) lock(identity string) *resourcelock.LeaseLock {
	return &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Namespace: e.namespace, Name: leaseName},
		Client:     e.kube.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: identity},
	}
}

func (e *electorate) record() *resourcelock.LeaderElectionRecord {
	e.Helper()
	record, _, err := e.lock("").Get(e.Context())
	if err != nil {
		e.Fatal(err)
	}
	return record
}

// Of standbys that would not try again for an hour, one takes over as soon as the leader has stopped to work, each time.
func TestReleaseIsTakenAtOnce(t *testing.T) {
	e := newElectorate(t)
	as := e.asOperator()
	e.launch(as, seldom)
	leader := e.leader()
	const standbys = 4
	for range standbys {
		await(t, e.launch(as, seldom).watch.filled, "a standby to watch the Lease")
	}
	for range standbys {
		leader.stop()
		if err := await(t, leader.ended, "the leader to end"); err != nil {
			t.Error(err)
		}
		leader = e.leader()
		await(t, leader.watch.closed, "the new leader to stop watching")
		if leader.watchdog.Check(nil) == nil {
			t.Error("the watchdog does not know of the election")
		}
	}
}

// A standby that may not watch the Lease says so once, and takes over when it tries next.
func TestBlindStandbyTakesOver(t *testing.T) {
	e := newElectorate(t)
	e.launch(cp.AdminConfig(), often)
	leader := e.leader()
	standby := e.launch(e.asBlind(), often)
	for range 5 { // each time it is refused a list as a stream and then a plain one: the third time has come
		await(t, standby.watch.refused, "the standby to be refused the watch")
	}
	leader.stop()
	if e.leader() != standby {
		t.Fatal("somebody else took over")
	}
	if n := strings.Count(standby.log.String(), "may not watch the Lease"); n != 1 {
		t.Errorf("said %d times that it may not watch the Lease:\n%s", n, standby.log)
	}
}

// However much a standby sees of a Lease that is held and renewed, it respects it for as long as it says.
func TestHeldLeaseIsRespected(t *testing.T) {
	e := newElectorate(t)
	holder := e.lock("holder")
	held := resourcelock.LeaderElectionRecord{HolderIdentity: holder.Identity(), LeaseDurationSeconds: 2}
	renew := func(write func(context.Context, resourcelock.LeaderElectionRecord) error) {
		held.RenewTime = metav1.NewTime(time.Now())
		if err := write(t.Context(), held); err != nil {
			t.Fatal(err)
		}
	}
	renew(holder.Create)
	await(t, e.launch(cp.AdminConfig(), often).watch.filled, "the standby to watch the Lease")
	for range 100 {
		renew(holder.Update)
	}
	e.leader()
	// To client-go, a Lease that is renewed twice in a second is the same.
	if waited := e.record().AcquireTime.Sub(held.RenewTime.Truncate(time.Second)); waited < 2*time.Second {
		t.Errorf("the Lease was taken %s after the second in which it was renewed for 2s", waited)
	}
}

// A Lease that is won in the moment in which the election is left is given back, and nobody works.
func TestWorkHoldsTheLease(t *testing.T) {
	e := newElectorate(t)
	var worked, left int
	for worked == 0 || left == 0 {
		released := make(chan struct{}, 1)
		lock := &wonLock{LeaseLock: e.lock("self"), won: func() { released <- struct{}{} }}
		ctx, stop := context.WithTimeout(t.Context(), patience)
		led, err := often.contend(ctx, lock, leaderelection.NewLeaderHealthzAdaptor(0), released, func(context.Context) error {
			for range 10 {
				if holder := e.record().HolderIdentity; holder != lock.Identity() {
					t.Errorf("works while the holder is %q", holder)
				}
			}
			return nil
		})
		if err != nil || ctx.Err() != nil {
			t.Fatal(err, ctx.Err())
		}
		stop()
		if holder := e.record().HolderIdentity; holder != "" {
			t.Fatalf("the Lease was left to %q", holder)
		}
		if led {
			worked++
		} else {
			left++
		}
	}
}

// A wonLock calls won when the Lease has been taken.
type wonLock struct {
	*resourcelock.LeaseLock
	once sync.Once
	won  func()
}

func (l *wonLock) Create(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	defer l.once.Do(l.won)
	return l.LeaseLock.Create(ctx, record)
}

func (l *wonLock) Update(ctx context.Context, record resourcelock.LeaderElectionRecord) error {
	defer l.once.Do(l.won)
	return l.LeaseLock.Update(ctx, record)
}

func TestReleasedByOther(t *testing.T) {
	lease := func(holder *string, seconds int32) *coordinationv1.Lease {
		return &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{HolderIdentity: holder, LeaseDurationSeconds: &seconds}}
	}
	other, self, nobody := ptr.To("other"), ptr.To("self"), ptr.To("")
	for name, test := range map[string]struct {
		before, now *coordinationv1.Lease
		want        bool
	}{
		"given up":                  {lease(other, 15), lease(nobody, 1), true},
		"given up, no holder field": {lease(other, 15), lease(nil, 1), true},
		"given up by itself":        {lease(self, 15), lease(nobody, 1), false},
		"renewed":                   {lease(other, 15), lease(other, 15), false},
		"taken":                     {lease(nobody, 1), lease(other, 15), false},
		"handed to a third":         {lease(other, 15), lease(ptr.To("third"), 1), false},
		"holder struck out by hand": {lease(other, 15), lease(nobody, 15), false},
		"still nobody's":            {lease(nobody, 1), lease(nobody, 1), false},
	} {
		if got := releasedByOther(test.before, test.now, *self); got != test.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
