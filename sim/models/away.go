package models

// stepAside lets a task of an asynchronous handler wait for a call without a worker.
func (g *Graph) stepAside(h handle, t *task) {
	in := g.instanceOf(t)
	g.seatOf(t).held = g.standUp(in, h.slot(), t)
	t.state = away
	g.push(&in.room.away, h.slot(), t)
	g.pull(in)
}

// comeBack goes on with a task whose call has been answered: at once if nothing is left
// to do or a worker is idle, else when it gets one, before any new request.
func (g *Graph) comeBack(h handle, t *task) {
	in := g.instanceOf(t)
	r := in.room
	if int(t.step) < len(in.service.owner.steps) && !(in.idle() && r.ready.n == 0) {
		g.remove(&r.away, h.slot(), t)
		t.state = returning
		g.push(&r.ready, h.slot(), t)
		in.service.level.now.Queue++
		g.touch(in.service)
		return
	}
	if int(t.step) < len(in.service.owner.steps) {
		g.remove(&r.away, h.slot(), t)
		g.takeWorker(in, h, t)
	}
	g.proceed(h, t)
}

// goOn gives a task that has come back a worker.
func (g *Graph) goOn(in *instance, h handle, t *task) {
	g.noLongerReady(in, h.slot(), t)
	g.takeWorker(in, h, t)
	g.proceed(h, t)
}

func (g *Graph) noLongerReady(in *instance, slot uint32, t *task) {
	g.remove(&in.room.ready, slot, t)
	in.service.level.now.Queue--
	g.touch(in.service)
}

// load is the number of requests at an instance.
func (in *instance) load() int {
	n := in.waiting.n + in.running.n
	if in.room != nil {
		n += in.room.ready.n + in.room.away.n
	}
	return n
}
