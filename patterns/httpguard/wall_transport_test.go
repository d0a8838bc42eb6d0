package httpguard

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// TestLastResponseIsReturned: three times 503 is a response and no error; it can be
// read, and the others were read to their end and closed.
func TestLastResponseIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := status(503, 500, 503)
		tr, _ := transportOf(t, s, Defaults(), retryOf(3, 10))
		r := must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil)))
		if s.replies[2].closed != 0 || r.StatusCode != 503 || read(t, r) != "Service Unavailable" || len(s.requests) != 3 {
			t.Errorf("%+v after %d attempts", r, len(s.requests))
		}
		for i, b := range s.replies[:2] {
			if !b.ended {
				t.Errorf("body %d was not read to its end", i)
			}
		}
		s.settled(t)
	})
}

// TestGoodAnswerEndsTheRetries: 502, then 200.
func TestGoodAnswerEndsTheRetries(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := status(502, 200)
		tr, _ := transportOf(t, s, Defaults(), retryOf(3, 10))
		r := must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil)))
		if r.StatusCode != 200 || read(t, r) != "OK" || len(s.requests) != 2 {
			t.Errorf("%+v", r)
		}
		s.settled(t)
	})
}

// TestLargeBodyIsNotDrainedForEver: a discarded body is read up to the bound.
func TestLargeBodyIsNotDrainedForEver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{code: 503, body: strings.Repeat("x", 10*drainBytes)}, {code: 200}}}
		tr, _ := transportOf(t, s, Defaults(), retryOf(2, 10))
		read(t, must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil))))
		if s.replies[0].read > 2*drainBytes {
			t.Errorf("%d bytes were read", s.replies[0].read)
		}
		s.settled(t)
	})
}

// TestRetryAfterIsAFloor: the wait is as long as the header says, in seconds or as
// a date, but not beyond the cap (D8).
func TestRetryAfterIsAFloor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for hint, want := range map[string]time.Duration{"2": 2 * time.Second, "0": ms(10), "100": 5 * time.Second, "": 3 * time.Second} {
			now := time.Now()
			if hint == "" {
				hint = now.Add(want).UTC().Format(http.TimeFormat)
			}
			s := &script{answers: []answer{{code: 429, header: http.Header{"Retry-After": {hint}, "Date": {now.UTC().Format(http.TimeFormat)}}}, {code: 200}}}
			p := retryOf(2, 10)
			p.Retry.ExponentialMaxWaitDuration = msd(5000)
			tr, _ := transportOf(t, s, Defaults(), p)
			read(t, must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil))))
			if wait := s.at[1].Sub(s.at[0]); wait != want {
				t.Errorf("%s: waited %v, want %v", hint, wait, want)
			}
		}
	})
}

// TestNoWaitBeyondTheDeadline: the server asks for a wait that ends after the
// caller's deadline. Its response is returned at once (D7).
func TestNoWaitBeyondTheDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{code: 503, body: "later", header: http.Header{"Retry-After": {"60"}}}}}
		tr, _ := transportOf(t, s, Defaults(), retryOf(3, 10))
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		start := time.Now()
		r := must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil).WithContext(ctx)))
		if read(t, r) != "later" || time.Since(start) != 0 || len(s.requests) != 1 {
			t.Errorf("%+v after %v", r, time.Since(start))
		}
		s.settled(t)
	})
}

// TestOnlyTheServersFaultsCount: a breaker of one call stays closed after each
// status below 500 but 429, and opens after the others.
func TestOnlyTheServersFaultsCount(t *testing.T) {
	for code, open := range map[int]bool{200: false, 304: false, 400: false, 404: false, 409: false, 422: false, 429: true,
		500: true, 501: true, 502: true, 503: true, 504: true, 599: true} {
		s := status(code)
		tr, p := transportOf(t, s, Defaults(), breakerOf(1))
		r := must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil)))
		read(t, r)
		if got := p.Breakers()[0].Snapshot().State == breaker.Open; got != open || r.StatusCode != code {
			t.Errorf("%d: open %v", code, got)
		}
	}
}

// TestRefusalIsAnError: through http.Client the sentinel and the pipeline's error
// are found, the server is not asked, and the request's body is closed.
func TestRefusalIsAnError(t *testing.T) {
	s := status(200)
	tr, p := transportOf(t, s, Defaults(), breakerOf(1))
	p.Breakers()[0].Force(breaker.ForcedOpen)
	sent := text("hello")
	_, err := (&http.Client{Transport: tr}).Post("http://server.test/", "text/plain", sent)
	var e *pipeline.Error
	if !errors.Is(err, pipeline.ErrBreakerOpen) || !errors.As(err, &e) || e.Reason != patterns.BreakerOpen || len(s.requests) != 0 || sent.closed != 1 {
		t.Errorf("%v, %d requests, body closed %d times", err, len(s.requests), sent.closed)
	}
	if !strings.Contains(err.Error(), "breaker open") {
		t.Error(err)
	}
}

// TestRefusalAfterAResponseIsAnError: the first 500 opens the breaker, which
// refuses the retry; the error names both and the response is closed.
func TestRefusalAfterAResponseIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := status(500)
		tr, _ := transportOf(t, s, Defaults(), retryOf(3, 10), breakerOf(1))
		_, err := tr.RoundTrip(request(t, "GET", nil))
		var code *StatusError
		if !errors.Is(err, pipeline.ErrBreakerOpen) || !errors.As(err, &code) || code.Code != 500 || !strings.Contains(err.Error(), "500 Internal") {
			t.Error(err)
		}
		s.settled(t)
	})
}

// TestTransportErrorIsReturnedAsItIs: when the retries end with one.
func TestTransportErrorIsReturnedAsItIs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{code: 503}, {err: errReset}}}
		tr, _ := transportOf(t, s, Defaults(), retryOf(3, 10))
		if _, err := tr.RoundTrip(request(t, "GET", nil)); err != errReset || len(s.requests) != 3 {
			t.Errorf("%v after %d", err, len(s.requests))
		}
		s.settled(t)
	})
}

// TestTimeoutIsTold: url.Error knows that it was a timeout, and errors.Is too.
func TestTimeoutIsTold(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{code: 200, takes: time.Hour}}}
		tr, _ := transportOf(t, s, Defaults(), retryOf(2, 10), timeoutOf(100, false))
		start := time.Now()
		_, err := (&http.Client{Transport: tr}).Get("http://server.test/")
		var n net.Error
		if !errors.As(err, &n) || !n.Timeout() || !errors.Is(err, pipeline.ErrTimeout) || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != ms(210) {
			t.Errorf("%v after %v", err, time.Since(start))
		}
	})
}

// TestCallerThatGoesEndsTheCall: with the cause, and without another attempt.
func TestCallerThatGoesEndsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []answer{{code: 200, takes: time.Hour}}}
		tr, p := transportOf(t, s, Defaults(), retryOf(2, 10), breakerOf(1))
		gone := errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(ms(5), func() { cancel(gone) })
		_, err := tr.RoundTrip(request(t, "GET", nil).WithContext(ctx))
		if !errors.Is(err, gone) || !errors.Is(err, pipeline.ErrCancelled) || len(s.requests) != 1 || p.Breakers()[0].Snapshot().State != breaker.Closed {
			t.Error(err)
		}
	})
}

// TestOneKeyPerCall: a POST has a key, the same with each attempt and another
// with each call; a GET has none; the caller's request is not touched.
func TestOneKeyPerCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Defaults()
		c.IdempotencyHeader = DefaultIdempotencyHeader
		seen := map[string]bool{}
		for range 3 {
			s := &script{answers: []answer{{err: errReset}, {code: 500}, {code: 200}}}
			tr, _ := transportOf(t, s, c, retryOf(3, 10))
			req := request(t, "POST", strings.NewReader("hello"))
			req.Header = nil
			read(t, must[*http.Response](t)(tr.RoundTrip(req)))
			key := s.requests[0].Header.Get(DefaultIdempotencyHeader)
			if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(key) || seen[key] || req.Header != nil {
				t.Errorf("key %q, request %v", key, req.Header)
			}
			seen[key] = true
			for i, r := range s.requests {
				if r.Header.Get(DefaultIdempotencyHeader) != key || s.bodies[i] != "hello" {
					t.Errorf("attempt %d: %v %q", i, r.Header, s.bodies[i])
				}
			}
		}
		s := status(200)
		tr, _ := transportOf(t, s, c, retryOf(3, 10))
		read(t, must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil))))
		if len(s.requests[0].Header) != 0 {
			t.Error(s.requests[0].Header)
		}
	})
}

// TestNotSentTwice: which failures of a POST are followed by another attempt.
func TestNotSentTwice(t *testing.T) {
	dial := &net.OpError{Op: "dial", Err: errors.New("refused")}
	keyed := func(c *Config, r *http.Request) { c.IdempotencyHeader = "Key" }
	own := func(c *Config, r *http.Request) { r.Header.Set(DefaultIdempotencyHeader, "mine") }
	named := func(c *Config, r *http.Request) { c.IdempotencyHeader = "Key"; r.Header.Set("Key", "mine") }
	opted := func(c *Config, r *http.Request) { c.RetryAmbiguous = true }
	put := func(c *Config, r *http.Request) { r.Method = "PUT" }
	for name, c := range map[string]struct {
		first answer
		how   func(*Config, *http.Request)
		again bool
	}{
		"reset":           {first: answer{err: errReset}},
		"500":             {first: answer{code: 500}},
		"502":             {first: answer{code: 502}},
		"504":             {first: answer{code: 504}},
		"503":             {first: answer{code: 503}, again: true},
		"429":             {first: answer{code: 429}, again: true},
		"not connected":   {first: answer{err: dial}, again: true},
		"name not found":  {first: answer{err: &net.DNSError{}}, again: true},
		"reset, keyed":    {answer{err: errReset}, keyed, true},
		"reset, own key":  {answer{err: errReset}, own, true},
		"reset, own name": {answer{err: errReset}, named, true},
		"reset, opted in": {answer{err: errReset}, opted, true},
		"reset, PUT":      {answer{err: errReset}, put, true},
		"timeout":         {first: answer{code: 200, takes: time.Hour}},
		"timeout, keyed":  {answer{code: 200, takes: time.Hour}, keyed, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := &script{answers: []answer{c.first, {code: 200}}}
			req, conf := request(t, "POST", strings.NewReader("hello")), Defaults()
			if c.how != nil {
				c.how(&conf, req)
			}
			tr, _ := transportOf(t, s, conf, retryOf(3, 10), timeoutOf(100, false))
			r, err := tr.RoundTrip(req)
			if again := len(s.requests) == 2; again != c.again || again && (err != nil || r.StatusCode != 200) {
				t.Errorf("%s: %d attempts, %v", name, len(s.requests), err)
			}
			if c.first.code != 0 && c.first.takes == 0 && !c.again && (err != nil || r.StatusCode != c.first.code) {
				t.Errorf("%s: %v %v, want the response", name, r, err)
			}
			if (c.first.err != nil || c.first.takes > 0) && !c.again && !errors.Is(err, ErrNotRepeatable) {
				t.Errorf("%s: %v", name, err)
			}
			if name == "timeout" && (!errors.Is(err, pipeline.ErrTimeout) || !err.(interface{ Timeout() bool }).Timeout()) {
				t.Errorf("%s: %v", name, err)
			}
			if r != nil {
				read(t, r)
			}
			s.settled(t)
		})
	}
}

// TestBodyThatCannotBeReadAgain: the first attempt is made all the same; only a
// retry is not.
func TestBodyThatCannotBeReadAgain(t *testing.T) {
	for _, c := range []struct {
		limit int
		codes []int
		sent  int
		last  int
	}{
		{3, []int{200}, 1, 200},
		{3, []int{503, 200}, 1, 503},
		{0, []int{503, 200}, 1, 503},
		{5, []int{503, 200}, 2, 200},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := status(c.codes...)
			tr, _ := transportOf(t, s, Config{BodyLimit: c.limit}, retryOf(3, 10))
			sent := text("hello")
			r := must[*http.Response](t)(tr.RoundTrip(request(t, "PUT", sent)))
			if r.StatusCode != c.last || len(s.requests) != c.sent || s.bodies[0] != "hello" || s.bodies[c.sent-1] != "hello" || sent.closed != 1 {
				t.Errorf("%+v: %d after %d attempts with %q, closed %d", c, r.StatusCode, len(s.requests), s.bodies, sent.closed)
			}
			read(t, r)
			s.settled(t)
		})
	}
	s := &script{answers: []answer{{err: errReset}}}
	tr, _ := transportOf(t, s, Config{}, retryOf(3, 10))
	_, err := tr.RoundTrip(request(t, "PUT", text("hello")))
	if !errors.Is(err, errReset) || !errors.Is(err, ErrNotRepeatable) || len(s.requests) != 1 || !strings.Contains(err.Error(), "cannot be read again") {
		t.Error(err)
	}
}

// TestBodyThatCannotBeHad: GetBody fails before the second attempt, which is not made and
// not counted.
func TestBodyThatCannotBeHad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := status(503)
		tr, p := transportOf(t, s, Defaults(), retryOf(3, 10), breakerOf(2))
		req := request(t, "PUT", strings.NewReader("hello"))
		broken := errors.New("broken")
		req.GetBody = func() (io.ReadCloser, error) { return nil, broken }
		_, err := tr.RoundTrip(req)
		if !errors.Is(err, broken) || !errors.Is(err, ErrNotRepeatable) || len(s.requests) != 1 || p.Breakers()[0].Snapshot().Buffered != 1 {
			t.Error(err, p.Breakers()[0].Snapshot())
		}
		s.settled(t)
	})
}

// TestContextLivesUntilTheBodyIsClosed: an attempt under a timeout of 100 ms is
// answered; an hour later its context is alive and knows no end; Close ends it.
func TestContextLivesUntilTheBodyIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := status(200)
		tr, _ := transportOf(t, s, Defaults(), timeoutOf(100, false))
		start := time.Now()
		r := must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil)))
		ctx := s.requests[0].Context()
		if at, ok := ctx.Deadline(); !ok || at.Sub(start) != ms(100) {
			t.Error("the attempt was not told its deadline:", at, ok)
		}
		time.Sleep(time.Hour)
		if ctx.Err() != nil {
			t.Error("ended with the attempt:", ctx.Err())
		}
		read(t, r)
		if ctx.Err() == nil {
			t.Error("alive after Close")
		}
	})
}

// TestTimeoutMayCoverTheBody: then the context ends at the attempt's timeout.
func TestTimeoutMayCoverTheBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := status(200)
		c := Defaults()
		c.TimeoutCoversBody = true
		tr, _ := transportOf(t, s, c, timeoutOf(100, false))
		r := must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil)))
		ctx := s.requests[0].Context()
		time.Sleep(ms(99))
		if ctx.Err() != nil {
			t.Error(ctx.Err())
		}
		time.Sleep(ms(1))
		synctest.Wait()
		if ctx.Err() != context.DeadlineExceeded {
			t.Error(ctx.Err())
		}
		read(t, r)
	})
}

// TestRemainingTimeIsSent: the attempt's timeout or the caller's deadline,
// whichever is sooner, anew with each attempt; none if there is none.
func TestRemainingTimeIsSent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Defaults()
		c.DeadlineHeader, c.DeadlineFormat = "Grpc-Timeout", GRPCTimeout
		s := &script{answers: []answer{{code: 503, takes: ms(50)}}}
		tr, _ := transportOf(t, s, c, retryOf(3, 10), timeoutOf(100, false))
		ctx, cancel := context.WithTimeout(t.Context(), ms(190))
		defer cancel()
		read(t, must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil).WithContext(ctx))))
		for i, want := range []string{"100000u", "100000u", "70000000n"} {
			if got := s.requests[i].Header.Get("Grpc-Timeout"); got != want {
				t.Errorf("attempt %d: %s, want %s", i, got, want)
			}
		}
		plain := status(200)
		tr, _ = transportOf(t, plain, c)
		read(t, must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil))))
		if len(plain.requests[0].Header) != 0 {
			t.Error(plain.requests[0].Header)
		}
	})
}

// TestLeftBehindResponseIsClosed: an attempt inside a detached timeout ignores its
// context and answers when nobody waits any more.
func TestLeftBehindResponseIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := text("late")
		tr, _ := transportOf(t, roundTrip(func(r *http.Request) (*http.Response, error) {
			time.Sleep(time.Second)
			return &http.Response{StatusCode: 200, Header: http.Header{}, Body: late}, nil
		}), Defaults(), timeoutOf(100, true))
		start := time.Now()
		if _, err := tr.RoundTrip(request(t, "GET", nil)); !errors.Is(err, pipeline.ErrTimeout) || time.Since(start) != ms(100) {
			t.Error(err)
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if late.closed != 1 {
			t.Errorf("closed %d times", late.closed)
		}
	})
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestPanicOfTheBaseGoesOn: and by Goexit as well; the context ends, the earlier
// response and the request's body are closed, and the breaker has counted it.
func TestPanicOfTheBaseGoesOn(t *testing.T) {
	for _, leave := range []func(){func() { panic("oops") }, runtime.Goexit} {
		synctest.Test(t, func(t *testing.T) {
			s := status(503)
			var ctx context.Context
			base := roundTrip(func(r *http.Request) (*http.Response, error) {
				if ctx = r.Context(); len(s.requests) == 1 {
					leave()
				}
				return s.RoundTrip(r)
			})
			tr, p := transportOf(t, base, Defaults(), retryOf(3, 10), breakerOf(10))
			sent := text("hello")
			var wg sync.WaitGroup
			wg.Go(func() {
				defer func() { recover() }()
				tr.RoundTrip(request(t, "PUT", sent))
				t.Error("returned")
			})
			wg.Wait()
			synctest.Wait()
			if b := p.Breakers()[0].Snapshot(); ctx.Err() == nil || b.InFlight != 0 || b.Buffered != 2 || b.Failed != 2 {
				t.Errorf("%v %+v", ctx.Err(), b)
			}
			s.settled(t)
		})
	}
}

// TestFallbackAnswers: the ladder is told why, and may answer with a response.
func TestFallbackAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := status(503)
		c := Defaults()
		c.Fallback = append(c.Fallback, func(r *http.Request, cause error) (*http.Response, error) {
			var code *StatusError
			if !errors.As(cause, &code) || code.Code != 503 {
				t.Error(cause)
			}
			return &http.Response{StatusCode: 200, Body: io.NopCloser(strings.NewReader("cached")), Request: r}, nil
		})
		ladder := pipeline.Policy{Fallback: &fallback.Config{Steps: []string{"cache"}}}
		tr, _ := transportOf(t, s, c, ladder, retryOf(2, 10))
		if r := must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil))); r.StatusCode != 200 || read(t, r) != "cached" {
			t.Error(r)
		}
		s.settled(t)
		sent := text("hello")
		misfit, _ := transportOf(t, s, c, retryOf(2, 10))
		if _, err := misfit.RoundTrip(request(t, "PUT", sent)); !errors.Is(err, pipeline.ErrLadder) || sent.closed != 1 {
			t.Error(err, sent.closed)
		}
	})
}

// TestRefusalFurtherInIsNotMade: a transport inside another; the outer breaker
// does not count what the inner one refused (D12).
func TestRefusalFurtherInIsNotMade(t *testing.T) {
	inner, p := transportOf(t, status(200), Defaults(), breakerOf(1))
	p.Breakers()[0].Force(breaker.ForcedOpen)
	outer, q := transportOf(t, inner, Defaults(), retryOf(3, 10), breakerOf(1))
	_, err := outer.RoundTrip(request(t, "POST", nil))
	if b := q.Breakers()[0].Snapshot(); !errors.Is(err, pipeline.ErrBreakerOpen) || b.Buffered != 0 || b.State != breaker.Closed {
		t.Error(err, b)
	}
}

// TestOwnClassifyDecides: 404 is a failure here, of a kind that has no meaning for a response.
func TestOwnClassifyDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := Defaults()
		c.Classify = func(x Exchange) patterns.Result {
			if x.Response != nil && x.Response.StatusCode == 404 {
				return patterns.Result{Outcome: patterns.Failure, Reason: patterns.AttemptTimeout}
			}
			return Classify(x)
		}
		s := status(404)
		tr, _ := transportOf(t, s, c, retryOf(2, 10))
		if r := must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil))); len(s.requests) != 2 || read(t, r) != "Not Found" {
			t.Error(r)
		}
	})
}

// TestPlainPipelineHearsStatuses: with pipeline.Classify a 503 is still retried after
// its hint, and a POST still not sent twice.
func TestPlainPipelineHearsStatuses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := must[*pipeline.Pipeline](t)(pipeline.New([]pipeline.Policy{retryOf(2, 10)}))
		s := &script{answers: []answer{{code: 503, header: http.Header{"Retry-After": {"1"}}}, {err: errReset}, {code: 200}}}
		tr := must[*Transport](t)(NewTransport(s, p, Defaults()))
		start := time.Now()
		if _, err := tr.RoundTrip(request(t, "POST", nil)); !errors.Is(err, errReset) || time.Since(start) != time.Second {
			t.Error(err)
		}
		r := must[*http.Response](t)(tr.RoundTrip(request(t, "POST", nil)))
		read(t, r)
	})
}

// TestSwitchedConnectionCanBeWritten: the body of 101 stays a writer.
func TestSwitchedConnectionCanBeWritten(t *testing.T) {
	ours, theirs := net.Pipe()
	tr, _ := transportOf(t, roundTrip(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 101, Header: http.Header{}, Body: ours}, nil
	}), Defaults(), retryOf(2, 10))
	r := must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil)))
	go r.Body.(io.Writer).Write([]byte("hello"))
	got := make([]byte, 5)
	if _, err := io.ReadFull(theirs, got); err != nil || string(got) != "hello" {
		t.Error(err)
	}
	r.Body.Close()
}

// TestEmptyResponseKeepsNoContext: without a body there is nothing to close.
func TestEmptyResponseKeepsNoContext(t *testing.T) {
	var ctx context.Context
	tr, _ := transportOf(t, roundTrip(func(r *http.Request) (*http.Response, error) {
		ctx = r.Context()
		return &http.Response{StatusCode: 204, Header: http.Header{}, Body: http.NoBody}, nil
	}), Defaults())
	r := must[*http.Response](t)(tr.RoundTrip(request(t, "HEAD", nil)))
	if r.Body != http.NoBody || ctx.Err() == nil {
		t.Error(r.Body, ctx.Err())
	}
}

type idle struct {
	http.RoundTripper
	closed bool
}

func (i *idle) CloseIdleConnections() { i.closed = true }

// TestIdleConnectionsAreClosed if the base has any.
func TestIdleConnectionsAreClosed(t *testing.T) {
	base := &idle{RoundTripper: status(200)}
	tr, _ := transportOf(t, base, Defaults())
	(&http.Client{Transport: tr}).CloseIdleConnections()
	tr.base = status(200)
	tr.CloseIdleConnections()
	if !base.closed {
		t.Error("not passed on")
	}
}

// TestFaultsOfSettingsAreToldTogether, on either side.
func TestFaultsOfSettingsAreToldTogether(t *testing.T) {
	_, err := NewTransport(nil, nil, Config{BodyLimit: -1, IdempotencyHeader: "a b", DeadlineHeader: "ü", DeadlineFormat: "h",
		Fallback: []func(*http.Request, error) (*http.Response, error){nil}})
	_, err2 := Handler(nil, HandlerConfig{DeadlineHeader: ":", DeadlineFormat: "h", RetryAfter: -1})
	for _, want := range []string{"bodyLimit", "idempotencyHeader", "deadlineHeader", "deadlineFormat", "fallback", "pipeline", "gate", "retryAfter"} {
		if !strings.Contains(errors.Join(err, err2).Error(), want) {
			t.Errorf("%s is not in %v", want, errors.Join(err, err2))
		}
	}
	p := must[*pipeline.Pipeline](t)(NewPipeline(nil))
	if tr, err := NewTransport(nil, p, Defaults()); err != nil || tr.base != http.DefaultTransport {
		t.Error(err)
	}
}
