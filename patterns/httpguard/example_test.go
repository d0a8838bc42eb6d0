package httpguard_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/gate"
	"github.com/resilsim/resilsim/patterns/httpguard"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/retry"
)

// A client tries up to three times. The server refuses the first request; the
// second is answered. Then its breaker is opened by hand.
func ExampleNewTransport() {
	calls := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if calls++; calls == 1 {
			http.Error(w, "busy", http.StatusServiceUnavailable)
			return
		}
		io.WriteString(w, "order taken")
	}))
	defer server.Close()

	again := retry.Config{MaxAttempts: 3, WaitDuration: patterns.Duration(time.Millisecond)}
	guard := breaker.Defaults()
	p, err := httpguard.NewPipeline([]pipeline.Policy{{Retry: &again}, {CircuitBreaker: &guard}})
	if err != nil {
		fmt.Println(err)
		return
	}
	settings := httpguard.Defaults()
	settings.IdempotencyHeader = httpguard.DefaultIdempotencyHeader
	transport, err := httpguard.NewTransport(nil, p, settings)
	if err != nil {
		fmt.Println(err)
		return
	}
	client := &http.Client{Transport: transport}

	response, err := client.Post(server.URL, "text/plain", nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	body, _ := io.ReadAll(response.Body)
	response.Body.Close()
	fmt.Printf("%s after %d requests\n", body, calls)

	p.Breakers()[0].Force(breaker.ForcedOpen)
	_, err = client.Get(server.URL)
	fmt.Println(errors.Is(err, pipeline.ErrBreakerOpen))
	// Output:
	// order taken after 2 requests
	// true
}

// A server does one thing at a time and refuses what comes meanwhile.
func ExampleHandler() {
	one, err := bulkhead.Compile(bulkhead.Config{MaxConcurrentCalls: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	settings := httpguard.HandlerDefaults()
	settings.DeadlineHeader = "X-Request-Timeout-Ms"
	middleware, err := httpguard.Handler(gate.New(gate.NewSlots(one, nil)), settings)
	if err != nil {
		fmt.Println(err)
		return
	}
	var busy http.Handler
	ask := func() *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		busy.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		return w
	}
	busy = middleware(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		meanwhile := ask()
		fmt.Println(meanwhile.Code, "Retry-After:", meanwhile.Header().Get("Retry-After"))
		fmt.Print(meanwhile.Body)
		io.WriteString(w, "done")
	}))
	fmt.Println(ask().Body)
	// Output:
	// 503 Retry-After: 1
	// {
	//   "type": "about:blank",
	//   "title": "Service Unavailable",
	//   "status": 503,
	//   "detail": "The server does as much as it can at one time.",
	//   "reason": "bulkhead_full"
	// }
	// done
}
