package reports

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// instant writes a time of a run of so many seconds: 1:20, 1:02:03 from an hour
// on, 0.84 s where the whole run takes a few seconds.
func instant(s, total float64) string {
	switch {
	case math.Abs(s) > 1e15 || math.IsNaN(s):
		return strconv.FormatFloat(s, 'g', 3, 64) + " s"
	case total < 10:
		return short(s) + " s"
	}
	n := int64(math.Round(s))
	if n < 3600 {
		return fmt.Sprintf("%d:%02d", n/60, n%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", n/3600, n/60%60, n%60)
}

// span writes how long something took: 250 ms, 3.2 s, 119 s, 2m34s, 1h05m.
func span(s float64) string {
	switch a := math.Abs(s); {
	case a > 1e15 || math.IsNaN(s):
		return strconv.FormatFloat(s, 'g', 3, 64) + " s"
	case a == 0:
		return "0 s"
	case a < 1:
		return milliseconds(s * 1000)
	case a < 9.95:
		return short(math.Round(s*10)/10) + " s"
	}
	n := int64(math.Round(s))
	switch {
	case n < 120:
		return fmt.Sprintf("%d s", n)
	case n < 3600:
		return fmt.Sprintf("%dm%02ds", n/60, n%60)
	default:
		return fmt.Sprintf("%dh%02dm", n/3600, n/60%60)
	}
}

// milliseconds writes a latency with three digits: 0.5 ms, 48.2 ms, 1.25 s.
func milliseconds(ms float64) string {
	digits := func(v float64) string {
		places := 2
		switch a := math.Abs(v); {
		case a >= 99.95:
			places = 0
		case a >= 9.995:
			places = 1
		}
		s := strconv.FormatFloat(v, 'f', places, 64)
		if places > 0 {
			s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
		}
		return s
	}
	switch a := math.Abs(ms); {
	case a >= 1e15:
		return strconv.FormatFloat(ms/1000, 'g', 3, 64) + " s"
	case a >= 999.5:
		return digits(ms/1000) + " s"
	case a >= 0.01 || a == 0:
		return digits(ms) + " ms"
	default:
		return strconv.FormatFloat(ms, 'g', 3, 64) + " ms"
	}
}

// amount writes a number as a person says it: 0, 0.25, 4220, 1.25M.
func amount(v float64) string {
	switch a := math.Abs(v); {
	case a >= 1e5:
		return si(v)
	case a >= 10:
		return strconv.FormatFloat(v, 'f', 0, 64)
	case a >= 1e-3 || a == 0:
		return short(math.Round(v*1000) / 1000)
	default:
		return strconv.FormatFloat(v, 'g', 2, 64)
	}
}

// percent writes a share: 0.3 %, 93 %, 99.9 %. It says 100 only for all, and 0
// only for nothing.
func percent(share float64) string {
	p := share * 100
	switch {
	case math.IsNaN(p):
		return "-"
	case p > 99.9 && p < 100:
		return "> 99.9 %"
	case p > 0 && p < 0.1:
		return "< 0.1 %"
	case p >= 99 && p < 100 || p < 10:
		return strconv.FormatFloat(math.Floor(p*10+1e-9)/10, 'f', -1, 64) + " %"
	default:
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	}
}

// grouped writes a count with commas: 2,880,000.
func grouped(n uint64) string {
	s := strconv.FormatUint(n, 10)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
