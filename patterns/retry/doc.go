// Package retry answers: this attempt has failed; is there another, and when?
//
// Policy decides from the number of attempts, how the last one ended and what the
// dependency hinted. Backoff is the schedule of waits, with the formulas of all kinds
// of jitter. A budget (package budget) and the deadline are asked by whoever drives
// the call:
//
//	wait, again := policy.Next(&state, result, draw)
//	if again && now.Add(wait) < deadline && budget.Schedule(now, &stake, result) {
//		// wait, then attempt again
//	}
//
//	         attempt ended
//	              |
//	  answered, given up, open breaker, a hint below 0? -------> end
//	              | no
//	  a refusal that is not listed, a failure that is not? ----> end
//	              | no
//	  may it have been carried out, and not idempotent? -------> end
//	              | no
//	  maxAttempts reached? ------------------------------------> end
//	              | no
//	  wait: the schedule's, at least the hint; the hint above
//	  the cap: clamp it, stop or obey --------------------------> again
//
// # Suggested values
//
// Three attempts, exponential from 100 ms by 2 to at most 20 s, full jitter, a budget
// of 10 % to 20 %, a timeout inside. Wait longer after a rejection (1 s). The jitter
// matters more than its kind: callers that failed together must not come back
// together. full spreads widest; equal and factor keep a least wait; decorrelated and
// polly grow smoothly. A hint is a floor without jitter: callers that got the same
// Retry-After come back together, which only the dependency can spread.
//
// # When not
//
// Retry at one layer of a chain: three layers of three attempts are 27. Not where the
// failure is overload that lasts (a retry adds to it; have a budget), not what fails
// for good (bad requests: let the classifier say Ignored, or list retryOn), and not
// ambiguous failures of calls that must happen at most once: set nonIdempotent.
package retry
