// Package grpcguard answers: how do the patterns stand on either side of a gRPC call?
//
//	client                                                       server
//	stub ─ Client ─ pipeline ─ invoker ═══════════════► Server ─ gate ─ handler
//	          ▲        │                                   │
//	          └─ again ┘ ◄── UNAVAILABLE, pushback ────────┘
//
// # Client
//
// Client holds two interceptors, which send each call through a pipeline that is made by
// NewPipeline. Give the connection no retry policy of its own: 3 attempts of 3 are 9.
//
//	code                                 what the pipeline hears
//	OK                                   success
//	RESOURCE_EXHAUSTED                   failure, rejected at the door
//	UNAVAILABLE with a pushback          failure, rejected at the door
//	UNAVAILABLE without                  failure, unreachable, and it may have run
//	DEADLINE_EXCEEDED                    failure, and it may have run
//	UNKNOWN, INTERNAL, DATA_LOSS         failure
//	CANCELLED                            ignored
//	every other                          success: the fault is not the server's
//
// When to come back is read from the trailer grpc-retry-pushback-ms (gRPC proposal A6): so
// many milliseconds; what is below 0, no number, or there twice, means not at all. Without one, a
// google.rpc.RetryInfo in the status counts. A retry with a6 jitter waits exactly that; with others
// it is a floor.
//
// A call is repeated after a failure that leaves open whether it was carried out only if
// ClientConfig.Idempotent says so of its method. The deadline travels with the context, as always
// in gRPC: an attempt's timeout is the deadline that the server sees.
//
// Errors have a status: status.Code tells UNAVAILABLE for a call that the client's own
// breaker or throttle refused, RESOURCE_EXHAUSTED for its bulkhead and limits, DEADLINE_EXCEEDED for its
// timeouts. errors.As finds the *pipeline.Error in them.
//
// Each attempt decodes into a reply of its own, which is copied when it is chosen: a
// hedge, or an attempt that was left behind, never writes into what the caller reads.
//
// A stream is one attempt from its opening to its end, so that a breaker and a bulkhead see all
// of it, and a timeout covers all of it. Only the opening is repeated: what was
// sent on a stream is not kept. Close it as gRPC asks for: by reading to an error or by ending its
// context.
//
// # Server
//
// Server holds two interceptors that let calls in through a gate.Gate. Refused calls are answered
// with a pushback and a RetryInfo, before the handler sees them:
//
//	RESOURCE_EXHAUSTED   a rate limit
//	UNAVAILABLE          no slot, waited in vain, shed
//	DEADLINE_EXCEEDED    the caller's deadline has passed, on arrival or in the queue
//
// # When not to use it
//
// Not with a pipeline that has a fallback: an answer of another type cannot be
// decoded into the reply. Put it around the stub, with pipeline.Do.
package grpcguard
