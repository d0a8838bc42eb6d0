package dist

import (
	"fmt"
	"sort"
	"strconv"
	"strings"
	"time"
)

// Point is one quantile: the share P of samples, in (0,1), does not exceed At.
type Point struct {
	P  float64
	At time.Duration
}

// String names the point as people do: "p99.9 180ms".
func (p Point) String() string { return PercentileName(p.P) + " " + p.At.String() }

// PercentileName writes a share as a percentile: 0.999 is "p99.9".
func PercentileName(p float64) string {
	whole, part, _ := strings.Cut(strconv.FormatFloat(p, 'f', -1, 64), ".")
	for len(part) < 2 {
		part += "0"
	}
	digits := strings.TrimLeft(whole+part[:2], "0")
	if digits == "" {
		digits = "0"
	}
	if part[2:] != "" {
		digits += "." + part[2:]
	}
	return "p" + digits
}

// percentileDigits bounds the digits of a percentile behind the point: the draws
// have steps of 1e-16, and more than p99.999999 nobody has measured.
const percentileDigits = 6

// ParsePercentile reads "p99.9" as 0.999. The percentile is above 0 and below 100,
// with at most 6 digits behind the point and no leading or trailing zeros.
func ParsePercentile(name string) (float64, error) {
	digits, found := strings.CutPrefix(name, "p")
	whole, part, point := strings.Cut(digits, ".")
	fault := func(why string) (float64, error) {
		return 0, fmt.Errorf("dist: %q is not a percentile: %s", name, why)
	}
	switch {
	case !found || !decimals(whole) || point && !decimals(part):
		return fault("write p50, p99 or p99.9")
	case len(whole) > 1 && whole[0] == '0' || point && strings.HasSuffix(part, "0"):
		return fault("write it without needless zeros")
	case len(whole) > 2 || whole == "0" && !point:
		return fault("it must be above p0 and below p100")
	case len(part) > percentileDigits:
		return fault(fmt.Sprintf("at most %d digits behind the point", percentileDigits))
	}
	p, err := strconv.ParseFloat(digits+"e-2", 64)
	if err != nil {
		return fault("write p50, p99 or p99.9")
	}
	return p, nil
}

func decimals(s string) bool {
	for _, r := range s {
		if r < '0' || r > '9' {
			return false
		}
	}
	return s != ""
}

// shareStep is how close two shares may be: that of the last digit of a percentile, or
// nearly.
const shareStep = 0.9e-8

// pointsMax bounds how many quantiles a law is fitted to.
const pointsMax = 100

// ordered returns the points by share, or says why they are not those of one law.
func ordered(points []Point) ([]Point, error) {
	if len(points) > pointsMax {
		return nil, fmt.Errorf("dist: quantiles: at most %d, got %d", pointsMax, len(points))
	}
	sorted := append([]Point(nil), points...)
	sort.SliceStable(sorted, func(i, j int) bool { return sorted[i].P < sorted[j].P })
	for i, p := range sorted {
		if !(p.P > 0 && p.P < 1) {
			return nil, fmt.Errorf("dist: quantiles: a share must be above 0 and below 1, got %v", p.P)
		}
		if err := checkLength("quantiles", PercentileName(p.P), p.At); err != nil {
			return nil, err
		}
		if i == 0 {
			continue
		}
		before := sorted[i-1]
		if before.P == p.P {
			return nil, fmt.Errorf("dist: quantiles: %s is given twice", PercentileName(p.P))
		}
		if p.P-before.P < shareStep {
			return nil, fmt.Errorf("dist: quantiles: shares must be at least %v apart, got %v and %v", shareStep, before.P, p.P)
		}
		if p.At <= before.At {
			return nil, fmt.Errorf("dist: quantiles: %s must be longer than %s (%v), got %v",
				PercentileName(p.P), PercentileName(before.P), before.At, p.At)
		}
	}
	return sorted, nil
}
