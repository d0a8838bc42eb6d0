// Package window answers: of the calls that ended lately, how many failed and
// how many were slow?
//
// There are two meanings of "lately". A count window holds the last size calls.
// A time window holds the calls that ended in the running bucket and in the
// size/bucket-1 buckets before it, so that it covers between size-bucket and
// size of time; buckets are aligned to the driver's origin, not to the first
// call, so that the same calls always fall into the same buckets.
//
// A window is expired on reading as well as on adding: one that is read after an
// idle hour is empty. A gap clears at most the whole window once; its length
// costs nothing. An instant before one already seen belongs to the running
// bucket. All four counters of what leaves are taken off together, so none can
// drift or go below zero.
//
// # Layout
//
// Counts travel in two words of two 32-bit lanes each, so that adding and
// evicting are two additions and two subtractions:
//
//	calls = total | failed<<32        slows = slow | slow and failed<<32
//
// A count window keeps two bits a call (failed, slow), a time window the two
// words a bucket. A total of 2^32-1 calls is where a window stops counting.
package window
