package experiment_test

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/resilsim/resilsim/sim/models"
)

// queueWatch measures a service in a window of time [from, until): time averages
// from the levels, and the waits of the requests that arrived in it, each exact.
type queueWatch struct {
	models.Silent
	from, until time.Duration
	level       models.Level
	since       time.Duration
	queue, busy float64 // ns x number
	states      []float64
	sent        int
	refused     int
	served      int
	waits       []int64 // ns, of those that were let in
	sojourns    []int64
}

func (w *queueWatch) within(at time.Duration) bool { return at >= w.from && at < w.until }

// advance adds the time spent in the present state.
func (w *queueWatch) advance(now time.Duration) {
	spent := float64(min(now, w.until) - max(w.since, w.from))
	w.since = now
	if spent <= 0 {
		return
	}
	n := w.level.Queue + w.level.Busy
	for n >= len(w.states) {
		w.states = append(w.states, 0)
	}
	w.states[n] += spent
	w.queue += spent * float64(w.level.Queue)
	w.busy += spent * float64(w.level.Busy)
}

func (w *queueWatch) Level(now time.Duration, _ int, l models.Level) {
	w.advance(now)
	w.level = l
}

func (w *queueWatch) RequestSent(now time.Duration, _ int) {
	if w.within(now) {
		w.sent++
	}
}

func (w *queueWatch) Started(now time.Duration, _ int, waited time.Duration) {
	if w.within(now - waited) {
		w.waits = append(w.waits, int64(waited))
	}
}

func (w *queueWatch) Served(now time.Duration, _ int, _ time.Duration, _, _ bool) {
	if w.within(now) {
		w.served++
	}
}

func (w *queueWatch) RequestEnded(now time.Duration, _ int, how models.Ending, _ models.Why, took time.Duration) {
	switch {
	case !w.within(now - took):
	case how == models.Answered:
		w.sojourns = append(w.sojourns, int64(took))
	default:
		w.refused++
	}
}

// pending is the number of requests that arrived in the window and have not ended.
func (w *queueWatch) pending() int { return w.sent - w.refused - len(w.sojourns) }

// close ends the measurement.
func (w *queueWatch) close() {
	w.advance(w.until)
	slices.Sort(w.waits)
	slices.Sort(w.sojourns)
}

// figures are the quantities of the closed forms, by their names in the data.
func (w *queueWatch) figures(names []theoryQuantity, workers float64) map[string]float64 {
	span := float64(w.until - w.from)
	out := map[string]float64{
		"utilisation": w.busy / span / workers,
		"L":           (w.queue + w.busy) / span,
		"Lq":          w.queue / span,
		"W":           meanOf(w.sojourns, 1), "W_accepted": meanOf(w.sojourns, 1),
		"Wq": meanOf(w.waits, 1), "Wq_accepted": meanOf(w.waits, 1),
		"Wq_second_moment": meanOf(w.waits, 2),
		"P_wait":           1 - shareOfZeros(w.waits),
		"P_nowait":         shareOfZeros(w.waits),
		"P_block":          float64(w.refused) / float64(w.sent),
		"throughput":       float64(w.served) / span * 1e9,
		"var_N":            w.variance(),
	}
	for _, q := range names {
		if share, ok := strings.CutPrefix(q.Name, "W_p"); ok {
			out[q.Name] = quantileOf(w.sojourns, share)
		} else if share, ok := strings.CutPrefix(q.Name, "Wq_p"); ok {
			out[q.Name] = quantileOf(w.waits, share)
		} else if n, ok := strings.CutPrefix(q.Name, "p_"); ok {
			out[q.Name] = w.timeWith(n)
		}
	}
	return out
}

func (w *queueWatch) timeWith(n string) float64 {
	i, err := strconv.Atoi(n)
	if err != nil || i >= len(w.states) {
		return math.NaN()
	}
	return w.states[i] / float64(w.until-w.from)
}

// variance of the number in the system over time.
func (w *queueWatch) variance() float64 {
	span, mean, square := float64(w.until-w.from), 0.0, 0.0
	for n, spent := range w.states {
		share := spent / span
		mean += share * float64(n)
		square += share * float64(n*n)
	}
	return square - mean*mean
}

// meanOf is the mean of a power of times, in seconds.
func meanOf(times []int64, power int) float64 {
	sum := 0.0
	for _, v := range times {
		s := float64(v) / 1e9
		if power == 2 {
			s *= s
		}
		sum += s
	}
	return sum / float64(len(times))
}

func shareOfZeros(sorted []int64) float64 {
	n, _ := slices.BinarySearch(sorted, 1)
	return float64(n) / float64(len(sorted))
}

// quantileOf is the order statistic ceil(p n) of sorted times, in seconds.
func quantileOf(sorted []int64, percent string) float64 {
	p, err := strconv.ParseFloat(percent, 64)
	if err != nil {
		panic(fmt.Sprintf("quantile %q is no number", percent))
	}
	return float64(sorted[int(math.Ceil(p/100*float64(len(sorted))))-1]) / 1e9
}
