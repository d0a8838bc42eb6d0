package models

import (
	"math"
	"time"
)

// instance is one process of a service: a queue, workers, and its health.
type instance struct {
	service    *service
	number     int32
	room       *room // nil: a plain line, and workers of their own
	waiting    list
	running    list
	workers    int // that may take work now
	down       int // how many things keep it down
	frozen     int // how many things keep it from starting work
	stuck      int // how many breakdowns do
	pulling    bool
	lie        int8 // what health checks say whatever is so: above 0 healthy, below 0 not
	off        bool // scaled away: it takes no more requests
	coldSince  time.Duration
	times      float64       // work takes so many times as long
	plus       time.Duration // and so much longer
	errorShare float64
}

func (in *instance) idle() bool {
	return in.down == 0 && in.frozen == 0 && in.running.n < in.workers
}

// speed is 1, or less for a while after a start: it rises linearly from ColdFrom
// to 1 within ColdFor.
func (in *instance) speed(now time.Duration) float64 {
	cfg := in.service.cfg
	if in.coldSince < 0 || now >= in.coldSince+cfg.ColdFor {
		return 1
	}
	passed := float64(now-in.coldSince) / float64(cfg.ColdFor)
	return cfg.ColdFrom + float64((1-cfg.ColdFrom)*passed)
}

// stretch is how long a piece of work takes that begins now.
func (in *instance) stretch(now, d time.Duration) time.Duration {
	if in.times == 1 && in.plus == 0 && in.coldSince < 0 {
		return d
	}
	ns := (float64(float64(d)*in.times) + float64(in.plus)) / in.speed(now)
	return time.Duration(math.RoundToEven(min(ns, longest)))
}

// longest bounds a stretched piece of work: about 73 years.
const longest = float64(1 << 61)

// crash ends the process: queue and work are lost, callers hear of a broken
// connection. It stays down until raise.
func (g *Graph) crash(in *instance) {
	in.down++
	in.coldSince = -1
	if in.service.cfg.Broker == nil {
		g.lose(in, WhyCrashed)
	}
	for in.running.n > 0 {
		slot := in.running.first
		t := g.tasks.at(slot)
		g.stop(in, handleOf(slot, t.generation), t, WhyCrashed, true)
	}
	if in.room != nil {
		g.clearRoom(in)
	}
	g.forget(in)
	g.recheck(in.service)
}

// lose throws the queue away.
func (g *Graph) lose(in *instance, why Why) {
	for in.waiting.n > 0 {
		slot := in.waiting.first
		t := g.tasks.at(slot)
		g.drop(in, handleOf(slot, t.generation), t, why)
	}
}

// raise takes away one reason to be down. The start is cold if nothing else
// keeps it down.
func (g *Graph) raise(in *instance) {
	if in.down--; in.down > 0 {
		return
	}
	s := in.service
	if s.cfg.ColdFor > 0 {
		in.coldSince = g.now()
		g.warmLater(s)
	}
	g.recheck(s)
	if s.cfg.Broker != nil {
		g.pull(in) // what its consumer has missed
	}
}

// warmings is how often the capacity of a cold service is told while it rises.
const warmings = 32

func (g *Graph) warmLater(s *service) {
	if !s.warming {
		s.warming = true
		g.eng.At(g.now()+max(s.cfg.ColdFor/warmings, 1), g.on.warmer, uint64(s.index))
	}
}

// warmer tells the capacity of a service that grows without anybody asking.
func (g *Graph) warmer(s *service) {
	s.warming = false
	g.recheck(s)
	for i := range s.instances {
		in := &s.instances[i]
		if in.coldSince >= 0 && in.down == 0 && g.now() < in.coldSince+s.cfg.ColdFor {
			g.warmLater(s)
			return
		}
	}
}

// crashesMarked is how many crashes of a service figures number: they tell that
// it goes round in a circle, and its curves how often.
const crashesMarked = 3

// overload is a crash by a queue that grew too long.
func (g *Graph) overload(s *service, in *instance) {
	g.dies(in, "the queue grew too long", s.cfg.CrashRestart)
}

// dies is a crash under load, after which an instance starts again by itself.
func (g *Graph) dies(in *instance, why string, restart time.Duration) {
	s := in.service
	s.crashes++
	g.probe.Happened(g.now(), Happening{
		Source: "service", Subject: s.subject(), What: s.cfg.Name + " crashes under load",
		Detail: joined(s.instanceDetail(in), why), Marker: s.crashes <= crashesMarked, Crash: true,
	})
	g.crash(in)
	g.eng.Func(g.now()+restart, func() {
		g.raise(in)
		g.happened("service", s.subject(), "is up again", s.instanceDetail(in), false)
		g.settle()
	})
}
