// Package fleet decides what an operator does about a Fleet. It is pure: what was observed goes in, with the time,
// and a plan comes out as data. It has no client, no clock and no log; the operators carry its plans out.
package fleet
