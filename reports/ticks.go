package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// tick is a mark on an axis; without text it is a minor one.
type tick struct {
	v    float64
	text string
}

// scale maps values to a share of an axis in [0,1]; values outside are held at
// its ends, so that a logarithm of zero never happens.
type scale struct {
	lo, hi float64
	log    bool
}

func (s scale) share(v float64) float64 {
	switch {
	case !(v > s.lo):
		return 0
	case v >= s.hi:
		return 1
	case s.log:
		return math.Log10(v/s.lo) / math.Log10(s.hi/s.lo)
	default:
		return (v - s.lo) / (s.hi - s.lo)
	}
}

// niceStep is the smallest 1, 2 or 5 times a power of ten that divides span
// into at most n steps.
func niceStep(span float64, n int) float64 {
	if !(span > 0) || math.IsInf(span, 0) {
		return 1
	}
	unit := math.Pow10(int(math.Floor(math.Log10(span / float64(n)))))
	for _, m := range []float64{1, 2, 5, 10} {
		if span/(m*unit) <= float64(n)+1e-9 {
			return m * unit
		}
	}
	return 20 * unit
}

// linearTicks are at most n+1 round values from 0 to hi.
func linearTicks(hi float64, n int) []tick {
	step := niceStep(hi, n)
	var out []tick
	for i := 0; i <= n && float64(i)*step <= hi*(1+1e-9); i++ {
		v := float64(i) * step
		out = append(out, tick{v, si(v)})
	}
	return out
}

// si writes a count or a rate for an axis: 0, 0.05, 500, 1.5k, 2M, 1e+15.
func si(v float64) string {
	a := math.Abs(v)
	switch {
	case a == 0:
		return "0"
	case a >= 1e15 || a < 1e-3:
		return strconv.FormatFloat(v, 'g', 3, 64)
	case a >= 0.9995e12:
		return short(v/1e12) + "T"
	case a >= 0.9995e9:
		return short(v/1e9) + "G"
	case a >= 0.9995e6:
		return short(v/1e6) + "M"
	case a >= 1e3:
		return short(v/1e3) + "k"
	default:
		return short(v)
	}
}

// short writes a number below a few thousand with at most four digits.
func short(v float64) string {
	places := 0
	for a := math.Abs(v); a < 100 && places < 4; a *= 10 {
		places++
	}
	s := strconv.FormatFloat(v, 'f', places, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// logRange widens [lo, hi] to 1, 2 or 5 times a power of ten at both ends.
func logRange(lo, hi float64) scale {
	down, up := math.Pow10(int(math.Floor(math.Log10(lo)))), math.Pow10(int(math.Floor(math.Log10(hi))))
	s := scale{lo: down, hi: 10 * up, log: true}
	for _, m := range []float64{2, 5} {
		if m*down <= lo {
			s.lo = m * down
		}
	}
	for _, m := range []float64{5, 2} {
		if m*up >= hi {
			s.hi = m * up
		}
	}
	if s.hi/s.lo < 5 {
		s.lo, s.hi = s.lo/2, s.hi*2
	}
	return s
}

// logTicks label at most about n decades of milliseconds as durations; a range
// of less than two decades gets labels at 1, 2 and 5. The rest are minor.
func logTicks(s scale, n int) []tick {
	first, last := int(math.Floor(math.Log10(s.lo))), int(math.Ceil(math.Log10(s.hi)))
	every := max(1, (last-first+n-1)/n)
	var out []tick
	for e := first; e <= last; e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow10(e)
			if v < s.lo*(1-1e-9) || v > s.hi*(1+1e-9) {
				continue
			}
			label := m == 1 && (e-first)%every == 0 || s.hi/s.lo < 30 && (m == 1 || m == 2 || m == 5)
			switch {
			case label:
				out = append(out, tick{v, axisDuration(v)})
			case every == 1:
				out = append(out, tick{v: v})
			}
		}
	}
	return out
}

// axisDuration writes milliseconds for an axis: 10µs, 200ms, 5s, 1000s.
func axisDuration(ms float64) string {
	switch {
	case ms >= 1e8 || ms < 1e-9:
		return strconv.FormatFloat(ms/1000, 'g', 3, 64) + "s"
	case ms >= 1000:
		return short(ms/1000) + "s"
	case ms >= 1:
		return short(ms) + "ms"
	case ms >= 1e-3:
		return short(ms*1e3) + "µs"
	default:
		return short(ms*1e6) + "ns"
	}
}

// percentTicks label a share axis.
func percentTicks() []tick {
	return []tick{{0, "0 %"}, {0.5, "50 %"}, {1, "100 %"}}
}

var timeSteps = []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400}

// timeTicks are labelled instants of a run of so many seconds, at most n, with
// unlabelled ones half way. Runs from a second to days have round steps.
func timeTicks(total float64, n int) []tick {
	step := 0.0
	for _, s := range timeSteps {
		if total/s <= float64(n) {
			step = s
			break
		}
	}
	switch {
	case step == 0:
		step = 86400 * math.Max(1, niceStep(total/86400, n))
	case total < 2:
		step = niceStep(total, n)
	}
	var out []tick
	for i := 0; i <= 2*n+1; i++ {
		v := float64(i) * step / 2
		if v > total*(1+1e-9) {
			break
		}
		t := tick{v: v}
		if i%2 == 0 {
			t.text = tickClock(v, total)
		}
		out = append(out, t)
	}
	return out
}

// From longRun seconds on, the axis counts hours and minutes.
const longRun = 5400

func tickClock(s, total float64) string {
	switch {
	case total < 2:
		return short(s) + "s"
	case total > 30*86400:
		return si(s/86400) + "d"
	case total > longRun:
		m := int64(math.Round(s / 60))
		return fmt.Sprintf("%d:%02d", m/60, m%60)
	default:
		n := int64(math.Round(s))
		return fmt.Sprintf("%d:%02d", n/60, n%60)
	}
}

// timeTitle says what the labels of tickClock count.
func timeTitle(total float64) string {
	switch {
	case total < 2:
		return "simulated time (seconds)"
	case total > 30*86400:
		return "simulated time (days)"
	case total > longRun:
		return "simulated time (h:min)"
	default:
		return "simulated time (min:s)"
	}
}
