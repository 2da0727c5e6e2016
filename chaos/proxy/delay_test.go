package proxy

import (
	"testing"
	"time"
)

func TestDelayOfAPlace(t *testing.T) {
	c := newConditions()
	c.delays[Place{Kind: "POST pods"}] = time.Second
	c.delays[Place{Step: "roll"}] = time.Minute
	for place, want := range map[Place]time.Duration{
		{Step: "scale", Kind: "POST pods", Ordinal: 3}:  time.Second,
		{Step: "roll", Kind: "POST pods", Ordinal: 1}:   time.Minute,
		{Step: "scale", Kind: "PATCH pods", Ordinal: 1}: 0,
	} {
		if got := c.delay(place); got != want {
			t.Errorf("%v is delayed by %v, want %v", place, got, want)
		}
	}
}

func TestDelay(t *testing.T) {
	for name, http2 := range protocols {
		t.Run(name, func(t *testing.T) {
			p := startProxy(t, Options{}, created)
			client := newClient(t, p.CA(), http2)
			late := Place{Kind: "POST pods"}
			p.Delay(late, time.Hour)
			answered := send(t, client, "POST", p.URL()+pods)
			mustDo(t, client, "GET", p.URL()+pods)
			if err := p.await(within(t), func() bool { return len(p.journal.exchanges) == 2 && p.traffic.open == 1 }); err != nil {
				t.Fatal(err)
			}
			for _, x := range p.Exchanges() {
				if x.Forwarded != (x.Verb != "create") {
					t.Errorf("recorded as %+v", x)
				}
			}
			p.Delay(late, time.Millisecond)
			if err := <-answered; err != nil {
				t.Errorf("not answered once the delay was over: %v", err)
			}
			p.Delay(late, 0)
			mustDo(t, client, "POST", p.URL()+pods)
		})
	}
}
