package httpguard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/gate"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// HandlerConfig says what the middleware of Handler does beside its gate. Zero is
// zero; suggested values come from HandlerDefaults.
type HandlerConfig struct {
	// Class says what the gate's stages may look at; nil: all requests are alike. Do not
	// believe a class that a stranger claims for himself.
	Class func(*http.Request) gate.Request
	// DeadlineHeader is the header in which the caller says how much time is left;
	// "": none is looked at. What cannot be read is taken for no deadline.
	DeadlineHeader string
	// DeadlineFormat of that header; "": Milliseconds.
	DeadlineFormat DeadlineFormat
	// RetryAfter is what a refusal asks the caller to wait if the stage does not
	// know; 0: then there is no such header. Whole seconds are sent, rounded up.
	RetryAfter time.Duration
	// Describe may change the problem document before it is sent: its Type, its
	// Instance, its Status. Nil: it is sent as it is.
	Describe func(*http.Request, *Problem)
}

// HandlerDefaults returns the suggested settings: come back in a second.
func HandlerDefaults() HandlerConfig { return HandlerConfig{RetryAfter: time.Second} }

// Validate returns every fault of the settings. It changes nothing.
func (c HandlerConfig) Validate() patterns.Faults {
	var fs patterns.Faults
	checkHeader(&fs, "deadlineHeader", c.DeadlineHeader)
	if err := c.DeadlineFormat.check(); err != nil {
		fs.Add("deadlineFormat", "%v", err)
	}
	if c.RetryAfter < 0 {
		fs.Add("retryAfter", "%s is below 0", c.RetryAfter)
	}
	return fs
}

// Handler returns a middleware that lets requests in through the gate and answers
// those that are refused with a problem document:
//
//	503  no slot, waited in vain, shed                 with Retry-After
//	429  above a rate limit                            with Retry-After
//	504  the caller's deadline has passed, on arrival  without: there is nobody
//	     or while the request waited                   left to come back
//
// What was let in is given back exactly once: when the handler returns, panics
// (http.ErrAbortHandler too; the panic goes on) or leaves by Goexit. A connection that was
// hijacked keeps its place until then, and says nothing about the load. The
// error joins every fault of the settings.
func Handler(g *gate.Gate, c HandlerConfig) (func(http.Handler) http.Handler, error) {
	fs := c.Validate()
	if g == nil {
		fs.Add("gate", "there is none")
	}
	if err := fs.Err(); err != nil {
		return nil, fmt.Errorf("httpguard: %w", err)
	}
	return func(next http.Handler) http.Handler { return &handler{g, c, next} }, nil
}

type handler struct {
	gate   *gate.Gate
	config HandlerConfig
	next   http.Handler
}

// ServeHTTP lets the request in or refuses it.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := h.deadline(r)
	defer cancel()
	var q gate.Request
	if h.config.Class != nil {
		q = h.config.Class(r)
	}
	pass, err := h.gate.Enter(ctx, q)
	if err != nil {
		h.refuse(w, r, err)
		return
	}
	result := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Panicked}
	defer func() { pass.Leave(result) }()
	seen := &seen{ResponseWriter: w}
	h.next.ServeHTTP(seen.as(), r.WithContext(ctx))
	result = seen.result(ctx)
}

// deadline is the request's context, with the deadline that its header tells.
func (h *handler) deadline(r *http.Request) (context.Context, context.CancelFunc) {
	if name := h.config.DeadlineHeader; name != "" {
		if left, ok := h.config.DeadlineFormat.Parse(r.Header.Get(name)); ok {
			return context.WithTimeout(r.Context(), left)
		}
	}
	return r.Context(), func() {}
}

func (h *handler) refuse(w http.ResponseWriter, r *http.Request, err error) {
	p := problemOf(err)
	after := h.config.RetryAfter
	var refused *pipeline.Error
	if errors.As(err, &refused) && refused.RetryAfter != 0 {
		after = refused.RetryAfter
	}
	if after > 0 && p.Status != http.StatusGatewayTimeout {
		w.Header().Set("Retry-After", seconds(after))
	}
	if h.config.Describe != nil {
		h.config.Describe(r, &p)
	}
	p.write(w)
}
