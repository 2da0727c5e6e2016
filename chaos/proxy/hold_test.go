package proxy

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestHold(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		s := newStage(t)
		first := s.create("a", "1")
		i := s.inform()
		i.expect("add a=1")

		s.proxy.Hold(Watched{Resource: "secrets"})
		s.update("a", "2")
		s.create("b", "1")
		s.delete("b")
		last := s.update("a", "3")
		s.awaitWithheld(4)
		i.expectNothing()
		live, err := s.client().CoreV1().Secrets(s.namespace).List(t.Context(), metav1.ListOptions{})
		if err != nil || len(live.Items) != 1 || live.Items[0].Labels["state"] != "3" {
			t.Errorf("a consistent read brings %v, %v", live, err)
		}

		s.proxy.Release(Watched{Resource: "secrets"})
		i.expect("update a=2", "add b=1", "delete b=1", "update a=3")
		if got := s.proxy.Delivered("secrets", "a"); got != last.ResourceVersion || got == first.ResourceVersion {
			t.Errorf("delivered version %s, want %s", got, last.ResourceVersion)
		}
	})
}

// An informer that starts under a Hold does not sync before Release.
func TestHoldFromTheStart(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		s := newStage(t)
		s.create("a", "1")
		s.proxy.Hold(Watched{Resource: "secrets"})
		i := s.inform()
		s.await("answer", func() bool {
			exchanges := s.proxy.Exchanges()
			return len(exchanges) > 0 && exchanges[0].Status == 200
		})
		s.update("a", "2")
		i.expectNothing()
		s.proxy.Release(Watched{Resource: "secrets"})
		i.expect("add a=1", "update a=2")
	})
}

func TestHoldOneObject(t *testing.T) {
	inBothModes(t, func(t *testing.T) {
		s := newStage(t)
		s.create("a", "1")
		i := s.inform()
		i.expect("add a=1")
		s.proxy.Hold(Watched{"secrets", "a"})
		s.update("a", "2")
		s.create("b", "1")
		i.expect("add b=1")
		s.awaitWithheld(1)
		s.proxy.Release(Watched{"secrets", "a"})
		i.expect("update a=2")
	})
}
