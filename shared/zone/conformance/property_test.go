package conformance

import (
	"errors"
	"maps"
	"net/netip"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"example.com/twinloop/shared/zone"
	"example.com/twinloop/shared/zone/server"
	"example.com/twinloop/shared/zone/tsig"
)

// TestOwnersKeepApart: whatever several owners do under the same names, each working from what it read
// last, the zone is what a map with compare-and-swap would hold. So no owner ever changes what another has.
func TestOwnersKeepApart(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, err := server.New(server.Config{Zones: []string{zoneName}, Keys: []*tsig.Key{key}})
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Start(); err != nil {
			t.Fatal(err)
		}
		defer s.Stop()
		w := world{s, map[string]zone.Entry{}, map[view]zone.Entry{}}
		t.Repeat(map[string]func(*rapid.T){
			"look":     w.look,
			"publish":  w.publish,
			"withdraw": w.withdraw,
			"":         w.check,
		})
	})
}

// view is an owner's own idea of a name.
type view struct{ owner, name string }

// world is a server, the model of what it should hold by name, and what each owner last read.
type world struct {
	server *server.Server
	model  map[string]zone.Entry
	read   map[view]zone.Entry
}

func drawView(t *rapid.T) view {
	owner := rapid.SampledFrom([]string{"ann", "bob", "cyd"}).Draw(t, "owner")
	name := rapid.SampledFrom([]string{"web", "api", "db.web"}).Draw(t, "name")
	return view{owner, name + "." + zoneName}
}

func drawEntry(t *rapid.T, v view) zone.Entry {
	e := zone.Entry{Name: v.name, Owner: v.owner, TTL: rapid.Uint32Range(1, 60).Draw(t, "ttl")}
	for _, last := range rapid.SliceOfN(rapid.Byte(), 0, 4).Draw(t, "addresses") {
		address := netip.AddrFrom4([4]byte{10, 0, 0, last})
		if last%2 == 0 {
			address = netip.AddrFrom16([16]byte{0xfd, 15: last})
		}
		e.Addresses = append(e.Addresses, address)
	}
	return e.Normalize()
}

func (w world) look(t *rapid.T) {
	v := drawView(t)
	got, err := client(w.server).Lookup(t.Context(), zoneName, v.name)
	if err != nil {
		t.Fatal(err)
	}
	if want := w.at(v.name); !got.Equal(want) {
		t.Fatalf("read %+v, want %+v", got, want)
	}
	w.read[v] = got
}

func (w world) publish(t *rapid.T) {
	v := drawView(t)
	held, want := w.held(v), drawEntry(t, v)
	var expected error
	switch now := w.at(v.name); {
	case !held.Free() && !held.OwnedBy(v.owner):
		expected = zone.ErrTaken
	case held.Owner != now.Owner:
		expected = zone.ErrConflict
	default:
		w.model[v.name] = want
	}
	if err := client(w.server).Publish(t.Context(), zoneName, held, want); !errors.Is(err, expected) {
		t.Fatalf("publish: %v, want %v", err, expected)
	}
}

func (w world) withdraw(t *rapid.T) {
	v := drawView(t)
	if w.at(v.name).OwnedBy(v.owner) {
		delete(w.model, v.name)
	}
	if err := client(w.server).Withdraw(t.Context(), zoneName, v.name, v.owner); err != nil {
		t.Fatal(err)
	}
}

func (w world) check(t *rapid.T) {
	var want []zone.Entry
	for _, name := range slices.Sorted(maps.Keys(w.model)) {
		want = append(want, w.model[name])
	}
	if diff := cmp.Diff(want, w.server.Entries(zoneName), cmpopts.EquateComparable(netip.Addr{})); diff != "" {
		t.Fatalf("the zone (-want +got):\n%s", diff)
	}
}

func (w world) at(name string) zone.Entry {
	if e, ok := w.model[name]; ok {
		return e
	}
	return free(name)
}

// held is what an owner believes of a name; one it never read, it believes free.
func (w world) held(v view) zone.Entry {
	if e, ok := w.read[v]; ok {
		return e
	}
	return free(v.name)
}
