// Package timeout answers: until when may what is inside take?
//
// A timeout of duration T that begins at t ends at t + T. Where timeouts are
// nested, the earliest end counts. An answer at that very instant is in time.
package timeout
