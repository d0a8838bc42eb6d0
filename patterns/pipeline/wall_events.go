package pipeline

import "sync"

// outbox keeps events in order until the listener has heard them. It is nil when
// nobody listens, and in a simulation.
type outbox struct {
	listen func(Event)

	mu     sync.Mutex
	events []Event
	busy   bool // a goroutine is at the listener
}

// push adds an event. The lock is never held while another one is taken.
func (o *outbox) push(ev Event) {
	if o == nil {
		return
	}
	o.mu.Lock()
	o.events = append(o.events, ev)
	o.mu.Unlock()
}

// deliver tells the listener what there is, one event after the other, with no
// lock held. If another goroutine is at it, or this one further up, that one goes on
// with what is left.
func (o *outbox) deliver() {
	for {
		ev, ok := o.next()
		if !ok {
			return
		}
		o.hand(ev)
	}
}

func (o *outbox) next() (ev Event, ok bool) {
	if o == nil {
		return ev, false
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.busy || len(o.events) == 0 {
		return ev, false
	}
	ev = o.events[0]
	if o.events = o.events[1:]; len(o.events) == 0 {
		o.events = nil
	}
	o.busy = true
	return ev, true
}

// hand calls the listener. One that panics loses its event only.
func (o *outbox) hand(ev Event) {
	defer func() {
		o.mu.Lock()
		o.busy = false
		o.mu.Unlock()
	}()
	o.listen(ev)
}
