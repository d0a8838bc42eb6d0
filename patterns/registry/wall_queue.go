package registry

import "sync"

// queue keeps callbacks in order until they have been made, one at a time and with
// no lock held. While it is held, nothing is made: so whoever changes something
// under a lock of its own can give that back first.
type queue struct {
	mu    sync.Mutex
	calls []func()
	holds int
	busy  bool // a goroutine is in a callback
}

func (q *queue) push(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.calls = append(q.calls, f)
}

func (q *queue) hold() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.holds++
}

// release ends a hold and makes the callbacks that have gathered.
func (q *queue) release() {
	q.mu.Lock()
	q.holds--
	q.mu.Unlock()
	q.deliver()
}

// deliver makes the callbacks that there are. If another goroutine is at it, or
// this one further up, that one goes on with what is left.
func (q *queue) deliver() {
	for {
		f, ok := q.next()
		if !ok {
			return
		}
		q.make(f)
	}
}

func (q *queue) next() (f func(), ok bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.busy || q.holds > 0 || len(q.calls) == 0 {
		return nil, false
	}
	f = q.calls[0]
	if q.calls = q.calls[1:]; len(q.calls) == 0 {
		q.calls = nil
	}
	q.busy = true
	return f, true
}

// make calls back. A callback that panics or leaves by Goexit costs no other one.
func (q *queue) make(f func()) {
	whole := false
	defer func() {
		q.mu.Lock()
		q.busy = false
		q.mu.Unlock()
		if !whole {
			q.deliver()
		}
	}()
	f()
	whole = true
}
