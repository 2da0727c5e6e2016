package cluster

import (
	"strings"

	"example.com/twinloop/chaos/proxy"
)

// Writes are the writes of a step that came by way of the proxy and that the API server accepted, in order, but for the
// events that tell people; see [proxy.Proxy.Mark].
func (c *Cluster) Writes(step string) []proxy.Exchange {
	var writes []proxy.Exchange
	for _, x := range c.Proxy.Exchanges() {
		if x.Place.Step == step && x.Committed() && !strings.HasSuffix(string(x.Place.Kind), " events") {
			writes = append(writes, x)
		}
	}
	return writes
}

// Count is how many writes are of a kind.
func Count(writes []proxy.Exchange, kind proxy.Kind) int {
	n := 0
	for _, x := range writes {
		if x.Place.Kind == kind {
			n++
		}
	}
	return n
}
