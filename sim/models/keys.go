package models

import (
	"math"

	"github.com/resilsim/resilsim/internal/exact"
	"github.com/resilsim/resilsim/sim/engine"
)

// KeysConfig says what requests are about: one of Count keys, for caches and for
// limiters that tell keys apart.
type KeysConfig struct {
	// Count of keys, from 1 on; they are numbered from 1.
	Count int
	// Exponent of Zipf's law: key k is asked for in proportion to 1/k^Exponent. 0: all
	// alike.
	Exponent float64
	// Hot of the keys, the first ones, get HotShare of the requests; 0: none. Then the
	// exponent is 0.
	Hot      int
	HotShare float64
}

// keys draws what requests are about.
type keys struct {
	KeysConfig
	zipf zipf
}

func newKeys(cfg *KeysConfig) keys {
	if cfg == nil {
		return keys{}
	}
	k := keys{KeysConfig: *cfg}
	if cfg.Exponent > 0 {
		k.zipf = newZipf(cfg.Count, cfg.Exponent)
	}
	return k
}

// draw returns a key from 1 on, 0 without keys.
func (k *keys) draw(s *engine.Stream) uint32 {
	switch {
	case k.Count == 0:
		return 0
	case k.Exponent > 0:
		return k.zipf.draw(s)
	case k.Hot == 0 || k.Hot == k.Count:
		return 1 + uint32(below(k.Count, s.Uint64()))
	}
	if s.Unit() < k.HotShare {
		return 1 + uint32(below(k.Hot, s.Uint64()))
	}
	return 1 + uint32(k.Hot) + uint32(below(k.Count-k.Hot, s.Uint64()))
}

// zipf draws from 1..n with probabilities in proportion to k^-q by inversion of the
// integral of x^-q, which lies above the sum, and rejection: about one draw a number,
// without a table.
//
// Source: Hörmann, Derflinger, "Rejection-inversion to generate variates from monotone
// discrete distributions", ACM TOMACS 6 (1996), 169-184.
type zipf struct {
	q, n     float64
	low, top float64 // the integral up to 1/2 with the whole mass of 1, and up to n + 1/2
	sure     float64 // what lies so close above k is k
}

func newZipf(n int, q float64) zipf {
	z := zipf{q: q, n: float64(n)}
	z.low, z.top = z.integral(1.5)-1, z.integral(float64(n)+0.5)
	z.sure = 2 - z.inverse(z.integral(2.5)-z.mass(2))
	return z
}

func (z *zipf) draw(s *engine.Stream) uint32 {
	for {
		u := z.top + float64(s.Unit()*(z.low-z.top))
		x := z.inverse(u)
		k := min(max(math.Floor(x+0.5), 1), z.n)
		if k-x <= z.sure || u >= z.integral(k+0.5)-z.mass(k) {
			return uint32(k)
		}
	}
}

func (z *zipf) mass(x float64) float64 { return exact.Exp(-float64(z.q * exact.Log(x))) }

// integral is that of x^-q from 1 on: (x^(1-q) - 1) / (1-q), or log x for q = 1. Near 1 it
// is written by the terms of the series that do not cancel.
func (z *zipf) integral(x float64) float64 {
	l := exact.Log(x)
	y := float64((1 - z.q) * l)
	if math.Abs(y) < 1e-5 {
		return l * (1 + float64(y/2*(1+y/3)))
	}
	return l * ((exact.Exp(y) - 1) / y)
}

func (z *zipf) inverse(v float64) float64 {
	y := max(float64(v*(1-z.q)), -1+0x1p-53)
	if math.Abs(y) < 1e-5 {
		return exact.Exp(float64(v * (1 - float64(y*(0.5-y/3)))))
	}
	return exact.Exp(float64(v * (exact.Log1p(y) / y)))
}
