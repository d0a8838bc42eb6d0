package httpguard

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// wire is a listener in memory; its other end dials.
type wire struct {
	conns  chan net.Conn
	closed chan struct{}
	down   atomic.Bool
}

func newWire() *wire { return &wire{conns: make(chan net.Conn), closed: make(chan struct{})} }

func (w *wire) Accept() (net.Conn, error) {
	select {
	case c := <-w.conns:
		return c, nil
	case <-w.closed:
		return nil, net.ErrClosed
	}
}

func (w *wire) Close() error   { close(w.closed); return nil }
func (w *wire) Addr() net.Addr { return &net.UnixAddr{Name: "memory"} }

func (w *wire) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	if w.down.Load() {
		return nil, &net.OpError{Op: "dial", Err: errors.New("refused")}
	}
	ours, theirs := net.Pipe()
	select {
	case w.conns <- theirs:
		return ours, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// over runs a server and a client of net/http at the two ends of a wire, inside a
// bubble that ends only when every goroutine has: a leak is a deadlock there.
func over(t *testing.T, h http.Handler, story func(t *testing.T, w *wire, base *http.Transport)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWire()
		server := &http.Server{Handler: h}
		go server.Serve(w)
		base := &http.Transport{DialContext: w.dial}
		story(t, w, base)
		base.CloseIdleConnections()
		server.Close()
	})
}

// TestClientAndServerAgree: a server of one place is busy for 300 ms. A second
// request is refused with a time, comes back after it, and is served; the deadline
// travels, and connections are used again although a response was discarded.
func TestClientAndServerAgree(t *testing.T) {
	slots := slotsOf(t, 1, 0)
	hc := HandlerDefaults()
	hc.DeadlineHeader = "X-Request-Timeout-Ms"
	h := guard(t, hc, func(w http.ResponseWriter, r *http.Request) {
		if _, ok := r.Context().Deadline(); !ok {
			t.Error("no deadline has come")
		}
		time.Sleep(ms(300))
		fine(w, r)
	}, slots)
	over(t, h, func(t *testing.T, w *wire, base *http.Transport) {
		c := Defaults()
		c.DeadlineHeader = "X-Request-Timeout-Ms"
		tr, _ := transportOf(t, base, c, retryOf(3, 10), timeoutOf(5000, false))
		client := &http.Client{Transport: tr}
		first := make(chan string)
		go func() { first <- read(t, must[*http.Response](t)(client.Get("http://server.test/"))) }()
		time.Sleep(ms(100))
		start := time.Now()
		r := must[*http.Response](t)(client.Get("http://server.test/"))
		if got := read(t, r); got != "fine" || time.Since(start) != ms(1300) {
			t.Errorf("%s after %v", got, time.Since(start))
		}
		if got := <-first; got != "fine" {
			t.Error(got)
		}
	})
	if s := slots.Snapshot(); s.InUse != 0 || s.Granted != 2 || s.Rejected != 1 {
		t.Errorf("%+v", s)
	}
}

// TestUnsentIsKnown: with the real transport a POST that found no server is sent
// again, and one whose connection broke after it was sent is not.
func TestUnsentIsKnown(t *testing.T) {
	served := 0
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		served++
		if served == 2 {
			panic(http.ErrAbortHandler)
		}
		fine(w, r)
	})
	over(t, h, func(t *testing.T, w *wire, base *http.Transport) {
		base.DisableKeepAlives = true
		tr, _ := transportOf(t, base, Defaults(), retryOf(3, 100))
		w.down.Store(true)
		time.AfterFunc(ms(50), func() { w.down.Store(false) })
		r := must[*http.Response](t)(tr.RoundTrip(request(t, "POST", strings.NewReader("hello"))))
		if read(t, r) != "fine" || served != 1 {
			t.Error(r, served)
		}
		if _, err := tr.RoundTrip(request(t, "POST", strings.NewReader("hello"))); !errors.Is(err, ErrNotRepeatable) || served != 2 {
			t.Error(err, served)
		}
	})
}

// TestTimeoutOnTheWire: the attempt that hung is cut, the server sees it go, and
// the next one is answered. A body that hangs ends by the timeout if that covers it.
func TestTimeoutOnTheWire(t *testing.T) {
	var served atomic.Int32
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		if served.Add(1) == 2 {
			w.Write([]byte("a part"))
			w.(http.Flusher).Flush()
		}
		<-r.Context().Done()
	})
	over(t, h, func(t *testing.T, w *wire, base *http.Transport) {
		c := Defaults()
		c.TimeoutCoversBody = true
		tr, _ := transportOf(t, base, c, retryOf(3, 10), timeoutOf(100, false))
		start := time.Now()
		r := must[*http.Response](t)(tr.RoundTrip(request(t, "PUT", text("hello"))))
		if time.Since(start) != ms(110) || served.Load() != 2 {
			t.Error(time.Since(start), served.Load())
		}
		got, err := io.ReadAll(r.Body)
		if string(got) != "a part" || !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != ms(210) {
			t.Errorf("%q %v after %v", got, err, time.Since(start))
		}
		r.Body.Close()
	})
}

// TestHungBodyDoesNotHoldTheRetryBack: a 503 whose body never ends is drained for
// drainTime and no longer.
func TestHungBodyDoesNotHoldTheRetryBack(t *testing.T) {
	var served atomic.Int32
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1) > 1 {
			fine(w, r)
			return
		}
		w.WriteHeader(503)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	})
	over(t, h, func(t *testing.T, w *wire, base *http.Transport) {
		tr, _ := transportOf(t, base, Defaults(), retryOf(3, 10))
		start := time.Now()
		r := must[*http.Response](t)(tr.RoundTrip(request(t, "GET", nil)))
		if read(t, r) != "fine" || time.Since(start) != ms(10)+drainTime {
			t.Error(time.Since(start))
		}
	})
}

// TestStreamedBodyIsSentAgain: a body of a pipe that is refused before it was read,
// and one that answers while it is being sent.
func TestStreamedBodyIsSentAgain(t *testing.T) {
	var served atomic.Int32
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if served.Add(1) == 1 {
			w.Header().Set("Connection", "close")
			w.WriteHeader(503)
			return
		}
		io.Copy(w, r.Body)
	})
	over(t, h, func(t *testing.T, w *wire, base *http.Transport) {
		tr, _ := transportOf(t, base, Defaults(), retryOf(3, 10))
		out, in := io.Pipe()
		go func() {
			for _, s := range []string{"one ", "two ", "three"} {
				in.Write([]byte(s))
				time.Sleep(ms(50))
			}
			in.Close()
		}()
		r := must[*http.Response](t)(tr.RoundTrip(request(t, "POST", out)))
		if got := read(t, r); got != "one two three" || served.Load() != 2 {
			t.Errorf("%q after %d", got, served.Load())
		}
		if _, err := in.Write([]byte("x")); err == nil {
			t.Error("the body was not closed")
		}
	})
}

// TestPanicsOnTheWireLoseNoPlace: the real server's own recovery, twenty times.
func TestPanicsOnTheWireLoseNoPlace(t *testing.T) {
	slots, e := slotsOf(t, 1, 0), &ear{}
	h := guard(t, HandlerDefaults(), func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, slots, e)
	over(t, h, func(t *testing.T, w *wire, base *http.Transport) {
		base.DisableKeepAlives = true
		tr, _ := transportOf(t, base, Defaults())
		for range 20 {
			_, err := tr.RoundTrip(request(t, "GET", nil))
			var refused *pipeline.Error
			if err == nil || errors.As(err, &refused) {
				t.Error(err)
			}
			synctest.Wait()
		}
	})
	if len(e.heard) != 20 || slots.Snapshot().InUse != 0 || e.heard[0].Reason != patterns.Panicked {
		t.Errorf("%d heard, %+v", len(e.heard), slots.Snapshot())
	}
}
