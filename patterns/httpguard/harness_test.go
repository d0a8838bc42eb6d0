package httpguard

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	_ "testing/synctest" // the clock of every test here stands still
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/timeout"
)

func ms(n int) time.Duration { return time.Duration(n) * time.Millisecond }

func msd(n int) patterns.Duration { return patterns.Duration(ms(n)) }

func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func retryOf(attempts, wait int) pipeline.Policy {
	return pipeline.Policy{Retry: &retry.Config{MaxAttempts: attempts, WaitDuration: msd(wait)}}
}

func timeoutOf(n int, detached bool) pipeline.Policy {
	return pipeline.Policy{Timeout: &timeout.Config{TimeoutDuration: msd(n), Detached: detached}}
}

func breakerOf(n int) pipeline.Policy {
	c := breaker.Defaults()
	c.SlidingWindowSize, c.MinimumNumberOfCalls = n, n
	return pipeline.Policy{CircuitBreaker: &c}
}

func transportOf(t testing.TB, base http.RoundTripper, c Config, ps ...pipeline.Policy) (*Transport, *pipeline.Pipeline) {
	t.Helper()
	p := must[*pipeline.Pipeline](t)(NewPipeline(ps))
	return must[*Transport](t)(NewTransport(base, p, c)), p
}

// tracked is a body that knows how far it was read and how often it was closed.
type tracked struct {
	io.Reader
	mu     sync.Mutex
	read   int
	ended  bool
	closed int
}

func (b *tracked) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	b.mu.Lock()
	defer b.mu.Unlock()
	b.read += n
	b.ended = b.ended || err == io.EOF
	return n, err
}

func (b *tracked) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed++
	return nil
}

func text(s string) *tracked { return &tracked{Reader: strings.NewReader(s)} }

// answer is what a script does with one attempt.
type answer struct {
	code   int
	body   string
	header http.Header
	err    error
	takes  time.Duration // or until the context ends
	unread bool          // the request's body is left unread
}

// script is a server that answers attempts in order, the last answer for ever.
type script struct {
	answers []answer

	mu       sync.Mutex
	requests []*http.Request
	bodies   []string   // of the requests
	replies  []*tracked // bodies of the responses
	at       []time.Time
}

func (s *script) RoundTrip(req *http.Request) (*http.Response, error) {
	s.mu.Lock()
	a := s.answers[min(len(s.requests), len(s.answers)-1)]
	s.requests = append(s.requests, req)
	s.at = append(s.at, time.Now())
	s.mu.Unlock()
	sent := ""
	if req.Body != nil {
		if !a.unread {
			b, err := io.ReadAll(req.Body)
			if err != nil {
				return nil, err
			}
			sent = string(b)
		}
		req.Body.Close()
	}
	reply := text(a.body)
	s.mu.Lock()
	s.bodies = append(s.bodies, sent)
	s.mu.Unlock()
	if a.takes > 0 {
		select {
		case <-time.After(a.takes):
		case <-req.Context().Done():
			return nil, req.Context().Err()
		}
	}
	if a.err != nil {
		return nil, a.err
	}
	s.mu.Lock()
	s.replies = append(s.replies, reply)
	s.mu.Unlock()
	h := a.header
	if h == nil {
		h = http.Header{}
	}
	return &http.Response{StatusCode: a.code, Header: h, Body: reply, Request: req}, nil
}

// settled complains of a response body that nobody closed, or somebody twice.
func (s *script) settled(t *testing.T) {
	t.Helper()
	for i, r := range s.replies {
		if r.closed != 1 {
			t.Errorf("body %d was closed %d times", i, r.closed)
		}
	}
}

func status(codes ...int) *script {
	s := &script{}
	for _, c := range codes {
		s.answers = append(s.answers, answer{code: c, body: http.StatusText(c)})
	}
	return s
}

func request(t testing.TB, method string, body io.Reader) *http.Request {
	t.Helper()
	return must[*http.Request](t)(http.NewRequestWithContext(t.Context(), method, "http://server.test/", body))
}

// read reads and closes a response.
func read(t testing.TB, r *http.Response) string {
	t.Helper()
	b := must[[]byte](t)(io.ReadAll(r.Body))
	r.Body.Close()
	return string(b)
}

var errReset = errors.New("connection reset")
