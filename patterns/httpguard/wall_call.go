package httpguard

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// call is one request on its way through the pipeline. With a detached timeout an
// attempt that was given up may still run while the next one does.
type call struct {
	t     *Transport
	req   *http.Request
	body  *body
	key   string // to be added; "": none
	risky bool   // must not be carried out twice

	mu        sync.Mutex
	responses []*http.Response // of attempts that have ended, not closed yet
	over      bool             // nobody takes a response any more
	maybe     bool             // an earlier attempt may have been carried out
	last      error            // what the last attempt failed with
}

func newCall(t *Transport, req *http.Request) *call {
	c := &call{t: t, req: req, body: newBody(req, t.config.BodyLimit)}
	header := t.config.IdempotencyHeader
	has := req.Header.Get(DefaultIdempotencyHeader) != "" || header != "" && req.Header.Get(header) != ""
	if !idempotent(req.Method) && !has {
		if header != "" {
			c.key = t.config.NewKey(req)
		}
		c.risky = c.key == "" && !t.config.RetryAmbiguous
	}
	return c
}

// marked is the context that the pipeline is given. It is told what must not be
// carried out twice, so that it neither waits nor pays for a repeat that is not
// made. The mark does not travel with the request: who is further in judges it anew.
func (c *call) marked() context.Context {
	if !c.risky {
		return c.req.Context()
	}
	return pipeline.NonIdempotent(c.req.Context())
}

// told is the error as the caller is told it. The pipeline does not say that a timeout
// was the end because of the mark.
func (c *call) told(err error) error {
	var by *pipeline.Error
	timedOut := errors.As(err, &by) && error(by) == err && by.Reason == patterns.AttemptTimeout
	c.mu.Lock()
	defer c.mu.Unlock()
	if err = told(err); timedOut && c.risky && c.maybe {
		err = &unrepeatable{err, mayHaveRun}
	}
	return err
}

// attempt sends the request once.
func (c *call) attempt(ctx context.Context) (*http.Response, error) {
	if err := c.begin(); err != nil {
		return nil, err
	}
	own, cancel, release := c.context(ctx)
	trace := &sent{}
	req, err := c.request(httptrace.WithClientTrace(own, trace.hooks()), ctx)
	if err != nil {
		cancel(nil)
		return nil, neverMade(err, "its body cannot be had")
	}
	kept := false
	defer func() {
		if !kept {
			cancel(nil)
		}
	}()
	response, err := c.t.base.RoundTrip(req)
	gone := !release()
	if response != nil {
		response.Body, kept = hold(response.Body, cancel)
		if gone || !c.take(response) {
			discard(response)
			response, err = nil, context.Cause(ctx)
		}
	} else if gone && context.Cause(ctx) != nil {
		err = &because{err, context.Cause(ctx)}
	}
	return c.judge(Exchange{Request: c.req, Response: response, Err: err, Unsent: response == nil && trace.unsent(), Now: time.Now()})
}

// begin clears the way for one more attempt, or says why there must be none.
func (c *call) begin() error {
	c.mu.Lock()
	earlier, maybe, last := c.responses, c.maybe, c.last
	c.responses, c.maybe = nil, c.risky // until it is known to be otherwise
	c.mu.Unlock()
	for _, r := range earlier {
		discard(r)
	}
	if !maybe {
		return nil
	}
	// Only a pipeline that overrules the mark, by its retryAmbiguous, comes here.
	return neverMade(&pipeline.Error{Reason: patterns.AttemptTimeout, Last: last}, mayHaveRun)
}

const mayHaveRun = "it may have been carried out"

// neverMade ends the call without an attempt, which says nothing about the server.
func neverMade(err error, why string) *failure {
	r := patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Failed, RetryAfter: -1}
	return &failure{r, &unrepeatable{err, why}, nil}
}

// context makes the context of an attempt, which lives until the body is closed.
// It ends with the caller's, and with the attempt's until release.
func (c *call) context(ctx context.Context) (own context.Context, cancel context.CancelCauseFunc, release func() bool) {
	own, cancel = context.WithCancelCause(c.req.Context())
	end := cancel
	switch at, ok := ctx.Deadline(); {
	case ok && c.t.config.TimeoutCoversBody:
		timed, stop := context.WithDeadline(own, at)
		own, cancel = timed, func(cause error) { end(cause); stop() }
	case ok:
		own = dated{own, at}
	}
	return own, cancel, context.AfterFunc(ctx, func() { end(context.Cause(ctx)) })
}

// dated tells the deadline of an attempt to who looks at it further in, without
// ending at it: release says from when on it no longer does.
type dated struct {
	context.Context
	at time.Time
}

func (d dated) Deadline() (time.Time, bool) { return d.at, true }

// request is the caller's request as this attempt sends it.
func (c *call) request(own, ctx context.Context) (*http.Request, error) {
	req := c.req.WithContext(own)
	body, err := c.body.next()
	if err != nil {
		return nil, err
	}
	if body != nil {
		req.Body = body
	}
	deadline := c.t.config.DeadlineHeader
	if c.key == "" && deadline == "" {
		return req, nil
	}
	if req.Header = c.req.Header.Clone(); req.Header == nil {
		req.Header = http.Header{}
	}
	if c.key != "" {
		req.Header.Set(c.t.config.IdempotencyHeader, c.key)
	}
	if d, ok := left(ctx); ok && deadline != "" {
		req.Header.Set(deadline, c.t.config.DeadlineFormat.Format(d))
	}
	return req, nil
}

// judge turns an exchange into what the pipeline hears of it.
func (c *call) judge(x Exchange) (*http.Response, error) {
	r := c.t.config.Classify(x)
	c.mu.Lock()
	c.last = x.Err
	if r.Outcome == patterns.Success || harmless(r) {
		c.maybe = false
	}
	c.mu.Unlock()
	if r.Outcome == patterns.Success && x.Response != nil {
		return x.Response, nil
	}
	f := &failure{r, x.Err, x.Response}
	if x.Response != nil {
		f.err = &StatusError{x.Response.StatusCode}
		if stopped(r.Reason) {
			f.result.Reason = patterns.Failed // there is an answer, whatever it says
		}
	}
	why := ""
	switch {
	case c.risky && !harmless(r):
		why = mayHaveRun
	case !c.body.again():
		why = errLost.Error()
	default:
		return nil, f
	}
	f.result.RetryAfter = -1
	if x.Response == nil {
		f.err = &unrepeatable{f.err, why}
	}
	return nil, f
}

// take notes a response that somebody has to close; false: nobody waits for it.
func (c *call) take(r *http.Response) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		c.responses = append(c.responses, r)
	}
	return !c.over
}

// finish closes every response but the chosen one.
func (c *call) finish(chosen *http.Response) {
	c.mu.Lock()
	c.over = true
	rest := c.responses
	c.mu.Unlock()
	for _, r := range rest {
		if r != chosen {
			discard(r)
		}
	}
	c.body.finish()
}

// ladder is the configured fallback as the pipeline wants it.
func (c *call) ladder() []func(context.Context, error) (*http.Response, error) {
	var steps []func(context.Context, error) (*http.Response, error)
	for _, f := range c.t.config.Fallback {
		steps = append(steps, func(ctx context.Context, cause error) (*http.Response, error) {
			return f(c.req.WithContext(ctx), told(cause))
		})
	}
	return steps
}

// because is an error of an attempt that was given up, with what gave it up.
type because struct{ err, cause error }

func (b *because) Error() string { return b.err.Error() }

func (b *because) Unwrap() []error { return []error{b.err, b.cause} }

// sent finds out whether a request has begun to go out.
type sent struct{ asked, wrote atomic.Bool }

func (s *sent) hooks() *httptrace.ClientTrace {
	return &httptrace.ClientTrace{
		GetConn:      func(string) { s.asked.Store(true) },
		WroteHeaders: func() { s.wrote.Store(true) },
	}
}

// unsent needs to have seen the base use its hooks at all.
func (s *sent) unsent() bool { return s.asked.Load() && !s.wrote.Load() }

// The rest of a response that nobody reads is read up to these bounds, so that its
// connection can be used again, and then closed.
const (
	drainBytes = 64 << 10
	drainTime  = 100 * time.Millisecond
)

func discard(r *http.Response) {
	if h, ok := r.Body.(interface{ giveUp() }); ok {
		defer time.AfterFunc(drainTime, h.giveUp).Stop()
	}
	io.CopyN(io.Discard, r.Body, drainBytes) // whatever comes of it, the body is closed next
	r.Body.Close()
}

// hold keeps a context alive until the body is closed. kept is false if there is
// nothing to read.
func hold(b io.ReadCloser, cancel context.CancelCauseFunc) (held io.ReadCloser, kept bool) {
	if b == nil || b == http.NoBody {
		return http.NoBody, false
	}
	h := &holder{b, cancel}
	if w, ok := b.(io.Writer); ok { // the connection after 101 Switching Protocols
		return &duplex{h, w}, true
	}
	return h, true
}

type holder struct {
	io.ReadCloser
	cancel context.CancelCauseFunc
}

func (h *holder) Close() error {
	defer h.cancel(nil)
	return h.ReadCloser.Close()
}

func (h *holder) giveUp() { h.cancel(context.DeadlineExceeded) }

type duplex struct {
	*holder
	io.Writer
}
