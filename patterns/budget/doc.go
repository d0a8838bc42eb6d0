// Package budget answers: may this call be retried, or have there been enough
// retries for the load there is?
//
// A budget bounds the retries of all calls together, whatever the number of
// attempts of each, so that a failing dependency meets at most 1 + ratio times its
// load. It is paid when a retry is scheduled and given back if the retry is not
// made. First attempts always pass.
//
// # Kinds
//
// With r the ratio, a retry costs 1 unless told otherwise.
//
// window (Finagle, linkerd): with m the reserve in retries a second, W the window,
//
//	balance = r * deposits in W - withdrawals in W + m * W     retry while >= 1
//
// Deposits and withdrawals leave the window together with the tenth of it in which
// they were made, so the window covers between 0.9 W and W, and the reserve comes
// back as withdrawals expire.
//
// bucket: deposits add r up to a capacity; retry while the balance is >= 1; nothing
// expires.
//
// concurrency (Envoy): retry while
//
//	retries scheduled or in flight < max(floor(r * calls in flight), minConcurrency)
//
// A call is in flight from Begin to End, a retry from the instant when it is
// scheduled, so that retries waiting in their backoff count (Envoy forgets them).
//
// tokens (gRPC A6): a failed attempt costs 1, whether it is retried or not, a
// success adds r (three decimals); retry while the tokens are above half of the
// capacity. The retry itself costs nothing.
//
// quota (AWS SDKs): a retry costs cost, or rejectedCost after a refusal at the
// dependency's door; an answered retry takes its own cost back, a call answered at
// once adds noRetryIncrement.
//
// failure_rate: a breaker that guards retries only: with F of N attempts failed in
// the window and N at least the minimum, no retry while
//
//	100 F > failureRateThreshold * N
//
// # Which one, and when none
//
// A ratio of 10 % to 20 % is usual. window and bucket bound the load in all; choose
// window (10 s, 20 %, 10/s) where load varies, bucket (10 tokens, 10 % by success)
// where a client is small. concurrency fits a proxy: it bounds what is open, not
// the rate, so that fast failures may still be retried often. tokens and quota stop
// early and need successes to go on: a total outage ends retries after 5 or 35.
// failure_rate is all or nothing. A budget is of no use to a client that makes one
// call a minute (its share of a retry never comes), and none replaces a backoff.
//
// # Use
//
// Either the pair Deposit and Withdraw with Return (window, bucket), or a Stake for
// each call, which works for every kind.
//
// Accounts are kept in whole millionths of a retry: no share is lost to
// truncation, and 1/r need not be a whole number. A budget without a window takes
// 24 bytes.
package budget
