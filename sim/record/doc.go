// Package record answers: what was seen during a run?
//
// A Recorder listens to the probes of the models and keeps bounded series and
// histograms, whatever the length of the run:
//
//	r := record.New(record.Config{Fleets: fleets, Services: names, Duration: d, Interval: i})
//	... build the models with r as their probe, run them ...
//	err := r.Close(end, live)                // the law of accounts at every boundary
//	r.Series(); r.Accounts(); r.Latency()    // the parts of a result
//
// What is kept are integers: counts, nanoseconds, buckets. Shares, rates and
// means are derived at the end, so that the order of adding cannot matter.
//
// Bounds: at most IntervalsMax intervals (a finer interval is made coarser by a
// whole factor); per interval some 120 bytes for a fleet and 100 for a service,
// and for a fleet the occupied buckets of its calls' latency, at 5 to 12 bytes
// each: 700 requests with exponential latency occupy some 350 buckets, and more
// than 3,800 do not exist. The event log holds at most 2,000 lines, and breaker
// by breaker the first 20 instances of each fleet in at most 1,000 lines.
package record
