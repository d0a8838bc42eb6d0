package engine

import (
	"slices"
	"time"
)

// scheduler is what the engine and its dumb twin have in common.
type scheduler interface {
	Now() time.Duration
	At(t time.Duration, h HandlerID, arg uint64)
	set(t time.Duration, h HandlerID, arg uint64) int
	cancel(n int) bool
	Run(until time.Duration)
	Stop()
	Pending() int
}

// clever is the engine, with its timers numbered in the order they were set.
type clever struct {
	*Engine
	timers []Timer
}

func (c *clever) set(t time.Duration, h HandlerID, arg uint64) int {
	c.timers = append(c.timers, c.Timer(t, h, arg))
	return len(c.timers) - 1
}

func (c *clever) cancel(n int) bool { return c.Cancel(c.timers[n]) }

// dumb keeps its events in a sorted slice and looks for everything from the front.
type dumb struct {
	now     time.Duration
	events  []dumbEvent
	timers  int
	stopped bool
	handler Handler
}

type dumbEvent struct {
	at    time.Duration
	arg   uint64
	timer int // -1: none
}

func (d *dumb) Now() time.Duration { return d.now }
func (d *dumb) Stop()              { d.stopped = true }
func (d *dumb) Pending() int       { return len(d.events) }

func (d *dumb) put(e dumbEvent) {
	i := 0
	for i < len(d.events) && d.events[i].at <= e.at {
		i++
	}
	d.events = slices.Insert(d.events, i, e)
}

func (d *dumb) At(t time.Duration, _ HandlerID, arg uint64) { d.put(dumbEvent{t, arg, -1}) }

func (d *dumb) set(t time.Duration, _ HandlerID, arg uint64) int {
	d.put(dumbEvent{t, arg, d.timers})
	d.timers++
	return d.timers - 1
}

func (d *dumb) cancel(n int) bool {
	i := slices.IndexFunc(d.events, func(e dumbEvent) bool { return e.timer == n })
	if i < 0 {
		return false
	}
	d.events = slices.Delete(d.events, i, i+1)
	return true
}

func (d *dumb) Run(until time.Duration) {
	d.stopped = false
	for len(d.events) > 0 && d.events[0].at <= until {
		e := d.events[0]
		d.events = d.events[1:]
		d.now = e.at
		d.handler.Handle(d.now, e.arg)
		if d.stopped {
			return
		}
	}
	d.now = until
}
