package engine

import (
	"math"
	"math/bits"
	"slices"
	"testing"
)

// neighbours are the ways in which keys that models really use lie side by side.
var neighbours = []struct {
	name string
	key  func(i uint64) Key
}{
	{"seeds", func(i uint64) Key { return Seed(i).Key(1, 0, 0, 0) }},
	{"entities", func(i uint64) Key { return Seed(7).Key(1, i, 0, 0) }},
	{"requests", func(i uint64) Key { return Seed(7).Key(1, 3, i, 0) }},
	{"attempts", func(i uint64) Key { return Seed(7).Key(1, 3, 4711, i) }},
	{"purposes of requests", func(i uint64) Key { return Seed(7).Key(Purpose(i), 3, i>>8, 1) }},
	{"seeds and entities", func(i uint64) Key { return Seed(i&1023).Key(1, i>>10, 0, 0) }},
	{"entities and requests", func(i uint64) Key { return Seed(7).Key(1, i&1023, i>>10, 0) }},
	{"requests and attempts", func(i uint64) Key { return Seed(7).Key(1, 3, i>>2, i&3) }},
	{"steps", func(i uint64) Key { return Key(99).Child(i, 1) }},
	{"steps and attempts", func(i uint64) Key { return Key(99).Child(i>>2, i&3) }},
	{"children of children", func(i uint64) Key {
		return Key(99).Child(i&15, i>>4&15).Child(i>>8&15, i>>12)
	}},
	{"draws of a stream", func(i uint64) Key {
		s := Stream{key: 99, n: i}
		return Key(s.Uint64())
	}},
}

const draws = 1 << 18

// TestDrawsOfNeighboursAreUniform sorts the first draws of neighbouring keys into
// 1024 cells. Chi-square with 1023 degrees of freedom has mean 1023 and variance
// 2046; 4.5 standard deviations either way are allowed.
func TestDrawsOfNeighboursAreUniform(t *testing.T) {
	const cells, k = 1024, 4.5
	for _, nb := range neighbours {
		var counts [cells]float64
		for i := range uint64(draws) {
			counts[int(nb.key(i).Unit()*cells)]++
		}
		chi := 0.0
		for _, n := range counts {
			d := n - draws/cells
			chi += d * d / (draws / cells)
		}
		if z := (chi - (cells - 1)) / math.Sqrt(2*(cells-1)); math.Abs(z) > k {
			t.Errorf("%s: chi-square is off by %.1f standard deviations", nb.name, z)
		}
	}
}

// TestDrawsOfNeighboursAreUncorrelated takes the serial correlation at distances 1,
// 2, 4 ... 1024. Its standard error is 1/sqrt(n); 4.5 of them are allowed.
func TestDrawsOfNeighboursAreUncorrelated(t *testing.T) {
	const k = 4.5
	for _, nb := range neighbours {
		xs := make([]float64, draws)
		for i := range xs {
			xs[i] = (nb.key(uint64(i)).Unit() - 0.5) * math.Sqrt(12)
		}
		for lag := 1; lag <= 1024; lag *= 2 {
			sum := 0.0
			for i, x := range xs[lag:] {
				sum += x * xs[i]
			}
			if z := sum / math.Sqrt(float64(draws-lag)); math.Abs(z) > k {
				t.Errorf("%s: correlation at distance %d is off by %.1f standard errors", nb.name, lag, z)
			}
		}
	}
}

// TestPairsOfDrawsFillTheSquare sorts (first draw of a key, first draw of the next)
// into 32 x 32 cells: dependence that a correlation does not see.
func TestPairsOfDrawsFillTheSquare(t *testing.T) {
	const side, k = 32, 4.5
	for _, nb := range neighbours {
		var counts [side * side]float64
		for i := range uint64(draws) {
			x, y := nb.key(2*i).Unit(), nb.key(2*i+1).Unit()
			counts[int(x*side)*side+int(y*side)]++
		}
		chi := 0.0
		for _, n := range counts {
			d := n - draws/(side*side)
			chi += d * d / (draws / (side * side))
		}
		if z := (chi - (side*side - 1)) / math.Sqrt(2*(side*side-1)); math.Abs(z) > k {
			t.Errorf("%s: chi-square of pairs is off by %.1f standard deviations", nb.name, z)
		}
	}
}

// TestKeysNeverCollide looks for equal keys among all neighbours together: 3e6 keys
// of 64 bits would share one with probability 3e-7.
func TestKeysNeverCollide(t *testing.T) {
	var keys []Key
	for n, nb := range neighbours {
		if nb.name == "draws of a stream" {
			continue
		}
		for i := range uint64(draws) {
			keys = append(keys, nb.key(i+uint64(n)<<30))
		}
	}
	all := len(keys)
	slices.Sort(keys)
	if n := len(slices.Compact(keys)); n != all {
		t.Errorf("%d keys, %d of them different", all, n)
	}
}

// TestOneBitChangesHalfTheKey flips each bit of each argument: every bit of the key
// must change in half of 4000 cases, within 6 standard errors of sqrt(1/4/n) (there
// are 20,480 pairs of bits to look at).
func TestOneBitChangesHalfTheKey(t *testing.T) {
	const n, k = 4000, 6.0
	arguments := []func(x uint64) Key{
		func(x uint64) Key { return Seed(x).Key(1, 2, 3, 4) },
		func(x uint64) Key { return Seed(1).Key(1, x, 3, 4) },
		func(x uint64) Key { return Seed(1).Key(1, 2, x, 4) },
		func(x uint64) Key { return Seed(1).Key(1, 2, 3, x) },
		func(x uint64) Key { return Key(1).Child(2, x) },
	}
	for a, key := range arguments {
		for in := range 64 {
			var flips [64]float64
			for i := range uint64(n) {
				x := i * 0x2545f4914f6cdd1d
				for diff := key(x) ^ key(x^1<<in); diff != 0; diff &= diff - 1 {
					flips[bits.TrailingZeros64(uint64(diff))]++
				}
			}
			for out, f := range flips {
				if z := (f/n - 0.5) / math.Sqrt(0.25/n); math.Abs(z) > k {
					t.Fatalf("argument %d: bit %d moves bit %d in %.1f %% of cases", a, in, out, 100*f/n)
				}
			}
		}
	}
}

// TestUnitAndOpenStayInside drives both to the ends of their ranges.
func TestUnitAndOpenStayInside(t *testing.T) {
	for _, bits := range []uint64{0, 1, 1 << 11, math.MaxUint64} {
		key := unmix(bits) - golden // the first draw of this key is bits
		s, o := Stream{key: key}, Stream{key: key}
		u, v := s.Unit(), o.Open()
		if !(u >= 0 && u < 1 && v > 0 && v <= 1 && v-u == 0x1p-53) {
			t.Errorf("bits %#x are %v in [0,1) and %v in (0,1]", bits, u, v)
		}
	}
}

// unmix inverts mix, which also proves that mix is a bijection.
func unmix(x uint64) uint64 {
	x ^= x>>31 ^ x>>62
	x *= 0x319642b2d24d8ec3
	x ^= x>>27 ^ x>>54
	x *= 0x96de1b173f119089
	return x ^ x>>30 ^ x>>60
}

func TestMixIsABijection(t *testing.T) {
	for i := range uint64(1000) {
		if x := i * 0x2545f4914f6cdd1d; unmix(mix(x)) != x || mix(unmix(x)) != x {
			t.Fatalf("%#x does not come back", x)
		}
	}
}

// TestDrawsAreAContract keeps the numbers: a change of the hash changes every
// result that was ever published with a seed.
func TestDrawsAreAContract(t *testing.T) {
	key := Seed(7).Key(3, 800, 4711, 2)
	s := key.Child(1, 2).Stream()
	got := []uint64{uint64(key), s.Uint64(), s.Uint64(), math.Float64bits(key.Unit())}
	want := []uint64{0xc59e7f66faaa329, 0x486a4478dd0e9edc, 0x5630918b8a76b30c, 0x3fec489358c823de}
	if !slices.Equal(got, want) {
		t.Errorf("draws %#x, want %#x", got, want)
	}
}
