// Package drill takes an unmodified operator through a scenario, injects one fault at one exact place of it, and judges
// what comes of it.
//
// A reference run without a fault shows which writes the operator makes and where each step of the scenario leads. Then
// every write becomes two points, one before it and one after it, and every point a run of its own, in a namespace with
// a proxy, a DNS server and an operator process of its own. The oracles that judge a run all look at the true API server
// and the true zone, never at what the operator says:
//
//  1. it converges: every step's condition becomes true, and the operator then rests;
//  2. to the same place: what is there after each step is what was there in the reference run;
//  3. safely: the invariants hold after every event, in the order in which the API server committed them;
//  4. without leaks: no object, finalizer or record outlives its owner;
//  5. honestly: it does not panic.
package drill
