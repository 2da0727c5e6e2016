package quiet

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"example.com/twinloop/chaos/proxy"
	"example.com/twinloop/shared/api/crd"
	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/api/generated/clientset/versioned"
	fleetclient "example.com/twinloop/shared/api/generated/clientset/versioned/typed/fleet/v1alpha1"
	"example.com/twinloop/shared/controlplane"
	"example.com/twinloop/shared/controlplane/controlplanetest"
	"example.com/twinloop/shared/controlplane/kubelet"
	"example.com/twinloop/shared/operator"
	"example.com/twinloop/shared/zone/server"
)

const (
	// patience is how long the Fleets may take to settle.
	patience = 2 * time.Minute
	// silence is how long the operator is listened to.
	silence = 30 * time.Second
	// calm is how long without a write makes it worth listening.
	calm = 2 * time.Second
	// stopGrace is how long the operator may take to end.
	stopGrace = 20 * time.Second
)

var cp *controlplane.ControlPlane

func TestMain(m *testing.M) {
	controlplanetest.Main(m, controlplane.Options{
		CRDs:    []*apiextensionsv1.CustomResourceDefinition{crd.Fleet()},
		Kubelet: &kubelet.Options{},
	}, &cp)
}

// A settled Fleet costs no write, no list and no update of its zone, be it published, paused or stalled.
func TestSettledFleetIsQuiet(t *testing.T) {
	for _, o := range operator.Known {
		t.Run(o.Name, func(t *testing.T) {
			var updates atomic.Int32
			p, dns := startProxy(t), startDNS(t, &updates)
			fleets := launch(t, o, p, dns)
			for _, settling := range fleetsToSettle {
				settle(t, fleets, settling)
			}
			ctx, cancel := context.WithTimeout(t.Context(), patience)
			defer cancel()
			if err := p.Quiet(ctx, calm); err != nil {
				t.Fatalf("still writing after %s: %v", patience, p.Counts())
			}

			p.Mark("quiet")
			updates.Store(0)
			<-time.After(silence)
			for _, x := range p.Exchanges() {
				if x.Place.Step == "quiet" && (x.IsWrite() || x.Verb == "list") {
					t.Errorf("%s: %s", x.Place, x.Path)
				}
			}
			if n := updates.Load(); n > 0 {
				t.Errorf("%d DNS updates", n)
			}
		})
	}
}

// A settling is a Fleet and what it has come to when nothing more is to be done about it.
type settling struct {
	name    string
	change  func(*v1alpha1.FleetSpec)
	settled func(v1alpha1.FleetStatus) bool
}

var fleetsToSettle = []settling{
	{"plain", func(*v1alpha1.FleetSpec) {}, func(s v1alpha1.FleetStatus) bool { return s.AvailableReplicas == pods }},
	{
		"published",
		func(spec *v1alpha1.FleetSpec) { spec.DNS = &v1alpha1.FleetDNS{Zone: zoneName} },
		func(s v1alpha1.FleetStatus) bool {
			return s.AvailableReplicas == pods && meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionPublished)
		},
	},
	{
		"paused",
		func(spec *v1alpha1.FleetSpec) { spec.Paused = true },
		func(s v1alpha1.FleetStatus) bool {
			return meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionProgressing) != nil
		},
	},
	{
		"stalled",
		func(spec *v1alpha1.FleetSpec) {
			spec.Template.Spec.Containers[0].Image = "web:broken"
			spec.ProgressDeadlineSeconds = ptr.To(int32(1))
		},
		func(s v1alpha1.FleetStatus) bool {
			return meta.IsStatusConditionTrue(s.Conditions, v1alpha1.ConditionStalled)
		},
	},
}

const (
	pods     = 3
	zoneName = "fleet.test."
)

// settle creates a Fleet and waits until it has settled.
func settle(t *testing.T, fleets fleetclient.FleetInterface, s settling) {
	t.Helper()
	labels := map[string]string{"app": s.name}
	f := &v1alpha1.Fleet{ObjectMeta: metav1.ObjectMeta{Name: s.name}, Spec: v1alpha1.FleetSpec{
		Replicas: ptr.To(int32(pods)),
		Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "app", Image: "web:1.0"}}},
		},
	}}
	s.change(&f.Spec)
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if _, err := fleets.Create(ctx, f, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	stream, err := fleets.Watch(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + s.name})
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Stop()
	var last any
	for event := range stream.ResultChan() {
		last = event.Object
		if seen, ok := event.Object.(*v1alpha1.Fleet); ok && s.settled(seen.Status) {
			return
		}
	}
	t.Fatalf("Fleet %s has not settled: %+v", s.name, last)
}

// startProxy starts the proxy that counts.
func startProxy(t *testing.T) *proxy.Proxy {
	t.Helper()
	upstream, err := url.Parse(cp.URL)
	if err != nil {
		t.Fatal(err)
	}
	p, err := proxy.New(upstream, cp.CA, proxy.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

// startDNS starts a DNS server that counts its updates, and returns its address.
func startDNS(t *testing.T, updates *atomic.Int32) string {
	t.Helper()
	dns, err := server.New(server.Config{
		Zones: []string{zoneName},
		Intercept: func(_ context.Context, _ server.Update, apply func() server.Rcode) server.Rcode {
			updates.Add(1)
			return apply()
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := dns.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(dns.Stop)
	return dns.Addr()
}

// launch builds the operator and starts it behind the proxy, in a namespace of its own, whose Fleets it returns.
func launch(t *testing.T, o operator.Operator, p *proxy.Proxy, dns string) fleetclient.FleetInterface {
	t.Helper()
	client := controlplanetest.Client(t, cp)
	namespace := controlplanetest.Namespace(t, client)
	identity, err := o.Install(t.Context(), client)
	if err == nil {
		err = identity.Bind(t.Context(), client, namespace)
	}
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(t.TempDir(), o.Name)
	if err := o.Build(t.Context(), binary); err != nil {
		t.Fatal(err)
	}
	access := controlplane.Access{ServiceAccount: identity.Account, Server: p.URL(), CA: p.CA()}
	content, err := cp.Kubeconfig(t.Context(), access)
	if err != nil {
		t.Fatal(err)
	}
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(kubeconfig, content, 0o600); err != nil {
		t.Fatal(err)
	}
	process, err := operator.Launch{
		Binary: binary, Kubeconfig: kubeconfig, Namespace: namespace, DNSServer: dns, Log: t.Output(),
	}.Start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Stop(stopGrace) })
	fleets, err := versioned.NewForConfig(cp.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	return fleets.FleetV1alpha1().Fleets(namespace)
}
