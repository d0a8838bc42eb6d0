package dist

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

// Part is one law of a mixture and how much it counts.
type Part struct {
	Weight float64
	Law    Dist
}

// Mixture is one of several laws, drawn anew for each sample: a fast path mostly
// and a slow one now and then.
type Mixture struct {
	parts []Part
	upTo  []float64 // share of all parts up to and with this one
	mean  time.Duration
}

// partsMax bounds the parts of a mixture.
const partsMax = 20

// NewMixture returns the mixture of 2 to 20 laws with weights above 0 and at most
// 1e15; they need not add up to 1. A part must not be a mixture itself.
func NewMixture(parts []Part) (*Mixture, error) {
	if len(parts) < 2 || len(parts) > partsMax {
		return nil, fmt.Errorf("dist: mixture: there must be 2 to %d parts, got %d", partsMax, len(parts))
	}
	total := 0.0
	for _, p := range parts {
		if !(p.Weight > 0 && p.Weight <= weightMax) {
			return nil, fmt.Errorf("dist: mixture: a weight must be above 0 and at most %g, got %v", weightMax, p.Weight)
		}
		if _, nested := p.Law.(*Mixture); nested {
			return nil, fmt.Errorf("dist: mixture: a part is a mixture itself; write its parts into this one")
		}
		if _, known := p.Law.(Quantiler); !known {
			return nil, fmt.Errorf("dist: mixture: the quantiles of %v are not known", p.Law)
		}
		total += p.Weight
	}
	m := &Mixture{parts: append([]Part(nil), parts...)}
	sum, mean := 0.0, 0.0
	for _, p := range parts {
		sum += p.Weight
		m.upTo = append(m.upTo, sum/total)
		mean += float64(p.Weight / total * float64(p.Law.Mean()))
	}
	m.mean = nanoseconds(mean)
	return m, nil
}

// Sample takes two draws: the first picks the part, the second is its sample. So a
// mixture is the one law here whose sample is not the quantile of one draw.
func (m *Mixture) Sample(s *engine.Stream) time.Duration {
	u := s.Unit()
	i := 0
	for i < len(m.parts)-1 && u >= m.upTo[i] {
		i++
	}
	return m.parts[i].Law.Sample(s)
}

// share is that of one part.
func (m *Mixture) share(i int) float64 {
	if i == 0 {
		return m.upTo[0]
	}
	return m.upTo[i] - m.upTo[i-1]
}

// Quantile is the shortest time that at least a share p does not exceed, found by
// halving an interval; it is for reports, not for drawing.
func (m *Mixture) Quantile(p float64) time.Duration {
	p = draw(p)
	low, high := Longest, time.Duration(0)
	for _, part := range m.parts {
		q := part.Law.(Quantiler).Quantile(p)
		low, high = min(low, q), max(high, q)
	}
	for low < high {
		middle := low + (high-low)/2
		if m.upToTime(middle) >= p {
			high = middle
		} else {
			low = middle + 1
		}
	}
	return low
}

// upToTime is the share of samples that do not exceed t: for each part the draw at
// which its quantile passes t.
func (m *Mixture) upToTime(t time.Duration) float64 {
	sum := 0.0
	for i, part := range m.parts {
		law := part.Law.(Quantiler)
		low, high := 0.0, 1.0
		for range 53 {
			if middle := (low + high) / 2; law.Quantile(middle) <= t {
				low = middle
			} else {
				high = middle
			}
		}
		sum += float64(m.share(i) * high)
	}
	return sum
}

// Parts are the laws and weights as given. The list must not be changed.
func (m *Mixture) Parts() []Part { return m.parts }

// Mean is that of the parts by their weights.
func (m *Mixture) Mean() time.Duration { return m.mean }

// Variance is that of the parts and that of their means.
func (m *Mixture) Variance() float64 {
	sum := 0.0
	for i, p := range m.parts {
		v, known := p.Law.(Varier)
		if !known {
			return math.NaN()
		}
		sum += float64(m.share(i) * (v.Variance() + squared(float64(p.Law.Mean()-m.mean))))
	}
	return sum
}

func (m *Mixture) String() string {
	var parts []string
	for i, p := range m.parts {
		parts = append(parts, fmt.Sprintf("%.3g %% %v", 100*m.share(i), p.Law))
	}
	return "mixture of " + strings.Join(parts, ", ")
}

func (m *Mixture) report() []string {
	lines := []string{fmt.Sprintf("mixture: %s; p50 %v, p99 %v, p99.9 %v", moments(m),
		brief(m.Quantile(0.5)), brief(m.Quantile(0.99)), brief(m.Quantile(0.999)))}
	for i, p := range m.parts {
		text := fmt.Sprintf("%.3g %%: ", 100*m.share(i))
		inner := Report(p.Law)
		if len(inner) == 0 {
			inner = []string{fmt.Sprintf("%v; %s", p.Law, moments(p.Law))}
		}
		lines = append(lines, text+inner[0])
		for _, more := range inner[1:] {
			lines = append(lines, "    "+more)
		}
	}
	return lines
}
