package grpcguard

import (
	"context"
	"errors"

	"google.golang.org/grpc"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// ClientConfig says what a Client does beside the pipeline's own settings.
type ClientConfig struct {
	// Idempotent says of a method, as "/shop.Prices/Get", that it may be carried out twice; nil: of
	// none. Others are sent again only after a refusal at the server's door, and are not hedged.
	Idempotent func(method string) bool
}

// Client sends calls through a pipeline. It is safe for concurrent use. Make it with NewClient.
type Client struct {
	pipeline *pipeline.Pipeline
	config   ClientConfig
}

// NewClient makes a client over a pipeline that is best made by NewPipeline. Without a pipeline
// it is an error.
func NewClient(p *pipeline.Pipeline, c ClientConfig) (*Client, error) {
	if p == nil {
		return nil, errors.New("grpcguard: pipeline: there is none")
	}
	return &Client{p, c}, nil
}

// DialOptions are both interceptors, outermost of those given before.
func (c *Client) DialOptions() []grpc.DialOption {
	return []grpc.DialOption{grpc.WithChainUnaryInterceptor(c.Unary), grpc.WithChainStreamInterceptor(c.Stream)}
}

// Unary is a grpc.UnaryClientInterceptor.
func (c *Client) Unary(ctx context.Context, method string, req, reply any, cc *grpc.ClientConn, invoker grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	risky := c.risky(method)
	if risky {
		ctx = pipeline.NonIdempotent(ctx)
	}
	best, err := pipeline.Do(ctx, c.pipeline, func(ctx context.Context) (*answer, error) {
		a := newAnswer(reply, opts)
		err := invoker(ctx, method, req, a.reply, cc, a.opts...)
		r := Classify(err, a.trailer)
		if err == nil || r.Outcome == patterns.Success {
			a.err = err
			return a, nil
		}
		return nil, failed(r, err, a, risky)
	})
	if err == nil {
		best.settle(reply)
		return best.err
	}
	var f *failure
	if errors.As(err, &f) && f.answer != nil {
		f.answer.settleMeta()
	}
	return told(err)
}

// failed is what the pipeline hears; a call that must not run twice is not sent again.
func failed(r patterns.Result, err error, a *answer, risky bool) *failure {
	if risky && !harmless(r) {
		r.RetryAfter = -1
	}
	return &failure{r, err, a}
}

func (c *Client) risky(method string) bool {
	return c.config.Idempotent == nil || !c.config.Idempotent(method)
}
