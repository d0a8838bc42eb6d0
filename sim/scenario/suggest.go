package scenario

import (
	"fmt"
	"strings"
)

// nearest returns the candidate that a writer most likely meant, or "". Case,
// '-' and '_' do not count; up to a third of the letters may be wrong.
func nearest(word string, candidates []string) string {
	if len(word) > 80 {
		return ""
	}
	plain := plainWord(word)
	best, at := "", len(plain)/3+1
	for _, c := range candidates {
		if d := distance(plain, plainWord(c)); d < at {
			best, at = c, d
		}
	}
	return best
}

// meant makes a hint of the nearest candidate, or lists them all.
func meant(word, what string, candidates []string) string {
	if c := nearest(word, candidates); c != "" {
		return fmt.Sprintf("did you mean '%s'?", c)
	}
	if len(candidates) == 0 {
		return ""
	}
	const most = 20
	if len(candidates) > most {
		return fmt.Sprintf("%s: %s and %d more", what, strings.Join(candidates[:most], ", "), len(candidates)-most)
	}
	return what + ": " + strings.Join(candidates, ", ")
}

func plainWord(s string) string {
	return strings.NewReplacer("-", "", "_", "", " ", "").Replace(strings.ToLower(s))
}

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	prev2, prev, cur := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(x); i++ {
		cur[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(y)]
}
