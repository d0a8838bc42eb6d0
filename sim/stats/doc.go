// Package stats answers: what may be concluded from the results of runs?
//
//	out := stats.Judge(stats.Case{...})          // did it heal, and what says so?
//	i := stats.MeanInterval(values, 0.95)        // a mean over replications
//	low, high := stats.ClopperPearson(3, 20, 0.95)
//	a := stats.Accept(values, 0.5, 0.002)        // does a model give the right value?
//
// All functions are pure: from curves and counts to a judgement with the figures
// that decided it. The words of a judgement are those of result.VerdictWord.
//
// Goodput is judged in windows, never interval by interval: a fleet with 7
// requests a second has intervals with fewer answers than arrivals all day long.
// A short window is 5 s, or longer where 5 s hold fewer than 200 requests, and
// never longer than the window of the recovery rule.
package stats
