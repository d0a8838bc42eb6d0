package codel

import (
	"math"
	"slices"
	"testing"
)

// TestNewSpellGoesOnWhereTheLastOneLeftOff: a spell of drops comes ever faster, as 100 ms
// by the root of their number. It ends with one short wait. Soon after, the next spell goes on
// at the pace of as many drops as the last one made beyond its first; 16 intervals after, at
// that of one.
func TestNewSpellGoesOnWhereTheLastOneLeftOff(t *testing.T) {
	for _, row := range []struct {
		pause int // ms without a standing queue
		goes  func(made int) int
	}{
		{1, func(made int) int { return made - 1 }},
		{1400, func(made int) int { return made - 1 }},
		{1800, func(int) int { return 1 }},
	} {
		c := New(compile(t, RFC8289))
		first := drops(&c, 0, 1000)
		c.Dequeue(at(1001), ms)
		again := drops(&c, 1001+row.pause, 1001+row.pause+300)
		want := []int{1001 + row.pause + 100}
		next := float64(want[0])
		for n := row.goes(len(first)); ; n++ {
			next += 100 / math.Sqrt(float64(n))
			if at := int(math.Ceil(next)); at < 1001+row.pause+300 {
				want = append(want, at)
				continue
			}
			break
		}
		if len(first) < 5 || !slices.Equal(again, want) {
			t.Errorf("after %d ms and %d drops: again at %v, want %v", row.pause, len(first), again, want)
		}
	}
}

// drops tells when requests are dropped of which one comes each ms, having waited 50.
func drops(c *Codel, from, to int) (all []int) {
	for n := from; n < to; n++ {
		if c.Dequeue(at(n), 50*ms) {
			all = append(all, n)
		}
	}
	return all
}
