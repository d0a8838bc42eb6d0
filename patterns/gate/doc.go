// Package gate answers: may this request come into the server now, and what is
// given back when it leaves?
//
// It is the wall-clock driver of the cores that admit work: each core stands
// behind one mutex and is told the time that has passed since its stage was made.
//
//	           refused            refused
//	              ▲                  ▲
//	request ── Levels ── Rate ── Slots or Limit ──► the work
//	           by class           concurrency
//	              ◄──────────────────┴───────────── Leave, once
//
// A Gate is a list of stages, outermost first. Enter asks them one after the
// other; if one refuses, those that had admitted the request hear that it was not
// made (D12). The Pass of an admitted request gives everything back once,
// however often it is told to. Run does both, also when the work panics or leaves
// by Goexit.
//
// The stages:
//
//	Slots    a bulkhead: so many at one time, others wait or are refused; with
//	         codel it drops those that waited too long in a queue that stands
//	Limit    an adaptive limit: as many at one time as the round trips allow
//	Rate     a rate limiter, for all requests together or for each key
//	Levels   sheds the least important classes by a share
//	Decider  any other core that answers at once and wants nothing back
//
// A refusal is a *pipeline.Error, so that its sentinels (ErrShed,
// ErrBulkheadFull, ErrDeadline and so on) say what happened on either side of the wire.
//
// # When not to use it
//
// Not on the client's side: a pipeline has retries and breakers as well. Not with
// two stages that wait: a request that waits in the second holds a slot of the
// first.
package gate
