package main

import (
	"fmt"
	"strings"
)

// meant returns ": did you mean 'x'?" for the nearest of the known words, or
// nothing when none is near: at most a third of the word may differ.
func meant(word string, known []string) string {
	best := nearest(word, known)
	if best == "" {
		return ""
	}
	return fmt.Sprintf(": did you mean '%s'?", best)
}

func nearest(word string, known []string) string {
	best, distance := "", max(1, len(word)/3)+1
	for _, k := range known {
		if d := edits(fold(word), fold(k)); d < distance {
			best, distance = k, d
		}
	}
	if best == "" {
		best = onlyOneWith(word, known)
	}
	return best
}

// onlyOneWith finds the only known word that contains what was typed.
func onlyOneWith(word string, known []string) string {
	found := ""
	for _, k := range known {
		if len(word) < 3 || !strings.Contains(fold(k), fold(word)) {
			continue
		}
		if found != "" {
			return ""
		}
		found = k
	}
	return found
}

func fold(s string) string {
	return strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(s))
}

// edits is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours.
func edits(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}
