package models

import (
	"math"
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

// timerAt is an event and its instant, so that it is not set anew for nothing.
type timerAt struct {
	timer engine.Timer
	at    time.Duration
	set   bool
}

// toil has the processor of an instance do a piece of work.
func (g *Graph) toil(in *instance, slot uint32, left progress) {
	p := &in.room.cpu
	p.advance(g.now(), p.rate)
	g.putChore(p, slot, left)
	g.await(in)
}

// rest takes the work of a task off the processor and returns what is left of it;
// false: the task does not work.
func (g *Graph) rest(in *instance, t *task) (left progress, worked bool) {
	st, p := g.seatOf(t), &in.room.cpu
	if !in.service.rules.processor || st.place == nobody {
		return progress{}, false
	}
	p.advance(g.now(), p.rate)
	left = g.takeChore(p, int(st.place))
	g.await(in)
	return left, true
}

// await sets the speed from now on, and the event at which the next piece ends.
func (g *Graph) await(in *instance) {
	p := &in.room.cpu
	if p.atWork {
		return
	}
	g.occupy(in)
	p.advance(g.now(), p.rate)
	p.rate = in.pace()
	if len(p.heap) == 0 {
		g.eng.Cancel(p.timer.timer)
		p.timer.set = false
		return
	}
	at := p.due(p.rate)
	if p.timer.set && p.timer.at == at {
		return
	}
	g.eng.Cancel(p.timer.timer)
	who := uint64(in.service.index)<<32 | uint64(in.number)
	p.timer = timerAt{timer: g.eng.Timer(at, g.on.share, who), at: at, set: true}
}

// pace is the present speed of each piece of work at an instance.
func (in *instance) pace() rate {
	r := in.room.speeds.of(len(in.room.cpu.heap))
	if m := in.service.cfg.Memory; m != nil && m.Collector > 0 {
		return r.times(m.speed(in.load()))
	}
	return r
}

// burdened tells the processor of an instance that the number of requests there has
// changed, where that makes a difference.
func (g *Graph) burdened(in *instance) {
	if m := in.service.cfg.Memory; m != nil && m.Collector > 0 {
		g.await(in)
	}
}

// occupy notes how many of an instance's shared cores work.
func (g *Graph) occupy(in *instance) {
	r := in.room
	if n := min(len(r.cpu.heap), r.speeds.cores); n != r.active {
		in.service.level.now.CoresBusy += n - r.active
		r.active = n
		g.touch(in.service)
	}
}

// ends tells the tasks whose pieces of work have ended at this instant.
func (g *Graph) ends(in *instance) {
	p := &in.room.cpu
	p.timer.set, p.atWork = false, true
	p.advance(g.now(), p.rate)
	for {
		slot, ok := g.endedChore(p)
		if !ok {
			break
		}
		t := g.tasks.at(slot)
		g.worked(handleOf(slot, t.generation))
	}
	p.atWork = false
	g.await(in)
}

// recore leaves an instance so many of its cores, one at the least.
func (g *Graph) recore(in *instance, left float64) {
	if in.room == nil || in.service.rules.cores == 0 {
		return
	}
	all, r := &in.service.rules.speeds, in.room
	cores := max(1, int(math.Round(float64(left*float64(all.cores)))))
	if cores == r.speeds.cores {
		return
	}
	if r.speeds = all; cores != all.cores {
		r.speeds = &speeds{cores: cores, contention: all.contention, coherence: all.coherence}
	}
	g.await(in)
}

// interrupt takes a worker away from the task of the lowest level below the given one
// that works; the latest of them. False: there is none.
func (g *Graph) interrupt(in *instance, level uint8) bool {
	if in.frozen > 0 || in.down > 0 {
		return false
	}
	for at := in.lastRunning(); at != nobody; at = g.tasks.at(uint32(at)).prev {
		t := g.tasks.at(uint32(at))
		st := g.seatOf(t)
		if st.level >= level {
			return false
		}
		if left, ok := g.rest(in, t); ok {
			st.left, st.broken = left, true
			st.held = g.standUp(in, uint32(at), t)
			g.lineUp(in, handleOf(uint32(at), t.generation), t)
			return true
		}
	}
	return false
}

func (in *instance) lastRunning() int32 {
	if in.running.n == 0 {
		return nobody
	}
	return int32(in.running.last)
}

// resume gives a task that was interrupted a worker again.
func (g *Graph) resume(in *instance, h handle, t *task) {
	st := g.seatOf(t)
	st.broken = false
	g.takeWorker(in, h, t)
	g.toil(in, h.slot(), st.left)
}

// takeWorker notes that a task has a worker from now on.
func (g *Graph) takeWorker(in *instance, h handle, t *task) {
	t.started, t.state = g.now(), running
	if in.service.rules.preempt {
		g.rank(&in.running, &in.room.works, h.slot(), t, g.seatOf(t).level, false)
	} else {
		g.push(&in.running, h.slot(), t)
	}
	in.service.level.now.Busy++
	g.touch(in.service)
}

// standUp takes a task off its worker and returns how long it has held workers in all.
func (g *Graph) standUp(in *instance, slot uint32, t *task) time.Duration {
	if in.service.rules.preempt {
		in.room.works.leaves(slot, t, g.seatOf(t).level)
	}
	g.remove(&in.running, slot, t)
	in.service.level.now.Busy--
	g.touch(in.service)
	return g.seatOf(t).held + g.now() - t.started
}

// work has a task's present step take so long.
func (g *Graph) work(o *owner, h handle, t *task, d time.Duration) {
	if o.processor {
		g.toil(g.instanceOf(t), h.slot(), progress{ns: uint64(d)})
		return
	}
	g.eng.At(g.now()+d, g.on.work, uint64(h))
}

type onShare struct{ *Graph }

func (g onShare) Handle(_ time.Duration, who uint64) {
	g.ends(&g.services[who>>32].instances[uint32(who)])
	g.settle()
}

type onExpiry struct{ *Graph }

func (g onExpiry) Handle(_ time.Duration, who uint64) {
	g.expired(handle(who))
	g.settle()
}
