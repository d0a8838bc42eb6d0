package dist

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/resilsim/resilsim/internal/exact"
)

// Report says in lines what a law is that was not written down as such: how it was
// found, mean and spread, and what it has where something was asked for. Empty for
// laws that say all by their parameters.
func Report(d Dist) []string {
	switch law := d.(type) {
	case *Fitted:
		return law.report()
	case *Empirical:
		return law.report()
	case *Mixture:
		return law.report()
	}
	return nil
}

// moments writes mean and squared coefficient of variation.
func moments(d Dist) string {
	text := fmt.Sprintf("mean %v", brief(d.Mean()))
	scv := SCV(d)
	switch {
	case math.IsInf(scv, 1):
		return text + ", variance infinite"
	case math.IsNaN(scv):
		return text
	}
	return text + fmt.Sprintf(", squared coefficient of variation %.3g", scv)
}

func (f *Fitted) report() []string {
	lines := []string{fmt.Sprintf("%s fit: %s", f.family, moments(f))}
	if f.parameters != "" {
		lines = append(lines, f.parameters)
	}
	var met []string
	for _, m := range f.Met() {
		text := fmt.Sprintf("%s %v", PercentileName(m.P), m.At)
		switch m.Got {
		case m.At:
			text += " met"
		default:
			text += fmt.Sprintf(" asked, %v met (%+.2g %%)", m.Got, 100*m.Miss())
		}
		met = append(met, text)
	}
	lines = append(lines, strings.Join(met, ", "))
	high := f.asked[len(f.asked)-1]
	return append(lines, fmt.Sprintf("beyond %s, where nothing was given: %.2g %% of the mean; p99.99 is %v",
		PercentileName(high.P), 100*f.beyond, brief(f.Quantile(0.9999))))
}

// describe names the sigma of each line.
func (w *piecewise) describe() string {
	last := len(w.points) - 1
	parts := []string{fmt.Sprintf("%.3g below %s", w.growth[0], PercentileName(w.points[0].P))}
	for _, p := range w.points[1:] {
		parts = append(parts, fmt.Sprintf("%.3g to %s", w.growth[len(parts)], PercentileName(p.P)))
	}
	return fmt.Sprintf("lognormal lines: sigma %s, %.3g above", strings.Join(parts, ", "), w.growth[last+1])
}

// brief rounds a duration to four digits, for a reader.
func brief(d time.Duration) time.Duration {
	step := time.Duration(1)
	for d/step >= 10_000 {
		step *= 10
	}
	return d.Round(step)
}

// tailShare is the share of the mean of a Weibull law that lies above its quantile
// p: the integral of hazard^(1/shape) exp(-hazard) from the hazard of p on, over
// Gamma(1+1/shape).
func (w Weibull) tailShare(p float64) float64 {
	const longest, reach = 0.25, 60.0
	from, sum := -exact.Log1p(-p), 0.0
	for i := 0.0; i < reach/longest; i++ {
		middle := from + float64((i+0.5)*longest)
		for k, at := range gaussAt {
			step := float64(longest / 2 * at)
			for _, h := range [2]float64{middle - step, middle + step} {
				sum += float64(gaussWeight[k] * exact.Exp(exact.Log(h)/w.shape-h))
			}
		}
	}
	return float64(sum*longest/2) / exact.Exp(logGamma(1+1/w.shape))
}

// tailShare is the share of the mean above the quantile p of a Pareto law without
// bound: (1-p)^(1-1/shape).
func (p Pareto) tailShare(q float64) float64 {
	return exact.Exp(exact.Log1p(-q) * (1 - 1/p.shape))
}
