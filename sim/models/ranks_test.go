package models

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestRanksAgreeWithASortedSlice puts tasks into a ranked list behind and before those of
// their level and takes any out again, and compares the whole list with a slice that is
// searched from its front.
func TestRanksAgreeWithASortedSlice(t *testing.T) {
	t.Parallel()
	type entry struct {
		slot  uint32
		level uint8
	}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		g := bench(60)
		var l list
		var rs ranks
		var twin []entry
		free := make([]uint32, 60)
		for i := range free {
			free[i] = uint32(i)
		}
		for range 2000 {
			if len(free) > 0 && r.IntN(2) == 0 {
				k := r.IntN(len(free))
				e := entry{free[k], uint8(r.IntN(Levels))}
				if r.IntN(2) == 0 {
					e.level %= 4
				}
				free = slices.Delete(free, k, k+1)
				before := r.IntN(3) == 0
				g.rank(&l, &rs, e.slot, g.tasks.at(e.slot), e.level, before)
				at := slices.IndexFunc(twin, func(o entry) bool { return o.level < e.level || (before && o.level == e.level) })
				if at < 0 {
					at = len(twin)
				}
				twin = slices.Insert(twin, at, e)
			} else if len(twin) > 0 {
				k := r.IntN(len(twin))
				e := twin[k]
				twin = slices.Delete(twin, k, k+1)
				rs.leaves(e.slot, g.tasks.at(e.slot), e.level)
				g.remove(&l, e.slot, g.tasks.at(e.slot))
				free = append(free, e.slot)
			}
			if l.n != len(twin) {
				t.Fatalf("seed %d: %d in the list, want %d", seed, l.n, len(twin))
			}
			at := l.first
			for i, e := range twin {
				if at != e.slot {
					t.Fatalf("seed %d: place %d has %d, want %d", seed, i, at, e.slot)
				}
				at = uint32(g.tasks.at(at).next)
			}
		}
	}
}
