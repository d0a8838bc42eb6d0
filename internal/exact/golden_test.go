package exact

import (
	"math"
	"testing"
)

// TestSameBitsEverywhere compares bit patterns with ones that were written down
// once: every processor, and every setting of the compiler, must meet them. Each
// row ends with a fold over 20,000 results at arguments without a pattern.
func TestSameBitsEverywhere(t *testing.T) {
	rows := []struct {
		name string
		f    func(u float64) float64 // u in (0,1)
		bits []uint64                // at 0.1, 0.5, 0.9
		fold uint64
	}{
		{"Exp", func(u float64) float64 { return Exp(float64(u*200) - 100) },
			[]uint64{0x38b7fd974d372e44, 0x3ff0000000000000, 0x47255779b984f3eb}, 0xdbf534c84a2ae462},
		{"Log", func(u float64) float64 { return Log(u * 50) },
			[]uint64{0x3ff9c041f7ed8d33, 0x4009c041f7ed8d33, 0x400e740b76a3c9a4}, 0xc2e092cc5d46c365},
		{"Log1p", func(u float64) float64 { return Log1p(-u) },
			[]uint64{0xbfbaf8e8210a415e, 0xbfe62e42fefa39ef, 0xc0026bb1bbb55516}, 0x0528eb82b300b886},
		{"Pow", func(u float64) float64 { return Pow(u*7, float64(u*60)-30) },
			[]uint64{0x40b463b7ce32c2d2, 0x3ff0000000000000, 0x43ea827637abfeaf}, 0x3f0508172815ee12},
		{"NormalQuantile", NormalQuantile,
			[]uint64{0xbff4813c36e26d34, 0x0000000000000000, 0x3ff4813c36e26d34}, 0x64c424d6155fb2e6},
	}
	for _, row := range rows {
		for i, u := range []float64{0.1, 0.5, 0.9} {
			if got := math.Float64bits(row.f(u)); got != row.bits[i] {
				t.Errorf("%s at %v: bits %#016x, want %#016x", row.name, u, got, row.bits[i])
			}
		}
		if got := foldOver(row.f); got != row.fold {
			t.Errorf("%s: fold %#016x, want %#016x", row.name, got, row.fold)
		}
	}
}

// foldOver hashes results bit by bit (FNV-1a over 64-bit words). The arguments are
// the upper 53 bits of a linear congruential sequence (Knuth's MMIX constants).
func foldOver(f func(u float64) float64) uint64 {
	hash, state := uint64(0xcbf29ce484222325), uint64(1)
	for range 20_000 {
		state = state*6364136223846793005 + 1442695040888963407
		u := float64(state>>11|1) * 0x1p-53
		hash = (hash ^ math.Float64bits(f(u))) * 0x100000001b3
	}
	return hash
}
