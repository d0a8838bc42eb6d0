package models

import (
	"math/bits"

	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/sim/engine"
)

// What draws are for. The order is part of every digest.
const (
	drawRequest engine.Purpose = iota + 1 // gap and instance of a fleet's n-th arrival
	drawStep                              // whether a step is done
	drawWork                              // length of a piece of work
	drawError                             // whether a handled request fails
	drawLink                              // time on the way
	drawShedRequest
	drawShedAttempt
	drawWait // a retry's wait
	drawOpen // a breaker's open wait
	drawThrottle
	drawProbe // an adaptive limit's measurements
	drawClass // what class a request is of
	drawKey   // which key it is about
	drawPatience
	drawReturn      // whether a user comes back, and the key of what is then sent
	drawReturnAfter // when
	drawThink
	drawUser     // a user's request
	drawBurst    // a request of a burst
	drawRecorded // a recorded request
	drawBatch    // a request that arrives together with another
	drawPick     // whose turn it is in a random queue
	drawShedClass
	drawServerProbe // an adaptive limit's measurements at a service's door
	drawBreakdown   // how long an instance is up and then down
	drawBalance     // which instances a balancer looks at
	drawEject       // a balancer's ejections
	drawLoss        // whether a message is lost on its way
	drawRefresh     // whether an answer is loaded anew before its time, and by that
)

// Directions of a message on a link.
const (
	there = iota
	back
	after // the news that the caller has gone
)

// drawOf is the key of a task's n-th draw for a purpose. The task's own key holds
// whose it is; calls made in the task's steps have attempt 0 and never collide.
func drawOf(task engine.Key, p engine.Purpose, n uint64) engine.Key {
	return task.Child(n, uint64(p))
}

// chance is true with the given probability: a pure function of the task's key.
func chance(p engine.Purpose, share float64, task engine.Key, n uint64) bool {
	if share <= 0 {
		return false
	}
	return share >= 1 || drawOf(task, p, n).Unit() < share
}

// below scales 64 random bits to a number in [0,n).
func below(n int, random uint64) int32 {
	hi, _ := bits.Mul64(random, uint64(n))
	return int32(hi)
}

// Draw answers the patterns: waits and throttling are keyed by the call, open waits
// and probes by the pipeline and the number of the opening, so that nobody's luck depends on
// how often others drew.
func (g *Graph) Draw(p pipeline.Purpose, stage int, n uint64) float64 {
	c := g.stepping
	ordinal, instance := c.pipe.ordinals[stage], uint64(c.pipe.instance(c.instance))
	switch p {
	case pipeline.DrawWait:
		return g.seed.Key(drawWait, ordinal, uint64(c.key), n).Unit()
	case pipeline.DrawThrottle:
		return g.seed.Key(drawThrottle, ordinal, uint64(c.key), n).Unit()
	case pipeline.DrawProbe:
		return g.seed.Key(drawProbe, c.pipe.key+ordinal, instance, n).Unit()
	}
	return g.openDraw(c.pipe, instance, ordinal, n)
}

// openDraw is for the n-th opening of the ordinal-th breaker of a pipeline.
func (g *Graph) openDraw(p *pipe, instance, ordinal, n uint64) float64 {
	return g.seed.Key(drawOpen, p.key+ordinal, instance, n).Unit()
}

// named is a number for names: FNV-1a with a zero after each. Draws are keyed by what
// things are called, not by their place in a list, so that a fleet keeps its luck
// when another one is put before it.
func named(parts ...string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, part := range parts {
		for i := range len(part) {
			h = (h ^ uint64(part[i])) * 0x100000001b3
		}
		h *= 0x100000001b3
	}
	return h
}
