package suite

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"

	"github.com/miekg/dns"
	corev1 "k8s.io/api/core/v1"

	"example.com/twinloop/shared/api/fleet/v1alpha1"
	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/server"
)

// fleetZone is the zone that most tests publish in.
const fleetZone = "fleet.test."

// A nameServer is the DNS server of one world.
type nameServer struct {
	*server.Server
	zones   []string
	keyFile string

	mu        sync.Mutex
	intercept server.Intercept
}

// enterServed makes a world with a DNS server for fleetZone, and launches the operator in it.
func enterServed(w *world) *world {
	w.serve(server.Config{Zones: []string{fleetZone}})
	w.launch()
	return w
}

// serve starts the world's DNS server. Operators launched after it publish there.
func (w *world) serve(config server.Config) {
	w.Helper()
	w.dns = &nameServer{zones: config.Zones}
	config.Listen = freePort(w.T) // which it comes back to when it was stopped
	config.Intercept = func(ctx context.Context, u server.Update, apply func() server.Rcode) server.Rcode {
		defer w.record.changed.ring()
		return w.dns.interceptor()(ctx, u, apply)
	}
	var err error
	if w.dns.Server, err = server.New(config); err != nil {
		w.Fatal(err)
	}
	w.Cleanup(w.dns.Stop)
	w.startDNS()
}

func (w *world) startDNS() {
	w.Helper()
	if err := w.dns.Start(); err != nil {
		w.Fatal(err)
	}
}

func (n *nameServer) interceptor() server.Intercept {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.intercept == nil {
		return func(_ context.Context, _ server.Update, apply func() server.Rcode) server.Rcode { return apply() }
	}
	return n.intercept
}

// onUpdate has every update from now on pass through a function.
func (n *nameServer) onUpdate(intercept server.Intercept) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.intercept = intercept
}

func (n *nameServer) contents() map[string][]zone.Entry {
	contents := map[string][]zone.Entry{}
	for _, name := range n.zones {
		contents[name] = n.Entries(name)
	}
	return contents
}

// entry is what a zone holds for a Fleet; the name is free if it holds nothing.
func (s state) entry(zoneName, namespace, fleet string) zone.Entry {
	name := fmt.Sprintf("%s.%s.%s", fleet, namespace, zoneName)
	for _, entry := range s.zones[zoneName] {
		if entry.Name == name {
			return entry
		}
	}
	return zone.Entry{Name: name}
}

// published: the zone holds the addresses of the Fleet's serving pods under its name and its uid, and it says so.
func published(name, zoneName string) claim {
	return all(
		says(name, v1alpha1.ConditionPublished, "True", v1alpha1.ReasonPublished),
		the(name, func(now state, f *v1alpha1.Fleet) error {
			want := zone.Entry{
				Name:      fmt.Sprintf("%s.%s.%s", name, f.Namespace, zoneName),
				Owner:     string(f.UID),
				TTL:       uint32(*f.Spec.DNS.TTL),
				Addresses: addressesOf(now.podsOf(name, serving)),
			}
			if held := now.entry(zoneName, f.Namespace, name); !held.Equal(want) {
				return fmt.Errorf("is published as %+v, not as %+v", held, want)
			}
			return nil
		}))
}

// free: nothing is published under the name that the Fleet has or would have.
func (w *world) free(name, zoneName string) claim {
	return func(now state) error {
		if held := now.entry(zoneName, w.namespace, name); !held.Free() {
			return fmt.Errorf("the zone holds %+v", held)
		}
		return nil
	}
}

func addressesOf(pods []*corev1.Pod) []netip.Addr {
	var addresses []netip.Addr
	for _, pod := range pods {
		addresses = append(addresses, netip.MustParseAddr(pod.Status.PodIP))
	}
	slices.SortFunc(addresses, netip.Addr.Compare)
	return addresses
}

// addRecord writes a record such as "A 192.0.2.7" under a Fleet's name, as somebody else would, and returns what the
// zone then holds there.
func (w *world) addRecord(fleet, record string) zone.Entry {
	w.Helper()
	name := w.nameOf(fleet)
	rr, err := dns.NewRR(name + " 60 IN " + record)
	if err != nil {
		w.Fatal(err)
	}
	w.update(func(m *dns.Msg) { m.Insert([]dns.RR{rr}) })
	return state{zones: w.dns.contents()}.entry(fleetZone, w.namespace, fleet)
}

// removeRecords removes all that is published under a Fleet's name, whoever it belongs to.
func (w *world) removeRecords(fleet string) {
	w.Helper()
	w.update(func(m *dns.Msg) { m.RemoveName([]dns.RR{&dns.ANY{Hdr: dns.RR_Header{Name: w.nameOf(fleet)}}}) })
}

func (w *world) nameOf(fleet string) string {
	return fmt.Sprintf("%s.%s.%s", fleet, w.namespace, fleetZone)
}

func (w *world) update(change func(*dns.Msg)) {
	w.Helper()
	m := new(dns.Msg).SetUpdate(fleetZone)
	change(m)
	client := dns.Client{Net: "tcp"}
	reply, _, err := client.ExchangeContext(w.Context(), m, w.dns.Addr())
	if err != nil || reply.Rcode != dns.RcodeSuccess {
		w.Fatalf("updating %s: %v, %v", fleetZone, reply, err)
	}
}
