package engine

import "time"

// Timer is the handle of an event that can be cancelled. It is small and
// comparable; the zero value is no timer. A handle outlives its event: it never
// names another one, however often the place behind it is reused.
type Timer struct {
	key  uint64
	slot uint32
}

// Timer schedules an event that can be cancelled. It panics where At does.
func (e *Engine) Timer(t time.Duration, h HandlerID, arg uint64) Timer {
	key := e.admit(t, h) | timerBit
	slot := e.agenda.timers.arm(key, arg)
	e.agenda.push(entry{at: uint64(t), key: key, arg: uint64(slot)})
	return Timer{key: key, slot: slot}
}

// Cancel removes a timer and says whether it was still pending. Cancelling a
// timer that has fired, was cancelled before, or never was, does nothing.
//
// A cancelled timer keeps its place in the agenda until its instant comes or a
// sweep takes it; there are never more than 4096 such timers plus twice the
// largest number of events that were pending at once.
func (e *Engine) Cancel(t Timer) bool {
	if !e.agenda.timers.kill(t) {
		return false
	}
	e.pending--
	if e.agenda.timers.stale > staleMin+2*e.pending {
		e.agenda.sweep()
	}
	return true
}

const staleMin = 4096

// timers holds what an entry of a timer has no room for. An entry's argument is
// then a slot here. A slot is free again only when its entry has left the agenda,
// so two entries never share one.
type timers struct {
	armed []armed  // by slot
	dead  []uint64 // one bit per slot: cancelled, fired or free
	free  []uint32
	stale int // cancelled, but still in the agenda
}

type armed struct {
	key uint64
	arg uint64
}

func (ts *timers) arm(key, arg uint64) uint32 {
	n := len(ts.free)
	if n == 0 {
		ts.armed = append(ts.armed, armed{key, arg})
		slot := uint32(len(ts.armed) - 1)
		if slot&63 == 0 {
			ts.dead = append(ts.dead, 0)
		}
		return slot
	}
	slot := ts.free[n-1]
	ts.free = ts.free[:n-1]
	ts.dead[slot>>6] &^= 1 << (slot & 63)
	ts.armed[slot] = armed{key, arg}
	return slot
}

func (ts *timers) isDead(slot uint64) bool {
	return ts.dead[slot>>6]>>(slot&63)&1 != 0
}

func (ts *timers) kill(t Timer) bool {
	if int(t.slot) >= len(ts.armed) || ts.armed[t.slot].key != t.key || ts.isDead(uint64(t.slot)) {
		return false
	}
	ts.dead[t.slot>>6] |= 1 << (t.slot & 63)
	ts.stale++
	return true
}

// fire frees the slot of a live timer and returns its argument.
func (ts *timers) fire(slot uint64) uint64 {
	ts.dead[slot>>6] |= 1 << (slot & 63)
	ts.free = append(ts.free, uint32(slot))
	return ts.armed[slot].arg
}

// drop frees the slot of a cancelled timer whose entry has left the agenda.
func (ts *timers) drop(slot uint64) {
	ts.stale--
	ts.free = append(ts.free, uint32(slot))
}
