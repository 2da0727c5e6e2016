// Package suite is the one test suite that holds every operator of this project to the behaviours of a Fleet.
//
// It is black-box: an operator is built and launched as its users would, with its own ServiceAccount and flags, on a
// real API server with the garbage collector running and a simulated kubelet. A test touches the API server, the DNS
// server and the process, and nothing else. Each test runs once for every operator of package operator, in a namespace
// and with a process of its own; another operator is another row there and no line here.
//
// Everything that happens in a test's namespace is recorded from watches in the order of its resource versions. So a
// test waits for what must come to be, and looks for what must never have been in the record.
package suite
