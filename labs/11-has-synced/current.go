package hassynced

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"example.com/twinloop/labs/cluster"
	"example.com/twinloop/labs/lab"
)

// more is how many ConfigMaps are created while the watch is held.
const more = 5

// notCurrent holds the watch of the synced informer while ConfigMaps are created and one is changed.
func notCurrent(ctx context.Context, bench *lab.Bench, s *settings) error {
	s.Proxy.Hold(configMaps)
	for n := first + 1; n <= first+more; n++ {
		if err := s.create(ctx, n); err != nil {
			return err
		}
	}
	if err := s.paint(ctx, "blue"); err != nil {
		return err
	}
	onServer, err := s.Kube.CoreV1().ConfigMaps(cluster.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	served, err := s.served()
	if err != nil {
		return err
	}
	version, err := s.version()
	if err != nil {
		return err
	}
	bench.Say("\n1. Not that the cache is current. The watch is held; %d ConfigMaps are created, and the color of %s is set "+
		"to blue:", more, nameOf(1))
	bench.Say("  on the server: %d; in the cache: %d, and the color of %s is %s; HasSynced: %t",
		len(onServer.Items), s.cached(), nameOf(1), served, s.informer.HasSynced())
	bench.Say("  the store's version, compared with the last write: %s", version)
	bench.Measure("on-server-while-held", len(onServer.Items))
	bench.Measure("cached-while-held", s.cached())
	bench.Measure("served-while-held", served)
	bench.Measure("synced-while-held", s.informer.HasSynced())
	bench.Measure("version-while-held", version)

	s.Proxy.Release(configMaps)
	if err := cluster.Await(ctx, "the lister has caught up", func() bool { return s.shows("blue") }); err != nil {
		return err
	}
	if version, err = s.version(); err != nil {
		return err
	}
	bench.Say("  the watch goes on: in the cache: %d; the store's version: %s", s.cached(), version)
	bench.Measure("cached-after-release", s.cached())
	bench.Measure("version-after-release", version)
	return nil
}
