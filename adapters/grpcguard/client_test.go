package grpcguard_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"testing"
	_ "testing/synctest" // the clock of every test here stands still
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"github.com/resilsim/resilsim/adapters/grpcguard"
	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/retry"
)

// TestCodesAreClassified: the outcome and the reason of each code, and whether the call may
// have been carried out.
func TestCodesAreClassified(t *testing.T) {
	for code, want := range map[codes.Code]patterns.Result{
		codes.Unavailable:       {Outcome: patterns.Failure, Reason: patterns.Unreachable, Ambiguous: true},
		codes.ResourceExhausted: {Outcome: patterns.Failure, Reason: patterns.Rejected},
		codes.DeadlineExceeded:  {Outcome: patterns.Failure, Reason: patterns.Failed, Ambiguous: true},
		codes.Unknown:           {Outcome: patterns.Failure, Reason: patterns.Failed},
		codes.Internal:          {Outcome: patterns.Failure, Reason: patterns.Failed},
		codes.DataLoss:          {Outcome: patterns.Failure, Reason: patterns.Failed},
		codes.Canceled:          {Outcome: patterns.Ignored, Reason: patterns.Cancelled},
		codes.NotFound:          {Outcome: patterns.Success}, codes.InvalidArgument: {Outcome: patterns.Success},
		codes.AlreadyExists: {Outcome: patterns.Success}, codes.PermissionDenied: {Outcome: patterns.Success},
		codes.Unauthenticated: {Outcome: patterns.Success}, codes.FailedPrecondition: {Outcome: patterns.Success},
		codes.Aborted: {Outcome: patterns.Success}, codes.OutOfRange: {Outcome: patterns.Success},
		codes.Unimplemented: {Outcome: patterns.Success}, codes.OK: {Outcome: patterns.Success},
	} {
		if got := grpcguard.Classify(status.Error(code, ""), nil); got != want {
			t.Errorf("%s: %+v, want %+v", code, got, want)
		}
	}
	refused := fmt.Errorf("further in: %w", &pipeline.Error{Reason: patterns.BreakerOpen, RetryAfter: time.Second})
	if got := grpcguard.Classify(refused, nil); got.Outcome != patterns.NotMade || got.RetryAfter != time.Second {
		t.Errorf("%+v", got)
	}
}

// TestPushbackIsRead: as gRPC proposal A6 says, and RetryInfo where there is none.
func TestPushbackIsRead(t *testing.T) {
	busy := status.New(codes.Unavailable, "busy")
	informed := must[*status.Status](t)(busy.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(ms(70))}))
	for name, c := range map[string]struct {
		trailer []string
		st      *status.Status
		after   time.Duration
		door    bool
	}{
		"none":            {nil, busy, 0, false},
		"250":             {[]string{"250"}, busy, ms(250), true},
		"at once":         {[]string{"0"}, busy, 1, true},
		"not at all":      {[]string{"-1"}, busy, -1, true},
		"not a number":    {[]string{"soon"}, busy, -1, true},
		"too large":       {[]string{"99999999999"}, busy, -1, true},
		"twice":           {[]string{"1", "1"}, busy, -1, true},
		"info":            {nil, informed, ms(70), true},
		"info and header": {[]string{"250"}, informed, ms(250), true},
	} {
		md := metadata.MD{}
		md.Append(grpcguard.Pushback, c.trailer...)
		got := grpcguard.Classify(c.st.Err(), md)
		if got.RetryAfter != c.after || (got.Reason == patterns.Rejected) != c.door || got.Ambiguous == c.door {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestPushbackIsWaitedFor: exactly with a6 jitter, as a floor without; what it forbids is not
// done.
func TestPushbackIsWaitedFor(t *testing.T) {
	for name, c := range map[string]struct {
		pushback string
		jitter   retry.Jitter
		took     time.Duration
		asked    int32
	}{
		"a6":         {"20", retry.A6, ms(20), 2},
		"floor":      {"20", "", ms(50), 2},
		"longer":     {"300", "", ms(300), 2},
		"not at all": {"-1", "", 0, 1},
	} {
		bubble(t, func(t *testing.T) {
			s := &service{say: func(ctx context.Context, n int32, in string) (string, error) {
				if n == 1 {
					grpc.SetTrailer(ctx, metadata.Pairs(grpcguard.Pushback, c.pushback))
					return "", status.Error(codes.Unavailable, "busy")
				}
				return in, nil
			}}
			again := retryOf(3, 50)
			again.Retry.Jitter = c.jitter
			client, _ := clientOf(t, false, again)
			over(t, s, client, nil, func(t *testing.T, cc *grpc.ClientConn) {
				begin := time.Now()
				got, err := say(t.Context(), cc, "hello")
				if took := time.Since(begin); took != c.took || s.asked.Load() != c.asked {
					t.Errorf("%s: %d attempts in %s", name, s.asked.Load(), took)
				}
				if c.asked == 2 && (got != "hello" || err != nil) || c.asked == 1 && status.Code(err) != codes.Unavailable {
					t.Errorf("%s: %q, %v", name, got, err)
				}
			})
		})
	}
}

// TestOnlyWhatIsIdempotentIsSentAgain: after each kind of failure, of a method that is and
// of one that is not.
func TestOnlyWhatIsIdempotentIsSentAgain(t *testing.T) {
	for code, always := range map[codes.Code]bool{codes.Unavailable: false, codes.Internal: false, codes.ResourceExhausted: true} {
		for _, idempotent := range []bool{true, false} {
			bubble(t, func(t *testing.T) {
				s := &service{say: func(ctx context.Context, n int32, in string) (string, error) {
					return in, status.Error(code, "down")
				}}
				client, _ := clientOf(t, idempotent, retryOf(3, 50))
				over(t, s, client, nil, func(t *testing.T, cc *grpc.ClientConn) {
					_, err := say(t.Context(), cc, "hello")
					if again := s.asked.Load() == 3; again != (always || idempotent) || status.Code(err) != code {
						t.Errorf("%s, %v: %d attempts, %v", code, idempotent, s.asked.Load(), err)
					}
				})
			})
		}
	}
}

// TestDeadlineTravels: the server sees the timeout of the attempt, ends with it, and the next attempt
// is answered.
func TestDeadlineTravels(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{say: func(ctx context.Context, n int32, in string) (string, error) {
			at, ok := ctx.Deadline()
			if left := time.Until(at); !ok || left > ms(100) || left < ms(90) {
				t.Error("deadline", left, ok)
			}
			if n == 1 {
				<-ctx.Done()
				return "", ctx.Err()
			}
			return in, nil
		}}
		client, _ := clientOf(t, true, retryOf(2, 10), timeoutOf(100))
		over(t, s, client, nil, func(t *testing.T, cc *grpc.ClientConn) {
			if got, err := say(t.Context(), cc, "hello"); got != "hello" || err != nil || s.asked.Load() != 2 {
				t.Error(got, err, s.asked.Load())
			}
		})
	})
}

// TestRefusalHasAStatus: the breaker opens after one failure; the next call does not leave, and the code
// and the pipeline's error are both found. A caller's fault opens nothing.
func TestRefusalHasAStatus(t *testing.T) {
	bubble(t, func(t *testing.T) {
		code := codes.NotFound
		s := &service{say: func(context.Context, int32, string) (string, error) { return "", status.Error(code, "down") }}
		client, _ := clientOf(t, true, breakerOf(1))
		over(t, s, client, nil, func(t *testing.T, cc *grpc.ClientConn) {
			for range 3 {
				if _, err := say(t.Context(), cc, "hello"); status.Code(err) != codes.NotFound {
					t.Error(err)
				}
			}
			code = codes.Internal
			say(t.Context(), cc, "hello")
			_, err := say(t.Context(), cc, "hello")
			if status.Code(err) != codes.Unavailable || !errors.Is(err, pipeline.ErrBreakerOpen) || s.asked.Load() != 4 {
				t.Error(err, s.asked.Load())
			}
		})
	})
}

// TestCodesOfThePatterns: a call that a timeout ended is DEADLINE_EXCEEDED, and one whose caller left
// is CANCELLED.
func TestCodesOfThePatterns(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{say: func(ctx context.Context, _ int32, _ string) (string, error) { <-ctx.Done(); return "", ctx.Err() }}
		client, _ := clientOf(t, false, timeoutOf(100))
		over(t, s, client, nil, func(t *testing.T, cc *grpc.ClientConn) {
			if _, err := say(t.Context(), cc, "hello"); status.Code(err) != codes.DeadlineExceeded || !errors.Is(err, pipeline.ErrTimeout) {
				t.Error(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(ms(50), cancel)
			if _, err := say(ctx, cc, "hello"); status.Code(err) != codes.Canceled {
				t.Error(err)
			}
		})
	})
}

// TestHedgeWritesNothingOfTheLoser: the first attempt is slow, the second answers; reply,
// header, trailer and peer are those of the one that was chosen.
func TestHedgeWritesNothingOfTheLoser(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{say: func(ctx context.Context, n int32, in string) (string, error) {
			md := metadata.Pairs("attempt", fmt.Sprint(n))
			grpc.SetHeader(ctx, md)
			grpc.SetTrailer(ctx, md)
			if n == 1 {
				time.Sleep(ms(500))
			}
			return fmt.Sprint(in, n), nil
		}}
		client, _ := clientOf(t, true, pipeline.Policy{Hedge: &hedge.Config{MaxHedges: 1, Delay: patterns.Duration(ms(50))}})
		over(t, s, client, nil, func(t *testing.T, cc *grpc.ClientConn) {
			var header, trailer metadata.MD
			var who peer.Peer
			got, err := say(t.Context(), cc, "hello", grpc.Header(&header), grpc.Trailer(&trailer), grpc.Peer(&who))
			if got != "hello2" || err != nil || header.Get("attempt")[0] != "2" || trailer.Get("attempt")[0] != "2" || who.Addr == nil {
				t.Error(got, err, header, trailer, who)
			}
			time.Sleep(time.Second)
		})
	})
}

// TestTrailerOfAFailureIsTold as of a call without patterns.
func TestTrailerOfAFailureIsTold(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{say: func(ctx context.Context, n int32, in string) (string, error) {
			grpc.SetTrailer(ctx, metadata.Pairs("why", "disk"))
			return "", status.Error(codes.Internal, "down")
		}}
		client, _ := clientOf(t, false, retryOf(2, 1))
		over(t, s, client, nil, func(t *testing.T, cc *grpc.ClientConn) {
			var trailer metadata.MD
			if _, err := say(t.Context(), cc, "x", grpc.Trailer(&trailer)); status.Convert(err).Message() != "down" || trailer.Get("why") == nil {
				t.Error(err, trailer)
			}
		})
	})
}

// TestStreamIsOneAttempt: a breaker of one call hears a stream when it has ended, not before; one that fails
// opens it, and the next is refused with a status.
func TestStreamIsOneAttempt(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{sing: func(ss grpc.ServerStream) error {
			if err := parrot(ss); err != nil {
				return err
			}
			return status.Error(codes.Internal, "hoarse")
		}}
		client, p := clientOf(t, true, breakerOf(1))
		over(t, s, client, nil, func(t *testing.T, cc *grpc.ClientConn) {
			both := &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}
			st := must[grpc.ClientStream](t)(cc.NewStream(t.Context(), both, chorus))
			m := &text{}
			if err := errors.Join(st.SendMsg(wrapperspb.String("la")), st.RecvMsg(m)); err != nil || m.GetValue() != "la" {
				t.Error(err, m)
			}
			if b := p.Breakers()[0].Snapshot(); b.InFlight != 1 || b.Buffered != 0 {
				t.Errorf("%+v", b)
			}
			st.CloseSend()
			if err := st.RecvMsg(m); status.Code(err) != codes.Internal {
				t.Error(err)
			}
			time.Sleep(ms(1)) // the pipeline has heard of it
			if _, err := cc.NewStream(t.Context(), both, chorus); status.Code(err) != codes.Unavailable || !errors.Is(err, pipeline.ErrBreakerOpen) {
				t.Error(err)
			}
		})
	})
}

// TestStreamsEnd: read to its end, with one answer, or left by its caller: the place in the
// pipeline is free, and only a failure is one.
func TestStreamsEnd(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{sing: parrot}
		client, p := clientOf(t, true, breakerOf(10))
		over(t, s, client, nil, func(t *testing.T, cc *grpc.ClientConn) {
			m := &text{}
			st := must[grpc.ClientStream](t)(cc.NewStream(t.Context(), &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, chorus))
			st.CloseSend()
			if err := st.RecvMsg(m); err != io.EOF {
				t.Error(err)
			}
			one := must[grpc.ClientStream](t)(cc.NewStream(t.Context(), &grpc.StreamDesc{ClientStreams: true}, chorus))
			if err := errors.Join(one.SendMsg(wrapperspb.String("la")), one.CloseSend(), one.RecvMsg(m)); err != nil {
				t.Error(err)
			}
			ctx, cancel := context.WithCancel(t.Context())
			must[grpc.ClientStream](t)(cc.NewStream(ctx, &grpc.StreamDesc{ServerStreams: true, ClientStreams: true}, chorus))
			cancel()
			time.Sleep(ms(1))
			if b := p.Breakers()[0].Snapshot(); b.InFlight != 0 || b.Buffered != 2 || b.Failed != 0 {
				t.Errorf("%+v", b)
			}
		})
	})
}

// TestOpeningOfAStreamIsRepeated: nothing was sent, so also where the method is not idempotent; what
// fails to the end is told as it is.
func TestOpeningOfAStreamIsRepeated(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{sing: parrot}
		client, _ := clientOf(t, false, retryOf(3, 10))
		over(t, s, client, nil, func(t *testing.T, cc *grpc.ClientConn) {
			for _, failures := range []int{2, 3} {
				opened := 0
				ctx, cancel := context.WithCancel(t.Context())
				st, err := client.Stream(ctx, &grpc.StreamDesc{ServerStreams: true}, cc, chorus,
					func(ctx context.Context, d *grpc.StreamDesc, cc *grpc.ClientConn, m string, o ...grpc.CallOption) (grpc.ClientStream, error) {
						if opened++; opened <= failures {
							return nil, status.Error(codes.Unavailable, "down")
						}
						return grpc.NewClientStream(ctx, d, cc, m, o...)
					})
				if opened != 3 || (st != nil) != (failures == 2) || (failures == 3) != (status.Code(err) == codes.Unavailable) {
					t.Error(opened, st, err)
				}
				cancel()
				time.Sleep(ms(1))
			}
		})
	})
}

// TestPlainPipelineHearsHints: with pipeline.Classify a pushback is still waited for.
func TestPlainPipelineHearsHints(t *testing.T) {
	bubble(t, func(t *testing.T) {
		s := &service{say: func(ctx context.Context, n int32, in string) (string, error) {
			grpc.SetTrailer(ctx, metadata.Pairs(grpcguard.Pushback, "200"))
			return "", status.Error(codes.Unavailable, "busy")
		}}
		p := must[*pipeline.Pipeline](t)(pipeline.New([]pipeline.Policy{retryOf(2, 10)}))
		client := must[*grpcguard.Client](t)(grpcguard.NewClient(p, grpcguard.ClientConfig{}))
		over(t, s, client, nil, func(t *testing.T, cc *grpc.ClientConn) {
			begin := time.Now()
			if _, err := say(t.Context(), cc, "x"); status.Code(err) != codes.Unavailable || time.Since(begin) != ms(200) {
				t.Error(err, time.Since(begin))
			}
		})
	})
}

// TestClientNeedsAPipeline, and a reply of another kind than proto's is copied as well.
func TestClientNeedsAPipeline(t *testing.T) {
	if _, err := grpcguard.NewClient(nil, grpcguard.ClientConfig{}); err == nil {
		t.Error("no error")
	}
	c, _ := clientOf(t, true, retryOf(2, 0))
	reply := "old"
	err := c.Unary(t.Context(), echo, nil, &reply, nil, func(_ context.Context, _ string, _, r any, _ *grpc.ClientConn, _ ...grpc.CallOption) error {
		*r.(*string) = "new"
		return nil
	})
	if err != nil || reply != "new" {
		t.Error(reply, err)
	}
}
