// Package conformance holds the tests that package server and BIND 9 both pass: what the publisher
// relies on is thereby true of a server that people run, and the embedded one is a fair stand-in for it.
//
// BIND's half needs named on the PATH. Without it those tests are skipped, unless TWINLOOP_REQUIRE_BIND
// is 1, which makes its absence a failure.
package conformance
