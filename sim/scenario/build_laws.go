package scenario

import (
	"errors"
	"fmt"
	"strings"

	"github.com/resilsim/resilsim/sim/dist"
)

var errFamily = errors.New("'family' belongs to percentiles, like p50 and p99")

var errLognormal = errors.New("a lognormal law needs either p50 and p99, or mean and scv")

// lawsTable is the mapping of all time laws.
var lawsTable = distShape().fits(mappingNode)

// law makes the time law that a checked value stands for. The faults of a file are
// noted in it; the error is then errTold.
func (b *builder) law(v *value) (dist.Dist, error) {
	if v.node.kind == scalarNode {
		return dist.NewConstant(v.dur)
	}
	kind, p := v.chosen(lawsTable)
	if kind == "" {
		return fitted(v)
	}
	if v.get("family") != nil {
		return nil, errFamily
	}
	switch kind {
	case "exponential":
		return dist.NewExponential(p.dur)
	case "uniform":
		return dist.NewUniform(p.duration("min", 0), p.duration("max", 0))
	case "erlang":
		return dist.NewErlang(p.count("k", 1), p.duration("mean", 0))
	case "hyperexponential":
		return dist.NewHyperexponential(p.duration("mean", 0), p.number("scv", 0))
	case "lognormal":
		return lognormal(p)
	case "weibull":
		return weibull(p)
	case "pareto":
		return pareto(p)
	case "empirical", "hdrHistogram":
		return b.seen(p, kind == "hdrHistogram")
	case "mixture":
		return b.mixture(p)
	}
	return dist.NewConstant(p.dur)
}

func lognormal(p *value) (dist.Dist, error) {
	has := func(a, b string) bool { return p.get(a) != nil && p.get(b) != nil && len(p.names) == 2 }
	switch {
	case has("p50", "p99"):
		return dist.NewLognormalQuantiles(p.duration("p50", 0), p.duration("p99", 0))
	case has("mean", "scv"):
		return dist.NewLognormal(p.duration("mean", 0), p.number("scv", 0))
	}
	return nil, errLognormal
}

// lawMessage drops the package prefix: the reader knows the file, not the code.
func lawMessage(err error) string {
	return strings.TrimPrefix(err.Error(), "dist: ")
}

// lawText writes a law as the scenario language spells it, from its own words.
func lawText(d dist.Dist) string {
	if text, found := foundText(d); found {
		return text
	}
	w := strings.Fields(d.String())
	switch {
	case len(w) == 2 && w[0] == "uniform":
		lo, hi, _ := strings.Cut(w[1], "..")
		return fmt.Sprintf("{uniform: {min: %s, max: %s}}", lo, hi)
	case len(w) == 2:
		return fmt.Sprintf("{%s: %s}", w[0], w[1])
	case w[0] == "erlang":
		return fmt.Sprintf("{erlang: {k: %s, mean: %s}}", w[1], w[2])
	case len(w) == 5:
		return fmt.Sprintf("{lognormal: {p50: %s, p99: %s}}", w[2], w[4])
	}
	return fmt.Sprintf("{%s: {mean: %s, scv: %s}}", w[0], w[1], w[3])
}
