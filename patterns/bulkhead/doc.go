// Package bulkhead answers: is there a slot free for this call, and if not, may
// it wait for one?
//
// A bulkhead bounds how many calls are under way at once. A call that finds no
// slot waits in order of arrival, for a bounded time in a queue of bounded
// length, or is refused.
package bulkhead
