// Package minictl is Kubernetes' reconcilers from scratch: an API store, the machinery between it and a controller, and
// the controllers that make a Deployment into pods, on a virtual clock. It is written to be read, in this order:
//
//  1. object.go, store.go, validation.go: every write gets a version, and an old version loses
//  2. watch.go: a list, then a watch from its version
//  3. selectors.go: labels and what matches them
//  4. owners.go: owners, adoption and release, garbage collection
//  5. queue.go: a queue of keys, without duplicates, with backoff
//  6. informer.go, controller.go: list, watch, relist, resync; and the loop that works the queue off
//  7. pod.go, replicaset.go, expectations.go: the difference between the pods there are and those there should be
//  8. deployment.go, revisions.go, rollingupdate.go, proportional.go, progress.go: one ReplicaSet a template, and the
//     arithmetic that bounds each step from the old ones to the new one
//  9. clock.go, kubelet.go, kubectl.go, cluster.go, sample.go, record.go: all of it at once, tick by tick
//
// supervisor.go is the script that all this replaces. scenarios.go lists what there is to play, the other scenario files
// are its scripts, run.go plays them, and picture.go draws them. The command line is in command.
package minictl
