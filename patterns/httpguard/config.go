package httpguard

import (
	"net/http"

	"github.com/resilsim/resilsim/patterns"
)

// DefaultIdempotencyHeader is the usual name for Config.IdempotencyHeader. Set it
// only for servers that look at it: others carry a repeated request out twice.
const DefaultIdempotencyHeader = "Idempotency-Key"

// Config says what a Transport does beside the pipeline's own settings. Zero is
// zero; suggested values come from Defaults.
type Config struct {
	// BodyLimit is how many bytes of a request body without GetBody are kept, so that
	// it can be sent again. A request with a longer one is sent once. 0: none is kept.
	BodyLimit int
	// IdempotencyHeader is the header in which a request that is not idempotent is
	// given a key, the same with every attempt; "": off. A key that the caller has
	// set, here or in DefaultIdempotencyHeader, stays as it is.
	IdempotencyHeader string
	// NewKey makes a key; nil: a random UUID.
	NewKey func(*http.Request) string
	// RetryAmbiguous: a request that is not idempotent and has no key is sent again
	// like any other, although it may have been carried out.
	RetryAmbiguous bool
	// DeadlineHeader is the header that tells the server how much time is left until
	// the attempt's timeout or the caller's deadline, whichever is sooner; "": off.
	DeadlineHeader string
	// DeadlineFormat of that header; "": Milliseconds.
	DeadlineFormat DeadlineFormat
	// TimeoutCoversBody: the attempt's timeout goes on until the body is closed.
	// If not, it ends with the response's header, and only the caller's own
	// context bounds the body.
	TimeoutCoversBody bool
	// Classify judges how an attempt ended; nil: Classify. A call that is not
	// idempotent and has no key is only sent again after Rejected, Unreachable or
	// NotMade, and never after what is Ambiguous.
	Classify func(Exchange) patterns.Result
	// Fallback holds one function for each step of the pipeline's fallback. Each is
	// told what it answers for. The context of the request ends when it returns.
	Fallback []func(*http.Request, error) (*http.Response, error)
}

// Defaults returns the suggested settings: bodies up to 64 KiB are kept; no header
// is added.
func Defaults() Config { return Config{BodyLimit: 64 << 10} }

// Validate returns every fault of the settings. It changes nothing.
func (c Config) Validate() patterns.Faults {
	var fs patterns.Faults
	if c.BodyLimit < 0 {
		fs.Add("bodyLimit", "%d is below 0", c.BodyLimit)
	}
	checkHeader(&fs, "idempotencyHeader", c.IdempotencyHeader)
	checkHeader(&fs, "deadlineHeader", c.DeadlineHeader)
	if err := c.DeadlineFormat.check(); err != nil {
		fs.Add("deadlineFormat", "%v", err)
	}
	for i, f := range c.Fallback {
		if f == nil {
			fs.Add("fallback", "step %d is no function", i)
		}
	}
	return fs
}

// checkHeader accepts a header's name (RFC 9110, 5.6.2) and "".
func checkHeader(fs *patterns.Faults, key, name string) {
	for _, c := range []byte(name) {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z' || '0' <= c && c <= '9'
		if !letter && c != '-' && c != '_' {
			fs.Add(key, "'%s' is not a header's name of letters, digits, - and _", name)
			return
		}
	}
}
