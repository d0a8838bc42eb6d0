// Package httpguard answers: how do the patterns stand on either side of an HTTP
// call?
//
//	client                                                     server
//	http.Client ─ Transport ─ pipeline ─ base ══════► Handler ─ gate ─ handler
//	                 ▲           │                       │
//	                 └── again ──┘ ◄── 503, Retry-After ─┘
//
// # Client
//
// A Transport is an http.RoundTripper that sends each request through a pipeline.
// What it adds to the pipeline is what only HTTP knows:
//
//   - What counts. Errors, 5xx and 429 are failures; any other status is an answer and says
//     that the server is well. 429 and 503 are refusals at the server's door.
//     See Classify.
//   - When to come back. Retry-After is a floor for the wait, within the retry's
//     serverHints and exponentialMaxWaitDuration. Set the latter: without it a
//     server may ask for a year.
//   - What may be sent twice. A POST or PATCH that may have been carried out is not sent again,
//     unless it has an idempotency key or RetryAmbiguous says so. That is after
//     a timeout, a lost connection and any 5xx but 503. It is sent again after
//     503, 429 and when no connection came about.
//   - What can be sent twice. A body is had again from GetBody, or from what was
//     kept while it was sent, up to BodyLimit. Beyond, the request is sent once:
//     nothing is refused before a retry would be needed, and then the call ends
//     with what the attempt ended with.
//   - What is left over. Responses of attempts that are followed by another are
//     read to their end, up to 64 KiB and 100 ms, and closed. The context of the
//     last attempt lives until its body is closed; close it.
//
// A call that ends with a response returns it, 503 as well. One that a pattern
// refused or ended returns an error: errors.Is finds pipeline.ErrBreakerOpen and
// its like, through url.Error too. A request that may not be sent again says
// so by ErrNotRepeatable.
//
// An attempt's timeout ends with the response's header, and a bulkhead's slot is
// free then. Where bodies are short, TimeoutCoversBody has it cover them.
//
// The pipeline is told of a request that must not be carried out twice
// (pipeline.NonIdempotent): after a timeout it plans no repeat, waits for none, pays no
// budget, and it never hedges one. Where the retry's retryAmbiguous overrules that, the
// Transport still does not send it again.
//
// # Server
//
// Handler is a middleware that lets requests in through a gate.Gate, and answers
// the others with a problem document (RFC 9457):
//
//	503, Retry-After   no slot, waited in vain, shed
//	429, Retry-After   a rate limit
//	504                the caller's deadline has passed
//
// The deadline comes in a header that the Transport sends, as a duration. It
// becomes the deadline of the request's context. Work whose deadline has passed
// is refused when it comes or when its turn comes, not done for nobody.
//
// Put the middleware inside one that logs, and outside of one that recovers
// panics: a panic that it does not see counts as an answer.
//
// # When not to use it
//
// Not around another retrying client: 3 attempts of 3 are 9. Not for streams that
// have no end: a slot is theirs until the handler returns, and a timeout that
// covers their body cuts them.
package httpguard
