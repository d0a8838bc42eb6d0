package grpcguard_test

import (
	"context"
	"io"
	"net"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/resilsim/resilsim/adapters/grpcguard"
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/timeout"
)

const (
	echo   = "/test.Echo/Say"
	chorus = "/test.Echo/Sing"
)

type text = wrapperspb.StringValue

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// service is a server of two methods: Say, one text for one, and Sing, both ways.
type service struct {
	asked atomic.Int32
	say   func(ctx context.Context, n int32, in string) (string, error)
	sing  func(grpc.ServerStream) error
}

func (s *service) desc() *grpc.ServiceDesc {
	return &grpc.ServiceDesc{
		ServiceName: "test.Echo", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "Say", Handler: func(_ any, ctx context.Context, dec func(any) error, in grpc.UnaryServerInterceptor) (any, error) {
			req := &text{}
			if err := dec(req); err != nil {
				return nil, err
			}
			work := func(ctx context.Context, req any) (any, error) {
				out, err := s.say(ctx, s.asked.Add(1), req.(*text).GetValue())
				return wrapperspb.String(out), err
			}
			if in == nil {
				return work(ctx, req)
			}
			return in(ctx, req, &grpc.UnaryServerInfo{FullMethod: echo}, work)
		}}},
		Streams: []grpc.StreamDesc{{StreamName: "Sing", ServerStreams: true, ClientStreams: true, Handler: func(_ any, ss grpc.ServerStream) error {
			s.asked.Add(1)
			return s.sing(ss)
		}}},
	}
}

// over runs a server and a client at the two ends of a connection in memory, in a bubble whose clock
// stands still while somebody works, and which ends only when every goroutine has.
func over(t *testing.T, s *service, c *grpcguard.Client, server []grpc.ServerOption, story func(t *testing.T, cc *grpc.ClientConn)) {
	t.Helper()
	wire := bufconn.Listen(1 << 16)
	srv := grpc.NewServer(server...)
	srv.RegisterService(s.desc(), s)
	go srv.Serve(wire)
	opts := []grpc.DialOption{
		grpc.WithTransportCredentials(insecure.NewCredentials()), grpc.WithDisableRetry(),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return wire.DialContext(ctx) }),
	}
	if c != nil {
		opts = append(opts, c.DialOptions()...)
	}
	cc := must[*grpc.ClientConn](t)(grpc.NewClient("passthrough:///memory", opts...))
	story(t, cc)
	cc.Close()
	srv.Stop()
}

func bubble(t *testing.T, f func(t *testing.T)) { synctest.Test(t, f) }

func say(ctx context.Context, cc *grpc.ClientConn, in string, opts ...grpc.CallOption) (string, error) {
	out := &text{}
	err := cc.Invoke(ctx, echo, wrapperspb.String(in), out, opts...)
	return out.GetValue(), err
}

// clientOf makes a client of policies; all says that methods are idempotent.
func clientOf(t testing.TB, all bool, ps ...pipeline.Policy) (*grpcguard.Client, *pipeline.Pipeline) {
	t.Helper()
	p := must[*pipeline.Pipeline](t)(grpcguard.NewPipeline(ps))
	return must[*grpcguard.Client](t)(grpcguard.NewClient(p, grpcguard.ClientConfig{Idempotent: func(string) bool { return all }})), p
}

func retryOf(attempts, wait int) pipeline.Policy {
	return pipeline.Policy{Name: "retry", Retry: &retry.Config{MaxAttempts: attempts, WaitDuration: patterns.Duration(ms(wait))}}
}

func timeoutOf(n int) pipeline.Policy {
	return pipeline.Policy{Timeout: &timeout.Config{TimeoutDuration: patterns.Duration(ms(n))}}
}

func breakerOf(n int) pipeline.Policy {
	c := breaker.Defaults()
	c.SlidingWindowSize, c.MinimumNumberOfCalls = n, n
	return pipeline.Policy{CircuitBreaker: &c}
}

// parrot sings back what it hears.
func parrot(ss grpc.ServerStream) error {
	for {
		m := &text{}
		if err := ss.RecvMsg(m); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if err := ss.SendMsg(m); err != nil {
			return err
		}
	}
}
