package minictl

// blindTicks is how long a restart takes.
const blindTicks = 11

func playMissedEvents(r *Run) {
	r.need(2)
	r.supervise("supervisor")
	r.Others = nil
	r.Log.Record("supervisor", "pods", "Restart", "hears nothing for 11 ticks")
	r.evictTwoWhileBlind()
	r.hire("supervisor")
	r.wait(20)
	r.note("pods_under_the_supervisor", r.sample().Total())

	r.Others = nil
	r.try(r.Kubectl.Create(r.replicaSet("checkout"))) // adopts what there is
	r.untilReady(int(r.Replicas))
	r.StopReplicaSets = true
	r.Log.Record("replicaset-controller", "replicasets", "Restart", "hears nothing for 11 ticks")
	r.evictTwoWhileBlind()
	r.StopReplicaSets = false
	r.ReplicaSets.start(PodKind)
	from := r.Clock.Tick()
	r.untilReady(int(r.Replicas))
	r.note("pods_under_the_controller", r.sample().Total())
	r.note("ticks_until_ready", r.since(from))
}

// supervise starts the pods of a supervisor, and lets it watch over them.
func (r *Run) supervise(name string) *Supervisor {
	s := NewSupervisor(name, r.Store, r.Log, "checkout:1.0")
	for range r.Replicas {
		s.startPod("to begin with")
	}
	r.untilReady(int(r.Replicas))
	return r.hire(name)
}

// hire makes a supervisor that hears of what happens from now on.
func (r *Run) hire(name string) *Supervisor {
	s := NewSupervisor(name, r.Store, r.Log, "checkout:1.0")
	r.Others = append(r.Others, func(int) { s.Step(s.Hear()) })
	return s
}

func (r *Run) evictTwoWhileBlind() {
	r.wait(blindTicks / 2)
	r.evictAPod()
	r.evictAPod()
	r.wait(blindTicks - blindTicks/2)
}

func playTwoSupervisors(r *Run) {
	r.supervise("old-supervisor")
	r.hire("new-supervisor")
	r.evictAPod()
	r.wait(10)
	r.note("pods_under_the_supervisors", r.sample().Total())

	r.Others = nil
	r.try(r.Kubectl.Create(r.replicaSet("checkout"))) // adopts what there is, and deletes the one too many
	r.untilReady(int(r.Replicas))
	second := NewReplicaSetController(r.Store, r.Log)
	second.Name = "second-replicaset-controller"
	r.controllers = append(r.controllers, &second.Controller)
	r.Others = append(r.Others, second.Step)
	r.wait(1)
	for _, c := range []*ReplicaSetController{r.ReplicaSets, second} {
		c.CachedReads = true // so that neither sees at once what the other does
		c.informers[PodKind].Lag = 1
	}
	from := r.Clock.Tick()
	r.evictAPod()
	r.wait(5)
	r.untilReady(int(r.Replicas))
	r.note("max_pods_under_the_controllers", r.maxPods(from))
	r.note("pods_under_the_controllers", r.sample().Total())
}

func playAllAtOnce(r *Run) {
	supervisor := r.supervise("supervisor")
	from := r.Clock.Tick()
	r.try(supervisor.Replace("checkout:broken"))
	r.wait(10)
	r.note("min_ready_under_the_supervisor", r.minReady(from))

	r.Others = nil
	for _, pod := range r.names() {
		r.try(r.Store.Delete(PodKind, Key{Namespace: namespace, Name: pod}))
	}
	r.deploy("web", "web:1.0", asIs)
	from = r.Clock.Tick()
	r.setImage("web:broken")
	r.wait(10)
	r.note("min_ready_under_the_deployment", r.minReady(from))
}
