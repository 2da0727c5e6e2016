// Package mutants holds mistakes that people make in operators, each as a small patch of an operator here, and with it
// the drill that must catch it: the check that a check can fail.
//
// A patch is applied to copies of the source files while the operator is built (`go build -overlay`), so the product
// never carries broken code. It is written by making the mistake in the checkout, with `git diff`, and reads:
//
//	# What the mistake is, in the words of somebody who would make it.
//	#
//	# drill: crash
//	# oracle: leaks
//	# point: delete: UPDATE fleet.test. #1, before
//
//	diff --git a/handwired/controller/publish.go b/handwired/controller/publish.go
//	…
//
// There may be several oracles and several points: each of the oracles must object at each of the points.
package mutants
