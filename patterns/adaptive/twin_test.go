package adaptive

import (
	"math"
	"slices"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// twin keeps every call and every sample, and works out base, window, median and
// limit from the whole of them whenever it needs them.
type twin struct {
	c     Config
	limit float64
	calls []twinCall
	// raw samples of the running window; window lengths of before are kept as
	// the least round trips of all windows that had one.
	raw     []twinSample
	ends    patterns.Instant
	leasts  []float64
	trips   []float64    // all measured round trips that came out of the windows
	fed     []twinSample // all that the algorithm heard
	probed  []int        // where in fed a base was measured anew
	chances []float64    // draws used
	envoy   twinEnvoy
}

type twinCall struct {
	start    patterns.Instant
	part     int
	inFlight int
	out      bool
}

type twinSample struct {
	rtt               float64
	inFlight          int
	dropped, measured bool
}

// l10 is max(1, trunc(log10 x)) by counting digits.
func l10(x float64) float64 {
	n := 0.0
	for v := int(x); v >= 10; v /= 10 {
		n++
	}
	return max(1, n)
}

func (w *twin) inside() (all int, of func(part int) int) {
	count := func(part int) int {
		n := 0
		for _, c := range w.calls {
			if c.out && (part < 0 || c.part == part) {
				n++
			}
		}
		return n
	}
	return count(-1), count
}

func (w *twin) acquire(now patterns.Instant, part int) bool {
	w.pass(now)
	all, of := w.inside()
	if all >= int(w.limit) {
		if part < 0 || part >= len(w.c.Partitions) {
			return false
		}
		share := math.Ceil(float64(int(w.limit)) * float64(w.c.Partitions[part].Share) / 100000)
		if float64(of(part)) >= share {
			return false
		}
	}
	w.calls = append(w.calls, twinCall{now, part, all + 1, true})
	return true
}

func (w *twin) report(now patterns.Instant, i int, signal Signal, draw float64) bool {
	if i >= len(w.calls) || !w.calls[i].out {
		return false
	}
	w.pass(now)
	c := &w.calls[i]
	c.out = false
	if signal == NoSample {
		return true
	}
	x := twinSample{math.Max(float64(now-c.start), 1), c.inFlight, signal == Dropped, signal == Answered}
	if w.c.Algorithm == Envoy {
		w.envoy.hear(w, now, c.start, x, draw)
		return true
	}
	for _, y := range w.median(w.window(now, x)) {
		w.fed = append(w.fed, y)
		w.limit = math.Max(float64(w.c.MinLimit), math.Min(float64(w.c.MaxLimit), w.step(y, draw)))
	}
	return true
}

// window returns the samples that leave the window: none or one.
func (w *twin) window(now patterns.Instant, x twinSample) []twinSample {
	r := w.c.Window
	if r == nil {
		return []twinSample{x}
	}
	if x.measured && x.rtt < float64(r.MinRTTThreshold) {
		return nil
	}
	if len(w.raw) == 0 {
		length := float64(r.MinWindowTime)
		if len(w.leasts) > 0 {
			length = math.Min(math.Max(2*w.leasts[len(w.leasts)-1], length), float64(r.MaxWindowTime))
		}
		w.ends = now + patterns.Instant(length)
	}
	w.raw = append(w.raw, x)
	if now < w.ends {
		return nil
	}
	var trips []float64
	sum := 0.0
	out := twinSample{}
	for _, s := range w.raw {
		out.inFlight = max(out.inFlight, s.inFlight)
		if s.dropped {
			out.dropped = true
			out.rtt = math.Max(out.rtt, s.rtt)
		} else {
			trips = append(trips, s.rtt)
			sum += s.rtt
		}
	}
	enough := len(w.raw) >= r.WindowSize
	w.raw = nil
	if len(trips) > 0 {
		w.leasts = append(w.leasts, slices.Min(trips))
		if enough {
			out.measured = true
			out.rtt = sum / float64(len(trips))
			if r.Percentile > 0 {
				out.rtt = rank(trips, r.Percentile)
			}
		}
	}
	if !enough && !out.dropped {
		return nil
	}
	return []twinSample{out}
}

// rank sorts, takes the least value that at least p percent do not exceed, and
// rounds it to the middle of its cell.
func rank(values []float64, p patterns.Percent) float64 {
	sorted := slices.Sorted(slices.Values(values))
	for i, v := range sorted {
		if float64(i+1)*100000 >= float64(p)*float64(len(sorted)) {
			v = math.Min(v, math.Pow(2, 37)-1)
			if v < 64 {
				return math.Floor(v)
			}
			_, exp := math.Frexp(v) // v in [2^(exp-1), 2^exp)
			width := math.Pow(2, float64(exp-6))
			return math.Floor(v/width)*width + (width-1)/2
		}
	}
	return math.NaN()
}

func (w *twin) median(in []twinSample) []twinSample {
	if n := w.c.MedianSamples; n > 0 && len(in) == 1 && in[0].measured {
		w.trips = append(w.trips, in[0].rtt)
		if len(w.trips) < n {
			in[0].measured = false
			if !in[0].dropped {
				return nil
			}
			return in
		}
		in[0].rtt = slices.Sorted(slices.Values(w.trips[len(w.trips)-n:]))[n/2]
	}
	return in
}

// since returns the measured samples from the latest probe on, its own included
// or not, and whether there was a probe.
func (w *twin) since(own bool) ([]float64, bool) {
	from := 0
	if len(w.probed) > 0 {
		from = w.probed[len(w.probed)-1]
		if !own {
			from++
		}
	}
	var trips []float64
	for _, x := range w.fed[from:] {
		if x.measured {
			trips = append(trips, x.rtt)
		}
	}
	return trips, len(w.probed) > 0
}

func (w *twin) chance(draw float64) float64 {
	if len(w.chances) == 0 {
		w.chances = append(w.chances, draw)
	}
	return w.chances[len(w.chances)-1]
}

// step is the rule of the algorithm for the latest of the samples fed.
func (w *twin) step(x twinSample, draw float64) float64 {
	switch c := w.c; c.Algorithm {
	case AIMD:
		if x.dropped || c.Timeout > 0 && x.rtt > float64(c.Timeout) {
			return math.Trunc(w.limit * c.BackoffRatio)
		}
		if 2*float64(x.inFlight) >= w.limit {
			return w.limit + 1
		}
		return w.limit
	case Vegas:
		return w.vegas(x, draw)
	case Gradient:
		return w.gradient(x, draw)
	}
	return w.gradient2(x)
}

func (w *twin) vegas(x twinSample, draw float64) float64 {
	c, L := w.c, w.limit
	l := l10(L)
	down := L - l
	if c.Decrease == Halve {
		down = L / 2
	}
	mixed := func(to float64) float64 {
		to = math.Max(float64(c.MinLimit), math.Min(float64(c.MaxLimit), to))
		if to == L {
			return L
		}
		return (1-c.Smoothing)*L + c.Smoothing*to
	}
	chance := w.chance(draw)
	if !x.measured {
		return mixed(down)
	}
	after, _ := w.since(false)
	if (0.5+chance/2)*float64(c.ProbeMultiplier)*L <= float64(len(after)) {
		w.probed = append(w.probed, len(w.fed)-1)
		w.chances = append(w.chances, draw)
		return L
	}
	trips, _ := w.since(true)
	base := slices.Min(trips)
	news := len(trips) == 1 || x.rtt < slices.Min(trips[:len(trips)-1])
	alpha, beta := 3*l, 6*l
	if c.Alpha > 0 {
		alpha = float64(c.Alpha)
	}
	if c.Beta > 0 {
		beta = float64(c.Beta)
	}
	queue := math.Ceil(L * (1 - base/x.rtt))
	switch {
	case x.dropped:
		return mixed(down)
	case news || 2*float64(x.inFlight) < L:
		return L
	case queue <= l:
		return mixed(L + beta)
	case queue < alpha:
		return mixed(L + l)
	case queue > beta:
		return mixed(down)
	}
	return L
}

func (w *twin) gradient(x twinSample, draw float64) float64 {
	c, L := w.c, w.limit
	queue := float64(c.QueueSize)
	if queue == 0 {
		queue = math.Max(4, math.Floor(math.Sqrt(math.Floor(L))))
	}
	if x.measured && c.ProbeInterval > 0 {
		period := c.ProbeInterval + int(w.chance(draw)*float64(c.ProbeInterval))
		if after, _ := w.since(false); len(after) > period {
			w.probed = append(w.probed, len(w.fed)-1)
			w.chances = append(w.chances, draw)
			return queue
		}
	}
	next := L * c.BackoffRatio
	if !x.dropped {
		if float64(x.inFlight) < L/2 {
			return L
		}
		trips, _ := w.since(false)
		g := math.Max(0.5, math.Min(1, c.RTTTolerance*slices.Min(trips)/x.rtt))
		next = L*g + queue
	}
	if next < L {
		next = math.Max(float64(c.MinLimit), (1-c.Smoothing)*L+c.Smoothing*next)
	}
	return math.Max(queue, next)
}

// gradient2 works the average out from the first sample on.
func (w *twin) gradient2(x twinSample) float64 {
	c, L := w.c, w.limit
	var heard []float64
	long, shown := 0.0, 0.0
	f := 2 / (float64(c.LongWindow) + 1)
	for _, y := range w.fed {
		if y.dropped && c.BackoffRatio > 0 || !y.measured && y.rtt <= long {
			shown = math.NaN()
			continue
		}
		heard = append(heard, y.rtt)
		if len(heard) <= c.WarmupWindow {
			sum := 0.0
			for _, r := range heard {
				sum += r
			}
			long = sum / float64(len(heard))
		} else {
			long = long*(1-f) + y.rtt*f
		}
		shown = long
		if long/y.rtt > 2 {
			long *= 0.95
		}
	}
	switch {
	case x.dropped && c.BackoffRatio > 0:
		return L * c.BackoffRatio
	case math.IsNaN(shown) || float64(x.inFlight) < L/2:
		return L
	}
	g := math.Max(0.5, math.Min(1, c.RTTTolerance*shown/x.rtt))
	return (1-c.Smoothing)*L + c.Smoothing*(L*g+float64(c.QueueSize))
}

// twinEnvoy keeps the samples of the running window or measurement in a list and
// walks from window to window, however many.
type twinEnvoy struct {
	trips              []float64
	began              patterns.Instant
	measuring          bool
	before, least      float64
	window, measure    patterns.Instant
	floors             int
	measurements, asks int
}

func (w *twin) begin(at patterns.Instant) {
	w.envoy = twinEnvoy{
		began: at, measuring: true, before: w.limit, least: w.envoy.least,
		measurements: w.envoy.measurements, asks: w.envoy.asks,
	}
	w.limit = float64(w.c.MinRTTConcurrency)
}

func (w *twin) pass(now patterns.Instant) {
	if w.c.Algorithm != Envoy {
		return
	}
	for e := &w.envoy; !e.measuring; {
		switch {
		case e.window <= e.measure && e.window <= now:
			at := e.window
			e.window += patterns.Instant(w.c.ConcurrencyUpdateInterval)
			if len(e.trips) > 0 {
				w.envoyStep(at)
			}
		case e.measure <= now:
			w.begin(e.measure)
		default:
			return
		}
	}
}

func (w *twin) envoyStep(at patterns.Instant) {
	e := &w.envoy
	buffered := e.least * (1 + w.c.MinRTTBuffer.Float()/100)
	g := math.Max(0.5, math.Min(2, buffered/rank(e.trips, w.c.SampleAggregatePercentile)))
	e.trips = nil
	least, most := float64(w.c.MinLimit), float64(w.c.MaxLimit)
	next := math.Max(least, math.Min(most, math.Floor(w.limit*g+math.Sqrt(w.limit*g))))
	e.floors++
	if next != least || w.limit != least {
		e.floors = 0
	}
	w.limit = next
	if e.floors == 5 {
		w.begin(at)
	}
}

func (e *twinEnvoy) hear(w *twin, now, start patterns.Instant, x twinSample, draw float64) {
	if start < e.began || x.dropped && (e.measuring || x.rtt <= e.least) {
		return
	}
	e.trips = append(e.trips, x.rtt)
	if !e.measuring || len(e.trips) < w.c.MinRTTRequestCount {
		return
	}
	e.least = rank(e.trips, w.c.SampleAggregatePercentile)
	e.trips, e.measuring, w.limit = nil, false, e.before
	e.measurements++
	wait := time.Duration(w.c.MinRTTInterval)
	if w.c.MinRTTJitter > 0 {
		e.asks++
		wait += time.Duration(draw * (w.c.MinRTTJitter.Float() / 100) * float64(w.c.MinRTTInterval))
	}
	e.measure = now + patterns.Instant(wait)
	e.window = now + patterns.Instant(w.c.ConcurrencyUpdateInterval)
}
