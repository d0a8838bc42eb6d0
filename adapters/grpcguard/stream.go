package grpcguard

import (
	"context"
	"errors"
	"io"
	"sync"

	"google.golang.org/grpc"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// Stream is a grpc.StreamClientInterceptor. The pipeline waits in a goroutine for the end of
// the stream.
func (c *Client) Stream(ctx context.Context, desc *grpc.StreamDesc, cc *grpc.ClientConn, method string, streamer grpc.Streamer, opts ...grpc.CallOption) (grpc.ClientStream, error) {
	opened := make(chan grpc.ClientStream, 1)
	over := make(chan error, 1)
	// A stream is handed out once: it is neither hedged nor opened anew after a doubt.
	ctx = pipeline.NonIdempotent(ctx)
	go func() {
		_, err := pipeline.Do(ctx, c.pipeline, func(ctx context.Context) (struct{}, error) {
			s, err := streamer(ctx, desc, cc, method, opts...)
			if err != nil {
				r := Classify(err, nil)
				r.Ambiguous = false // no stream, so nothing was carried out
				return struct{}{}, &failure{r, err, nil}
			}
			g := &stream{ClientStream: s, desc: desc, done: make(chan struct{})}
			opened <- g
			return struct{}{}, g.wait(ctx)
		})
		over <- err
	}()
	select {
	case s := <-opened:
		return s, nil
	case err := <-over:
		select {
		case s := <-opened: // it was opened and has ended since: it says so itself
			return s, nil
		default:
			return nil, told(err)
		}
	}
}

// stream notes how it ends.
type stream struct {
	grpc.ClientStream
	desc *grpc.StreamDesc

	once   sync.Once
	done   chan struct{}
	result patterns.Result
	err    error
}

// wait waits for the end of the stream, and says how it was. A stream is not repeated.
func (s *stream) wait(ctx context.Context) error {
	select {
	case <-s.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.result.Outcome == patterns.Success {
		return nil
	}
	s.result.RetryAfter = -1
	return &failure{s.result, s.err, nil}
}

// RecvMsg is where the end of a stream is heard.
func (s *stream) RecvMsg(m any) error {
	err := s.ClientStream.RecvMsg(m)
	switch {
	case errors.Is(err, io.EOF):
		s.end(nil)
	case err != nil:
		s.end(err)
	case !s.desc.ServerStreams:
		s.end(nil) // the one answer there is
	}
	return err
}

func (s *stream) end(err error) {
	s.once.Do(func() {
		s.err = err
		if s.result.Outcome = patterns.Success; err != nil {
			s.result = Classify(err, s.Trailer())
		}
		close(s.done)
	})
}
