// Package retry answers: this attempt has failed; is there another, and when?
//
// Policy decides from the number of attempts, how the last one ended and what the
// dependency hinted. Backoff is the schedule of waits. A budget (package budget)
// and the deadline are asked by whoever drives the call:
//
//	wait, again := policy.Next(&state, result, draw)
//	if again && now.Add(wait) < deadline && budget.Withdraw(now) {
//		// wait, then attempt again
//	}
package retry
