// Package outlier answers: which hosts of a set answer so much worse than they
// should that calls had better go to the others for a while?
//
//	          5 failures in a row; at each interval: success rate far below
//	          the mean, or too many failures
//	in use ───────────────────────────────────────────────► ejected
//	   ▲                                                       │
//	   └──────── at the first interval after the ejection time ┘
//
// A Set judges, the caller's balancer chooses: it asks Usable for each host it
// thinks of, and Report hears how each call ended.
//
// # Rules
//
//   - consecutiveFailures failures in a row. At once.
//   - Success rate. At each interval, over the calls that ended in it: if at least
//     successRateMinimumHosts hosts had successRateRequestVolume calls, those are ejected
//     whose rate is below mean - successRateStdevFactor x stdev.
//     The deviation is that of the hosts themselves (divided by n).
//   - Failure percentage. At each interval, with a least number of hosts and calls of its own: a
//     host with at least failurePercentageThreshold percent of failures.
//
// Among n hosts the worst rate is at most sqrt(n-1) deviations below the mean: with a
// factor of 1.9 and 5 hosts that is 2, so that only one bad host among good ones
// is found, and with a factor of 2 or more none.
//
// # How long, and how many
//
// The ejection time is min(baseEjectionTime x times, maxEjectionTime), plus a draw of
// maxEjectionTimeJitter. times grows by one with each ejection, as far as the
// maximum is a multiple of the base, and falls by one with each interval that
// the host is in use from end to end. Intervals are multiples of the
// setting since the driver's origin. A host comes back at the first one at or after the
// end of its ejection time, with nothing held against it but times.
//
// Not more than maxEjectionPercent of the hosts are ejected; what would exceed
// it is counted as an overflow. With alwaysEjectOneHost the first may go whatever its
// share is. A set that shrinks calls nobody back.
//
// If fewer than panicThreshold percent of the hosts are left in use, those that
// an active health check holds to be down (Mark) counted as gone, the set panics: all
// are usable. The load on the few would take them down too.
//
// # Driving
//
// A step makes every interval that has passed, in order, however late it is: Tick,
// Report, Add, Remove and Mark. Tick at Next, or before choosing a host. Ejected and
// Usable change nothing; a return they see at its instant, an ejection by rate
// when a step has made it. One draw serves a step: if it ejects several hosts, the
// k-th takes the fractional part of draw + k/phi, so that jitters differ.
//
// Results that end while their host is ejected, or was let in by a panic only, count as late
// and change nothing.
//
// Sources: Envoy's outlier detection; gRPC's proposal A50. Envoy
// allows the hosts (ejected + 1)/n <= the maximum, gRPC ejects while ejected/n is
// below it; this package does as Envoy. Envoy brings hosts back before it judges at an
// interval, gRPC after; this package as Envoy. Failures are one class here: what a 502 or a
// lost connection is, the caller's classification says.
//
// # When not to use it
//
// Not for a single address behind which a balancer stands: that is a breaker's
// business. Not when all hosts fail alike for a reason that they share: that
// moves the load about until the maximum holds, and a breaker or a
// throttle is what helps. Not in place of active health checks where hardly
// any calls are made: the rules know nothing then.
//
// # Values
//
// consecutiveFailures of 5 with 1 % of failures hits a good host every 10^10 calls; with
// 30 %, every 590. A maximum of 10 percent of 9 hosts is none: there alwaysEjectOneHost
// decides. Give a fleet of callers a jitter of an interval or more, since else they all
// come back to a host at once.
package outlier
