package httpguard

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// NewPipeline is pipeline.New with a classifier that knows what a Transport's
// attempts ended with. With another one statuses count as well, but not by their kinds.
func NewPipeline(policies []pipeline.Policy, opts ...pipeline.Option) (*pipeline.Pipeline, error) {
	return pipeline.New(policies, append([]pipeline.Option{pipeline.WithClassifier(judge)}, opts...)...)
}

// judge is the classifier of NewPipeline.
func judge(ctx context.Context, err error) patterns.Result {
	var f *failure
	if !errors.Is(ctx.Err(), context.Canceled) && errors.As(err, &f) {
		return f.result
	}
	return pipeline.Classify(ctx, err)
}

// Transport sends each request through a pipeline. It is safe for concurrent use.
// Make it with NewTransport.
type Transport struct {
	base     http.RoundTripper
	pipeline *pipeline.Pipeline
	config   Config
}

// NewTransport makes a transport whose attempts go to base (nil:
// http.DefaultTransport), through a pipeline that is best made by NewPipeline.
// The error joins every fault of the settings.
func NewTransport(base http.RoundTripper, p *pipeline.Pipeline, c Config) (*Transport, error) {
	fs := c.Validate()
	if p == nil {
		fs.Add("pipeline", "there is none")
	}
	if err := fs.Err(); err != nil {
		return nil, fmt.Errorf("httpguard: %w", err)
	}
	if base == nil {
		base = http.DefaultTransport
	}
	if c.NewKey == nil {
		c.NewKey = newKey
	}
	if c.Classify == nil {
		c.Classify = Classify
	}
	return &Transport{base, p, c}, nil
}

// RoundTrip sends the request, again if the pipeline says so, and returns the last
// response, whatever its status, or an error. A call that a pattern refused
// or ended is an error that wraps a *pipeline.Error; so is one that was refused after a
// response with a failure's status, which is then closed.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	c := newCall(t, req)
	var chosen *http.Response
	defer func() { c.finish(chosen) }()
	response, info, err := pipeline.DoInfo(c.marked(), t.pipeline, c.attempt, c.ladder()...)
	if err == nil {
		chosen = response
		return response, nil
	}
	var f *failure
	if errors.As(err, &f) && f.response != nil && !stopped(info.Reason) {
		chosen = f.response
		return chosen, nil
	}
	return nil, c.told(err)
}

// stopped reports whether a call ended by a pattern or by its caller, and not by
// what its last attempt ended with.
func stopped(r patterns.Reason) bool {
	switch r {
	case patterns.None, patterns.Failed, patterns.Rejected, patterns.Unreachable:
		return false
	}
	return true
}

// told is the error as the caller is told it.
func told(err error) error {
	var refused *pipeline.Error
	if f, ok := err.(*failure); ok {
		return f.err
	}
	if errors.As(err, &refused) && error(refused) == err {
		return ended{refused}
	}
	return err
}

// CloseIdleConnections closes those of the base, if it can.
func (t *Transport) CloseIdleConnections() {
	if c, ok := t.base.(interface{ CloseIdleConnections() }); ok {
		c.CloseIdleConnections()
	}
}

// newKey is a random UUID (RFC 9562, version 4). The runtime's generator is good
// enough for keys that must differ; they are no secrets.
func newKey(*http.Request) string {
	a, b := rand.Uint64(), rand.Uint64()
	a = a&^0xf000 | 0x4000
	b = b&^(3<<62) | 2<<62
	return fmt.Sprintf("%08x-%04x-%04x-%04x-%012x", a>>32, a>>16&0xffff, a&0xffff, b>>48, b&0xffffffffffff)
}

// left is the time until the context's deadline.
func left(ctx context.Context) (time.Duration, bool) {
	at, ok := ctx.Deadline()
	return time.Until(at), ok
}
