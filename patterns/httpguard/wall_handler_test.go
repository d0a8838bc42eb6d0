package httpguard

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/gate"
)

var update = flag.Bool("update", false, "write the golden files anew")

func slotsOf(t testing.TB, n, wait int) *gate.Slots {
	return gate.NewSlots(must[*bulkhead.Settings](t)(bulkhead.Compile(bulkhead.Config{MaxConcurrentCalls: n, MaxWaitDuration: msd(wait)})), nil)
}

func guard(t testing.TB, c HandlerConfig, next http.HandlerFunc, stages ...gate.Stage) http.Handler {
	t.Helper()
	return must[func(http.Handler) http.Handler](t)(Handler(gate.New(stages...), c))(next)
}

// serve has the handler answer one request with the headers "name: value".
func serve(t testing.TB, h http.Handler, headers ...string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/orders/7", nil)
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// refuser refuses with a reason and a time.
func refuser(why patterns.Reason, after time.Duration) gate.Stage {
	return gate.Decide(why, func(patterns.Instant, gate.Request) (bool, time.Duration) { return false, after })
}

// ear admits everything and hears how it ended.
type ear struct {
	mu    sync.Mutex
	heard []patterns.Result
}

func (e *ear) Enter(context.Context, gate.Request) (func(patterns.Result), error) {
	return func(r patterns.Result) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.heard = append(e.heard, r)
	}, nil
}

func fine(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "fine") }

// TestAdmittedRequestIsServed, and its place is free again.
func TestAdmittedRequestIsServed(t *testing.T) {
	slots := slotsOf(t, 1, 0)
	h := guard(t, HandlerDefaults(), fine, slots)
	for range 3 {
		if w := serve(t, h); w.Code != 200 || w.Body.String() != "fine" {
			t.Error(w)
		}
	}
	if s := slots.Snapshot(); s.InUse != 0 || s.Granted != 3 {
		t.Errorf("%+v", s)
	}
}

// TestRefusalsAreAnswered: status and Retry-After by reason.
func TestRefusalsAreAnswered(t *testing.T) {
	for _, c := range []struct {
		why    patterns.Reason
		after  time.Duration
		status int
		retry  string
	}{
		{patterns.BulkheadFull, 0, 503, "1"},
		{patterns.BulkheadTimeout, 0, 503, "1"},
		{patterns.Shed, ms(2500), 503, "3"},
		{patterns.LimitReached, 0, 503, "1"},
		{patterns.RateLimited, ms(1), 429, "1"},
		{patterns.RateLimited, -1, 429, ""},
		{patterns.DeadlineExceeded, time.Second, 504, ""},
		{patterns.Cancelled, 0, 503, "1"},
		{patterns.Rejected, 0, 503, "1"},
	} {
		asked := false
		h := guard(t, HandlerDefaults(), func(http.ResponseWriter, *http.Request) { asked = true }, refuser(c.why, c.after))
		w := serve(t, h)
		if w.Code != c.status || w.Header().Get("Retry-After") != c.retry || asked ||
			w.Header().Get("Content-Type") != "application/problem+json" || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%v: %d %v", c.why, w.Code, w.Header())
		}
	}
	if w := serve(t, guard(t, HandlerConfig{}, fine, refuser(patterns.Shed, 0))); w.Header().Get("Retry-After") != "" {
		t.Error("a hint of nobody", w.Header())
	}
}

// TestProblemDocument: the words on the wire, with and without what Describe adds.
func TestProblemDocument(t *testing.T) {
	c := HandlerDefaults()
	described := c
	described.Describe = func(r *http.Request, p *Problem) {
		p.Type, p.Title, p.Instance = "https://example.com/problems/overload", "Overload", r.URL.Path
	}
	got := ""
	for _, why := range []patterns.Reason{patterns.BulkheadFull, patterns.RateLimited, patterns.DeadlineExceeded} {
		got += serve(t, guard(t, c, fine, refuser(why, 0))).Body.String()
	}
	got += serve(t, guard(t, described, fine, refuser(patterns.Shed, 0))).Body.String()
	got += serve(t, guard(t, c, fine, stranger{})).Body.String()
	const golden = "testdata/problems.json"
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want := string(must[[]byte](t)(os.ReadFile(golden))); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

type stranger struct{}

func (stranger) Enter(context.Context, gate.Request) (func(patterns.Result), error) {
	return nil, errors.New("no")
}

// TestDeadlineOfTheCaller: the header becomes the context's deadline; what has
// passed is refused with 504, and what cannot be read is none.
func TestDeadlineOfTheCaller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := HandlerDefaults()
		c.DeadlineHeader = "X-Request-Timeout-Ms"
		left := time.Duration(-1)
		h := guard(t, c, func(w http.ResponseWriter, r *http.Request) {
			left = -1
			if at, ok := r.Context().Deadline(); ok {
				left = time.Until(at)
			}
		}, slotsOf(t, 1, 0))
		for _, x := range []struct {
			text string
			code int
			left time.Duration
		}{{"1500", 200, ms(1500)}, {"0", 504, ms(1500)}, {"soon", 200, -1}, {"-5", 200, -1}, {"", 200, -1}} {
			if w := serve(t, h, "X-Request-Timeout-Ms: "+x.text); w.Code != x.code || left != x.left {
				t.Errorf("%q: %d, %v left", x.text, w.Code, left)
			}
		}
	})
}

// TestDeadlineThatPassesInTheQueue is refused with 504 as well, at its instant.
func TestDeadlineThatPassesInTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := HandlerDefaults()
		c.DeadlineHeader, c.DeadlineFormat = "Grpc-Timeout", GRPCTimeout
		slots := slotsOf(t, 1, 1000)
		h := guard(t, c, fine, slots)
		leave := must[func(patterns.Result)](t)(slots.Enter(t.Context(), gate.Request{}))
		start := time.Now()
		if w := serve(t, h, "Grpc-Timeout: 20m"); w.Code != 504 || time.Since(start) != ms(20) {
			t.Error(w.Code, time.Since(start))
		}
		leave(patterns.Result{})
		if s := slots.Snapshot(); s.InUse != 0 || s.Waiting != 0 {
			t.Errorf("%+v", s)
		}
	})
}

// TestClassIsAsked: the gate sees what Class says of the request.
func TestClassIsAsked(t *testing.T) {
	c := HandlerDefaults()
	c.Class = func(r *http.Request) gate.Request { return gate.Request{Class: len(r.Header.Get("Plan"))} }
	h := guard(t, c, fine, gate.Decide(patterns.Shed, func(_ patterns.Instant, q gate.Request) (bool, time.Duration) { return q.Class > 3, 0 }))
	if gold, free := serve(t, h, "Plan: golden"), serve(t, h); gold.Code != 200 || free.Code != 503 {
		t.Error(gold.Code, free.Code)
	}
}

// TestStagesHearHowItEnded: exactly once for each way out of the handler.
func TestStagesHearHowItEnded(t *testing.T) {
	code := func(n int) http.HandlerFunc { return func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(n) } }
	failure := func(why patterns.Reason) patterns.Result {
		return patterns.Result{Outcome: patterns.Failure, Reason: why}
	}
	success := patterns.Result{Outcome: patterns.Success}
	for name, c := range map[string]struct {
		do   http.HandlerFunc
		want patterns.Result
	}{
		"written":      {fine, success},
		"nothing":      {func(http.ResponseWriter, *http.Request) {}, success},
		"404":          {code(404), success},
		"500":          {code(500), failure(patterns.Failed)},
		"503":          {code(503), failure(patterns.Rejected)},
		"429":          {code(429), failure(patterns.Rejected)},
		"hints first":  {func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(103); w.WriteHeader(500) }, failure(patterns.Failed)},
		"two statuses": {func(w http.ResponseWriter, r *http.Request) { fine(w, r); w.WriteHeader(500) }, success},
		"file":         {func(w http.ResponseWriter, r *http.Request) { io.Copy(w, strings.NewReader("file")) }, success},
		"flushed":      {func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush() }, success},
		"panic":        {func(http.ResponseWriter, *http.Request) { panic("oops") }, failure(patterns.Panicked)},
		"abort":        {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, failure(patterns.Panicked)},
		"goexit":       {func(http.ResponseWriter, *http.Request) { runtime.Goexit() }, failure(patterns.Panicked)},
		"late":         {func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, failure(patterns.DeadlineExceeded)},
	} {
		synctest.Test(t, func(t *testing.T) {
			e, slots := &ear{}, slotsOf(t, 1, 0)
			conf := HandlerDefaults()
			conf.DeadlineHeader = "Left"
			h := guard(t, conf, c.do, slots, e)
			var wg sync.WaitGroup
			wg.Go(func() {
				defer func() { recover() }()
				serve(t, h, "Left: 100")
			})
			wg.Wait()
			if len(e.heard) != 1 || e.heard[0] != c.want || slots.Snapshot().InUse != 0 {
				t.Errorf("%s: %+v, want %+v; %+v", name, e.heard, c.want, slots.Snapshot())
			}
		})
	}
}

// TestCallerThatGoesIsIgnored: the handler sees it, the stages are told nothing.
func TestCallerThatGoesIsIgnored(t *testing.T) {
	e := &ear{}
	ctx, cancel := context.WithCancel(t.Context())
	h := guard(t, HandlerDefaults(), func(w http.ResponseWriter, r *http.Request) { cancel() }, e)
	h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequestWithContext(ctx, "GET", "/", nil))
	if len(e.heard) != 1 || e.heard[0].Outcome != patterns.Ignored {
		t.Errorf("%+v", e.heard)
	}
}

// hijackable is a writer whose connection can be taken over.
type hijackable struct {
	http.ResponseWriter
	err error
}

func (h hijackable) Hijack() (net.Conn, *bufio.ReadWriter, error) { return nil, nil, h.err }

// TestHijackedConnectionSaysNothing: its place is free when the handler returns,
// and the round trip is no sample. A hijack that failed is an answer like others.
func TestHijackedConnectionSaysNothing(t *testing.T) {
	type both struct {
		hijackable
		http.Flusher
	}
	refused := errors.New("no")
	for _, c := range []struct {
		w    http.ResponseWriter
		want patterns.Outcome
	}{
		{hijackable{httptest.NewRecorder(), nil}, patterns.Ignored},
		{both{hijackable{httptest.NewRecorder(), nil}, httptest.NewRecorder()}, patterns.Ignored},
		{hijackable{httptest.NewRecorder(), refused}, patterns.Success},
	} {
		e := &ear{}
		h := guard(t, HandlerDefaults(), func(w http.ResponseWriter, r *http.Request) { http.NewResponseController(w).Hijack() }, e)
		h.ServeHTTP(c.w, httptest.NewRequest("GET", "/", nil))
		if len(e.heard) != 1 || e.heard[0].Outcome != c.want {
			t.Errorf("%+v, want %v", e.heard, c.want)
		}
	}
}

// TestWriterHasTheOriginalsAbilities and no others.
func TestWriterHasTheOriginalsAbilities(t *testing.T) {
	plain := struct{ http.ResponseWriter }{httptest.NewRecorder()}
	for _, w := range []http.ResponseWriter{plain, httptest.NewRecorder(), hijackable{ResponseWriter: plain}} {
		guard(t, HandlerDefaults(), func(got http.ResponseWriter, r *http.Request) {
			_, flush1 := w.(http.Flusher)
			_, flush2 := got.(http.Flusher)
			_, hijack1 := w.(http.Hijacker)
			_, hijack2 := got.(http.Hijacker)
			if flush1 != flush2 || hijack1 != hijack2 {
				t.Errorf("%T: flush %v %v, hijack %v %v", w, flush1, flush2, hijack1, hijack2)
			}
			if under := got.(interface{ Unwrap() http.ResponseWriter }).Unwrap(); under != w {
				t.Errorf("%T under the writer", under)
			}
		}).ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
	}
}
