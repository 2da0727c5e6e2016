// Package drill takes an unmodified operator through a scenario, does one thing to it at one exact place, and judges what
// comes of it.
//
// What is done is the drill's plan: faults at writes, silences, or cases. A reference run without any shows which writes the
// operator makes and where each step of the scenario leads. Every write then becomes a point for each fault, and every step one
// for a silence; a case is a scenario of its own, with steps that disturb the operator. Every point is a run of its own, in a
// namespace with a proxy, a DNS server and operator processes of its own. The oracles that judge a run all look at the true
// API server and the true zone, never at what the operator says:
//
//  1. it converges: every step's condition becomes true, and the operator then rests;
//  2. to the final state of a run without a fault: what is there after each step is what was there in the reference run;
//  3. safely: the invariants hold after every event, in the order in which the API server committed them, and at the end what
//     a case expects;
//  4. without leaks: no object, finalizer or record outlives its owner;
//  5. in health: it does not panic, does not try again all the time, and does nothing while there is nothing to do.
package drill
