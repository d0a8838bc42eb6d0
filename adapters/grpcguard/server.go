package grpcguard

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/gate"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// ServerConfig says what a Server does beside its gate. Zero is zero; suggested values come
// from ServerDefaults.
type ServerConfig struct {
	// Class says what the gate's stages may look at; nil: all calls are alike. Do not believe
	// a class that a stranger claims for himself.
	Class func(ctx context.Context, method string) gate.Request
	// Exempt methods do not pass the gate, as those of the health service; nil: none.
	Exempt func(method string) bool
	// RetryAfter is what a refusal asks the caller to wait if the stage does not know; 0: then
	// it says nothing, and the caller cannot know that nothing was carried out.
	RetryAfter time.Duration
}

// ServerDefaults returns the suggested settings: come back in a second.
func ServerDefaults() ServerConfig { return ServerConfig{RetryAfter: time.Second} }

// Validate returns every fault of the settings. It changes nothing.
func (c ServerConfig) Validate() patterns.Faults {
	var fs patterns.Faults
	if c.RetryAfter < 0 {
		fs.Add("retryAfter", "%s is below 0", c.RetryAfter)
	}
	return fs
}

// Server lets calls in through a gate. It is safe for concurrent use. Make it with NewServer.
type Server struct {
	gate   *gate.Gate
	config ServerConfig
}

// NewServer makes a server's interceptors. The error joins every fault of the settings.
func NewServer(g *gate.Gate, c ServerConfig) (*Server, error) {
	fs := c.Validate()
	if g == nil {
		fs.Add("gate", "there is none")
	}
	if err := fs.Err(); err != nil {
		return nil, fmt.Errorf("grpcguard: %w", err)
	}
	return &Server{g, c}, nil
}

// ServerOptions are both interceptors. Put one that recovers panics inside of them: a panic
// that they do not see counts as an answer.
func (s *Server) ServerOptions() []grpc.ServerOption {
	return []grpc.ServerOption{grpc.ChainUnaryInterceptor(s.Unary), grpc.ChainStreamInterceptor(s.Stream)}
}

// Unary is a grpc.UnaryServerInterceptor.
func (s *Server) Unary(ctx context.Context, req any, info *grpc.UnaryServerInfo, handler grpc.UnaryHandler) (reply any, err error) {
	err = s.run(ctx, info.FullMethod, func(md metadata.MD) { _ = grpc.SetTrailer(ctx, md) }, func() error {
		reply, err = handler(ctx, req)
		return err
	})
	return reply, err
}

// Stream is a grpc.StreamServerInterceptor.
func (s *Server) Stream(srv any, ss grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) error {
	return s.run(ss.Context(), info.FullMethod, ss.SetTrailer, func() error { return handler(srv, ss) })
}

// run does the work if the gate admits it, and gives everything back when it returns, panics
// or leaves by Goexit.
func (s *Server) run(ctx context.Context, method string, trailer func(metadata.MD), work func() error) error {
	if s.config.Exempt != nil && s.config.Exempt(method) {
		return work()
	}
	var q gate.Request
	if s.config.Class != nil {
		q = s.config.Class(ctx, method)
	}
	pass, err := s.gate.Enter(ctx, q)
	if err != nil {
		return s.refuse(err, trailer)
	}
	r := patterns.Result{Outcome: patterns.Failure, Reason: patterns.Panicked}
	defer func() { pass.Leave(r) }()
	err = work()
	r = heard(ctx, err)
	return err
}

// heard is what the gate's stages hear of work that returned err.
func heard(ctx context.Context, err error) patterns.Result {
	if err != nil && ctx.Err() != nil {
		return gate.Judge(ctx, err)
	}
	r := Classify(err, nil)
	r.RetryAfter = 0
	return r
}

// refuse is the status of a call that was not let in; its trailer says when to come back.
func (s *Server) refuse(err error, trailer func(metadata.MD)) error {
	code, after := codes.Unavailable, s.config.RetryAfter
	var by *pipeline.Error
	if errors.As(err, &by) {
		if by.RetryAfter != 0 {
			after = by.RetryAfter
		}
		switch by.Reason {
		case patterns.DeadlineExceeded, patterns.Cancelled:
			return status.Error(codeOf(by.Reason), err.Error()) // nobody is left to come back
		case patterns.RateLimited:
			code = codes.ResourceExhausted
		}
	}
	st := status.New(code, err.Error())
	if after <= 0 {
		return st.Err()
	}
	ms := (after + time.Millisecond - 1) / time.Millisecond
	trailer(metadata.Pairs(Pushback, strconv.FormatInt(int64(ms), 10)))
	if detailed, bad := st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(ms * time.Millisecond)}); bad == nil {
		st = detailed
	}
	return st.Err()
}
