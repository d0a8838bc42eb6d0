package ratelimit

import (
	"math/big"
	"slices"
	"testing"

	"github.com/resilsim/resilsim/patterns"
)

// passed is n permits at one instant.
type passed struct {
	at patterns.Instant
	n  int64
}

// through lists what a twin's limiter let through, in order, and the most permits
// that one call had.
func through(w twin) (list []passed, most int64) {
	most = 1
	for _, e := range w.history {
		switch {
		case e.back || e.void:
		case e.n < 0:
			list = append(list, passed{e.at, -1 - e.n})
		default:
			list = append(list, passed{e.at, e.n})
			most = max(most, e.n)
		}
	}
	slices.SortFunc(list, func(a, b passed) int { return int(a.at - b.at) })
	return list, most
}

// checkWindows counts the permits from each instant to each later one, both ends
// included: from 3 ns to 5 ns is a window of 3 ns. The law of each type, for calls of at most m permits:
//
//	token_bucket  burst + limit/period x length
//	cycle         limit x cycles touched + m - 1
//	smooth        intervals touched + slack + m - 1
func checkWindows(t *testing.T, w twin) {
	t.Helper()
	list, most := through(w)
	for i := range list {
		sum := int64(0)
		for j := i; j < len(list); j++ {
			sum += list[j].n
			from, to := list[i].at, list[j].at
			var law *big.Rat
			if w.c.Type == TokenBucket {
				law = plus(w.burst(), new(big.Rat).Quo(integer(int64(to-from)+1), w.each()))
			} else {
				cells := plus(minus(w.running(to), w.running(from)), integer(1))
				law = plus(times(cells, w.per()), integer(int64(w.c.Slack)+most-1))
			}
			if integer(sum).Cmp(law) > 0 {
				t.Fatalf("%+v: %d permits from %d to %d, want at most %v of\n%v", w.c, sum, from, to, law, list)
			}
		}
	}
}
