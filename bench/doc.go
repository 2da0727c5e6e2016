// Package bench measures what an operator costs and how fast it is, each figure beside that of something real in the same
// run on the same API server: kube-controller-manager's ReplicaSet controller, which creates the same pods.
package bench
