// Package budget answers: may this call be retried, or have there been enough
// retries for the load there is?
//
// A budget bounds retries as a share of calls, whatever the number of attempts
// of each, so that a failing dependency meets at most 1 + ratio times its load.
// It is paid when a retry is scheduled and given back if the retry is not made.
//
// There are two kinds. The time window (Finagle): with r the ratio, m the reserve
// in retries a second, W the window in seconds,
//
//	balance = r * deposits in W - withdrawals in W + m * W
//
// a retry costs 1. Deposits and withdrawals leave the window together with the
// tenth of it in which they were made, so the window covers between 0.9 W and W,
// and the reserve comes back as withdrawals expire.
//
// The token bucket: deposits add r up to a capacity, a retry costs 1 and needs a
// balance of at least 1; nothing expires.
//
// Accounts are kept in whole millionths of a retry: no share is lost to
// truncation, and 1/r need not be a whole number.
package budget
