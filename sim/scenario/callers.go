package scenario

import (
	"time"

	"github.com/resilsim/resilsim/sim/dist"
)

// Class is a class of a fleet's requests.
type Class struct {
	Name string
	// Weight against the other classes of the fleet: how often a request is of it.
	Weight float64
	// Priority in [0,63]; higher is more important.
	Priority int
	// Idempotent: it does no harm to carry such a request out twice. Calls of a class
	// that is not are retried only after failures in which nothing was done.
	Idempotent bool
}

// Sources is where requests of a fleet come from besides a curve that is written down.
// What belongs to another law than the fleet's is zero.
type Sources struct {
	// Batch is how many requests of the curve arrive together, at least 1.
	Batch int
	// Every is the period after which the curve begins again, 0: it does not.
	Every time.Duration
	// Daily is what the curve was made from, nil: it was written down.
	Daily  *Daily
	Closed *Closed
	Bursts []Burst
	Trace  *Trace
}

// Daily is a rate that swings once a period between Low and High, highest at Peak.
type Daily struct {
	Low, High    float64
	Peak, Period time.Duration
}

// Closed is a closed loop of users with think time.
type Closed struct {
	Users int
	Think dist.Dist
}

// Burst is Size requests at one instant, and again after each Every; 0: once.
type Burst struct {
	At, Every time.Duration
	Size      int
}

// Trace is recorded load: instants, or counts for each Every, which are in the curve too.
type Trace struct {
	// File that it was read from, if it has too many values for a resolved scenario;
	// Column is the one that was read.
	File, Column string
	Times        []time.Duration
	Counts       []uint64
	Every        time.Duration
	// Even: the requests of an interval come at fixed gaps, not at random.
	Even bool
}

// Patience is how long users wait for an answer before they give up.
type Patience struct {
	Time dist.Dist
	// UntilStarted: who is being served stays.
	UntilStarted bool
}

// Retrial says that users who got no answer come back.
type Retrial struct {
	After       dist.Dist
	Probability float64
	Limit       int // 0: no limit
}

// Keys are what requests are about: Count keys, asked for by Zipf's law (Exponent above 0),
// or Hot of them by HotShare of the requests, or all alike.
type Keys struct {
	Count    int
	Exponent float64
	Hot      int
	HotShare float64
}

// StartRate is about how many requests per second arrive at the beginning.
func (f *Fleet) StartRate() float64 {
	s := &f.Sources
	rate := f.Arrivals.Curve[0].Rate
	for _, b := range s.Bursts {
		if b.Every > 0 {
			rate += float64(b.Size) / b.Every.Seconds()
		}
	}
	if c := s.Closed; c != nil {
		rate += float64(c.Users) / max(c.Think.Mean().Seconds(), 1e-3)
	}
	if t := s.Trace; t != nil && len(t.Times) > 1 {
		rate += float64(len(t.Times)) / max((t.Times[len(t.Times)-1]-t.Times[0]).Seconds(), 1e-3)
	}
	return rate
}
