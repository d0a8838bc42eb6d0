package grpcguard_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	_ "testing/synctest" // the clock of every test here stands still
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/resilsim/resilsim/adapters/grpcguard"
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/gate"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// stage refuses with a reason, or admits and hears how it ended.
type stage struct {
	why   patterns.Reason
	after time.Duration

	mu    sync.Mutex
	seen  gate.Request
	heard []patterns.Result
}

func (s *stage) Enter(_ context.Context, q gate.Request) (func(patterns.Result), error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = q
	if s.why != patterns.None {
		return nil, &pipeline.Error{Reason: s.why, RetryAfter: s.after}
	}
	return func(r patterns.Result) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.heard = append(s.heard, r)
	}, nil
}

func serverOf(t testing.TB, c grpcguard.ServerConfig, stages ...gate.Stage) []grpc.ServerOption {
	t.Helper()
	return must[*grpcguard.Server](t)(grpcguard.NewServer(gate.New(stages...), c)).ServerOptions()
}

// TestRefusalsAreAnswered: the code, the pushback and the RetryInfo by reason; of one call and of
// a stream.
func TestRefusalsAreAnswered(t *testing.T) {
	for why, c := range map[patterns.Reason]struct {
		after time.Duration
		code  codes.Code
		ms    string
	}{
		patterns.BulkheadFull:     {0, codes.Unavailable, "1000"},
		patterns.Shed:             {ms(5), codes.Unavailable, "5"},
		patterns.LimitReached:     {time.Microsecond, codes.Unavailable, "1"},
		patterns.RateLimited:      {ms(250), codes.ResourceExhausted, "250"},
		patterns.DeadlineExceeded: {0, codes.DeadlineExceeded, ""},
	} {
		bubble(t, func(t *testing.T) {
			s := &service{}
			over(t, s, nil, serverOf(t, grpcguard.ServerDefaults(), &stage{why: why, after: c.after}), func(t *testing.T, cc *grpc.ClientConn) {
				check := func(err error, trailer metadata.MD) {
					t.Helper()
					details := status.Convert(err).Details()
					if got := strings.Join(trailer.Get(grpcguard.Pushback), ","); got != c.ms || status.Code(err) != c.code || (len(details) == 1) != (c.ms != "") {
						t.Errorf("%s: %v, %q, %v", why, err, got, details)
					}
					if c.ms != "" && details[0].(*errdetails.RetryInfo).GetRetryDelay().AsDuration() < c.after {
						t.Error(details)
					}
				}
				var trailer metadata.MD
				_, err := say(t.Context(), cc, "hello", grpc.Trailer(&trailer))
				check(err, trailer)
				st := must[grpc.ClientStream](t)(cc.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, chorus))
				err = st.RecvMsg(&text{})
				check(err, st.Trailer())
				if s.asked.Load() != 0 {
					t.Error("the handler was asked")
				}
			})
		})
	}
}

// TestStagesHearHowItEnded: an answer, a fault of the caller's, one of the server's.
func TestStagesHearHowItEnded(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := &stage{}
		conf := grpcguard.ServerDefaults()
		conf.Class = func(_ context.Context, method string) gate.Request { return gate.Request{Key: method} }
		s := &service{sing: parrot, say: func(ctx context.Context, n int32, in string) (string, error) {
			switch n {
			case 2:
				return "", status.Error(codes.NotFound, "")
			case 3:
				return "", status.Error(codes.Internal, "")
			}
			return in, nil
		}}
		over(t, s, nil, serverOf(t, conf, g), func(t *testing.T, cc *grpc.ClientConn) {
			for range 3 {
				say(t.Context(), cc, "hello")
			}
			g.mu.Lock()
			defer g.mu.Unlock()
			if g.seen.Key != echo {
				t.Error(g.seen)
			}
			for i, want := range []patterns.Result{
				{Outcome: patterns.Success}, {Outcome: patterns.Success}, {Outcome: patterns.Failure, Reason: patterns.Failed},
			} {
				if i >= len(g.heard) || g.heard[i] != want {
					t.Errorf("%d: %+v, want %+v", i, g.heard, want)
				}
			}
		})
	})
}

// TestTooLateIsAFailure: work that returns its context's end was too slow; with a caller that left,
// nobody knows.
func TestTooLateIsAFailure(t *testing.T) {
	bubble(t, func(t *testing.T) {
		g := &stage{}
		s := must[*grpcguard.Server](t)(grpcguard.NewServer(gate.New(g), grpcguard.ServerConfig{}))
		wait := func(ctx context.Context, _ any) (any, error) { <-ctx.Done(); return nil, ctx.Err() }
		late, stop := context.WithTimeout(t.Context(), ms(50))
		defer stop()
		s.Unary(late, nil, &grpc.UnaryServerInfo{FullMethod: echo}, wait)
		left, leave := context.WithCancel(t.Context())
		time.AfterFunc(ms(50), leave)
		s.Unary(left, nil, &grpc.UnaryServerInfo{FullMethod: echo}, wait)
		if len(g.heard) != 2 || g.heard[0].Reason != patterns.DeadlineExceeded || g.heard[1].Outcome != patterns.Ignored {
			t.Errorf("%+v", g.heard)
		}
	})
}

// TestPanicGivesThePlaceBack and goes on to whoever recovers.
func TestPanicGivesThePlaceBack(t *testing.T) {
	g := &stage{}
	s := must[*grpcguard.Server](t)(grpcguard.NewServer(gate.New(g), grpcguard.ServerConfig{}))
	defer func() {
		if recover() == nil || len(g.heard) != 1 || g.heard[0].Reason != patterns.Panicked {
			t.Error(g.heard)
		}
	}()
	s.Unary(t.Context(), nil, &grpc.UnaryServerInfo{FullMethod: echo}, func(context.Context, any) (any, error) { panic("broken") })
}

// TestExemptMethodsPass a gate that is shut; what says nothing of a time says nothing.
func TestExemptMethodsPass(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{sing: parrot, say: func(_ context.Context, _ int32, in string) (string, error) { return in, nil }}
		conf := grpcguard.ServerConfig{Exempt: func(method string) bool { return method == echo }}
		over(t, s, nil, serverOf(t, conf, &stage{why: patterns.Shed}), func(t *testing.T, cc *grpc.ClientConn) {
			if got, err := say(t.Context(), cc, "hello"); got != "hello" || err != nil {
				t.Error(got, err)
			}
			st := must[grpc.ClientStream](t)(cc.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true}, chorus))
			if err := st.RecvMsg(&text{}); status.Code(err) != codes.Unavailable || st.Trailer().Get(grpcguard.Pushback) != nil {
				t.Error(err, st.Trailer())
			}
		})
	})
}

// TestFaultsOfSettingsAreToldTogether.
func TestFaultsOfSettingsAreToldTogether(t *testing.T) {
	_, err := grpcguard.NewServer(nil, grpcguard.ServerConfig{RetryAfter: -1})
	if err == nil || !strings.Contains(err.Error(), "retryAfter: -1ns is below 0") || !strings.Contains(err.Error(), "gate: there is none") {
		t.Error(err)
	}
}

// TestClientAndServerAgree: a server of one place is busy for 300 ms. A second call, of a method
// that is not idempotent, is refused with a time, comes back after it, and is served.
func TestClientAndServerAgree(t *testing.T) {
	bubble(t, func(t *testing.T) {
		slots := gate.NewSlots(must[*bulkhead.Settings](t)(bulkhead.Compile(bulkhead.Config{MaxConcurrentCalls: 1})), nil)
		s := &service{say: func(_ context.Context, _ int32, in string) (string, error) { time.Sleep(ms(300)); return in, nil }}
		client, _ := clientOf(t, false, retryOf(3, 10))
		over(t, s, client, serverOf(t, grpcguard.ServerDefaults(), slots), func(t *testing.T, cc *grpc.ClientConn) {
			first := make(chan error, 1)
			go func() { _, err := say(t.Context(), cc, "one"); first <- err }()
			time.Sleep(ms(100))
			begin := time.Now()
			if got, err := say(t.Context(), cc, "two"); got != "two" || err != nil || time.Since(begin) != ms(1300) {
				t.Error(got, err, time.Since(begin))
			}
			if err := <-first; err != nil {
				t.Error(err)
			}
		})
		if got := slots.Snapshot(); got.InUse != 0 || got.Granted != 2 || got.Rejected != 1 {
			t.Errorf("%+v", got)
		}
	})
}
