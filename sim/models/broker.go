package models

import "time"

// BrokerConfig makes a service a broker with its consumers: a request is answered as soon
// as its message is stored, and the workers take messages out of the queue when they are
// free for one (pull). Each instance is a partition: a queue that is kept whatever happens to
// its consumer, and which takes messages while that is down. A queue limit is the depth
// of a partition: a producer that finds it full is refused.
type BrokerConfig struct {
	// Deliveries of a message in all, at least 1, until one succeeds.
	Deliveries int
	// Redeliver is the time from a failed delivery to the next.
	Redeliver time.Duration
}

// stored puts a message into a partition and answers its producer, or refuses it.
func (g *Graph) stored(in *instance, h handle, t *task) {
	s := in.service
	if s.cfg.QueueLimit >= 0 && in.waiting.n >= s.cfg.QueueLimit && !(in.idle() && in.waiting.n == 0) {
		g.turnAway(s, h, t, WhyQueueFull)
		return
	}
	slot, m := g.newTask()
	m.key, m.owner, m.instance, m.mark = t.key.Child(drawMessageKey, 0), t.owner, t.instance, t.mark
	g.hold(m.mark)
	g.leave(h, t, WhyNone)
	g.enqueue(in, handleOf(slot, m.generation), m)
}

// drawMessageKey tells a message's draws from those of the request that brought it. No
// step of a handler has this number.
const drawMessageKey = 1 << 62

// enqueue has a message wait for a consumer, or be delivered at once.
func (g *Graph) enqueue(in *instance, h handle, m *task) {
	m.since = g.now()
	if in.idle() && in.waiting.n == 0 {
		g.start(in, h, m)
		return
	}
	m.state = waiting
	g.push(&in.waiting, h.slot(), m)
	in.service.level.now.Queue++
	g.touch(in.service)
}

// redelivers reports whether a message whose delivery failed is delivered again later,
// and sees to it.
func (g *Graph) redelivers(in *instance, m *task) bool {
	b := in.service.cfg.Broker
	if b == nil {
		return false
	}
	if m.deliveries++; int(m.deliveries) >= b.Deliveries {
		if s := in.service; s.dead == 0 {
			g.happened("broker", s.subject(), "gives up a message", "the first one", false)
		}
		in.service.dead++
		return false
	}
	slot, again := g.newTask()
	again.key, again.owner, again.instance, again.mark = m.key.Child(drawMessageKey, uint64(m.deliveries)), m.owner, m.instance, m.mark
	again.deliveries, again.state = m.deliveries, travelling
	g.hold(again.mark)
	h := handleOf(slot, again.generation)
	g.eng.Func(g.now()+b.Redeliver, func() {
		g.probe.Arrived(g.now(), in.service.index)
		g.enqueue(in, h, g.task(h))
		g.settle()
	})
	return true
}
