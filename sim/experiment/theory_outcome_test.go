package experiment_test

import (
	"math"
	"slices"
	"time"

	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/sim/models"
)

// outcomeWatch counts what fleets sent and were answered, second by second.
type outcomeWatch struct {
	models.Silent
	sent, good, failed []float64 // requests, by the second in which it happened
	attempts, again    []float64
	crashes            []time.Duration
	opened             int
}

func add(to *[]float64, now time.Duration) {
	i := int(now / time.Second)
	for i >= len(*to) {
		*to = append(*to, 0)
	}
	(*to)[i]++
}

func (w *outcomeWatch) RequestSent(now time.Duration, _ int) { add(&w.sent, now) }

func (w *outcomeWatch) RequestEnded(now time.Duration, _ int, how models.Ending, _ models.Why, _ time.Duration) {
	if how == models.Answered {
		add(&w.good, now)
	} else {
		add(&w.failed, now)
	}
}

func (w *outcomeWatch) AttemptSent(now time.Duration, _ int, again bool) {
	add(&w.attempts, now)
	if again {
		add(&w.again, now)
	}
}

func (w *outcomeWatch) BreakerChanged(_ time.Duration, _, _ int, e breaker.Event) {
	if e.To == breaker.Open {
		w.opened++
	}
}

func (w *outcomeWatch) Happened(now time.Duration, h models.Happening) {
	if h.Crash {
		w.crashes = append(w.crashes, now)
	}
}

// sum of a count over the seconds [from, until).
func sum(counts []float64, from, until time.Duration) float64 {
	total := 0.0
	for i := int(from / time.Second); i < int(until/time.Second) && i < len(counts); i++ {
		total += counts[i]
	}
	return total
}

// goodShare is goodput divided by offered load in the seconds [from, until).
func (w *outcomeWatch) goodShare(from, until time.Duration) float64 {
	return sum(w.good, from, until) / sum(w.sent, from, until)
}

// recovery is the time from an instant to the first second from which goodput is at
// least 95 % of offered over 30 s and over the first 5 s of them (the backlog that is
// answered at last could make up for the end of an outage); infinite if that does not
// happen before the end.
func (w *outcomeWatch) recovery(from, end time.Duration) float64 {
	for at := from; at+30*time.Second <= end; at += time.Second {
		if w.goodShare(at, at+30*time.Second) >= 0.95 && w.goodShare(at, at+5*time.Second) >= 0.95 {
			return (at - from).Seconds()
		}
	}
	return math.Inf(1)
}

// median of values, which are sorted by it.
func median(values []float64) float64 {
	slices.Sort(values)
	n := len(values)
	return (values[(n-1)/2] + values[n/2]) / 2
}
