package minictl

// namespace is the only one there is.
const namespace = "default"

// Cluster is a control plane and a node, on a virtual clock.
type Cluster struct {
	Clock       *Clock
	Store       *Store
	Log         *Log
	Kubelet     *Kubelet
	Kubectl     *Kubectl
	Deployments *DeploymentController
	ReplicaSets *ReplicaSetController
	// Samples show the pods at the end of each tick.
	Samples []Sample
	// StopReplicaSets leaves the ReplicaSet controller out.
	StopReplicaSets bool
	// Others take their turn after the controllers.
	Others []func(now int)
}

// NewCluster makes an empty cluster. The names that it generates follow from the seed.
func NewCluster(seed int64, readyAfter int) *Cluster {
	clock := &Clock{}
	store, log := NewStore(clock, seed), &Log{clock: clock}
	return &Cluster{
		Clock:       clock,
		Store:       store,
		Log:         log,
		Kubelet:     NewKubelet(store, log, readyAfter),
		Kubectl:     &Kubectl{store, log},
		Deployments: NewDeploymentController(store, log),
		ReplicaSets: NewReplicaSetController(store, log),
	}
}

// Tick lets time pass: everyone has one turn, always in the same order.
func (c *Cluster) Tick() {
	c.Clock.tick++
	c.Kubelet.Step()
	c.Deployments.Step(c.Clock.tick)
	if !c.StopReplicaSets {
		c.ReplicaSets.Step(c.Clock.tick)
	}
	for _, object := range collectGarbage(c.Store) {
		c.Log.Record("garbage-collector", describe(object), "Deleted", "its owner is gone")
	}
	for _, step := range c.Others {
		step(c.Clock.tick)
	}
	c.Samples = append(c.Samples, c.sample())
}
