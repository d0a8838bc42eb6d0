package adaptive

import (
	"slices"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// windowRule is the compiled Window.
type windowRule struct {
	shortest, longest time.Duration
	size              int64
	threshold         float64 // ns
	percentile        patterns.Percent
}

// window gathers samples until its time is over. It begins with its first sample
// and is closed by the first that comes at its end or later, which still belongs
// to it.
type window struct {
	rule     *windowRule
	end      patterns.Instant
	begun    bool
	least    float64 // round trip of this window, ns; 0: none yet
	before   float64 // that of the window before
	sum      float64
	answered int64
	drops    int64
	longest  float64 // time after which a drop came
	inFlight int
	trips    *histogram // nil: the mean is wanted
}

func newWindow(r *windowRule) *window {
	w := &window{rule: r}
	if r.percentile > 0 {
		w.trips = new(histogram)
	}
	return w
}

// add takes a sample and returns that of the window, if it closes one that is
// worth handing on: one with enough samples, or with a drop. Too few samples are
// no measure, but a drop is one even alone: otherwise a dependency so slow that
// few calls end would never be spared.
func (w *window) add(now patterns.Instant, x sample) (sample, bool) {
	if x.measured && x.rtt < w.rule.threshold {
		return sample{}, false
	}
	if !w.begun {
		length := time.Duration(min(2*w.before, float64(w.rule.longest)))
		w.begun, w.end = true, now.Add(max(length, w.rule.shortest))
	}
	w.inFlight = max(w.inFlight, x.inFlight)
	if x.measured {
		w.answered++
		w.sum += x.rtt
		if w.least == 0 || x.rtt < w.least {
			w.least = x.rtt
		}
		if w.trips != nil {
			w.trips.add(x.rtt)
		}
	} else {
		w.drops++
		w.longest = max(w.longest, x.rtt)
	}
	if now < w.end {
		return sample{}, false
	}
	return w.close()
}

// close empties the window and returns its sample.
func (w *window) close() (sample, bool) {
	x := sample{rtt: w.longest, inFlight: w.inFlight, dropped: w.drops > 0}
	enough := w.answered+w.drops >= w.rule.size
	if enough && w.answered > 0 {
		x.measured = true
		if w.trips != nil {
			x.rtt = w.trips.percentile(w.rule.percentile)
		} else {
			x.rtt = w.sum / float64(w.answered)
		}
	}
	before := w.least
	if before == 0 {
		before = w.before
	}
	if w.trips != nil {
		w.trips.clear()
	}
	*w = window{rule: w.rule, before: before, trips: w.trips}
	return x, enough || x.dropped
}

// median puts the median of the last round trips in the place of each.
type median struct {
	last   []float64 // ring
	sorted []float64
	n      int // round trips so far, at most the size of the ring
	at     int
}

func newMedian(n int) *median {
	return &median{last: make([]float64, n), sorted: make([]float64, 0, n)}
}

// add takes a sample and returns it with the median for its round trip. Until
// the ring is full there is none: a first odd sample is as odd as a later one. A
// drop without a round trip passes untouched. O(n) in the size of the ring.
func (m *median) add(x sample) (sample, bool) {
	if !x.measured {
		return x, true
	}
	if m.n == len(m.last) {
		i, _ := slices.BinarySearch(m.sorted, m.last[m.at])
		m.sorted = slices.Delete(m.sorted, i, i+1)
	} else {
		m.n++
	}
	m.last[m.at] = x.rtt
	m.at = (m.at + 1) % len(m.last)
	i, _ := slices.BinarySearch(m.sorted, x.rtt)
	m.sorted = slices.Insert(m.sorted, i, x.rtt)
	if m.n < len(m.last) {
		x.measured = false
		return x, x.dropped
	}
	x.rtt = m.sorted[m.n/2]
	return x, true
}
