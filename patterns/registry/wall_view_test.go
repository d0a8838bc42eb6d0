package registry

import (
	"encoding/json"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/throttle"
)

var update = flag.Bool("update", false, "write the pages as they are into testdata")

// seen is a registry with something of everything: one breaker open, one closed with
// calls, one by failures in a row, one name that shares, one with every limiter.
func seen(t *testing.T) *Registry {
	t.Helper()
	counted, timed, row := opensAfter(4), breaker.Defaults(), breaker.Defaults()
	timed.SlidingWindowType, timed.SlidingWindowSize = breaker.TimeBased, 60
	row.ConsecutiveFailures = 3
	paid := retry.Defaults()
	paid.MaxAttempts = 1
	b := budget.DefaultsOf(budget.Tokens)
	paid.Budget = &b
	slots := bulkhead.Defaults()
	shy, rated, limit := throttle.Defaults(), ratelimit.Defaults(), adaptive.Defaults(adaptive.Gradient2)
	rated.LimitForPeriod, rated.LimitRefreshPeriod, rated.TimeoutDuration = 3, patterns.Duration(time.Second), 0
	queued, pool, twin := bulkhead.QueueDefaults(), bulkhead.PoolDefaults(), hedge.Defaults()
	twin.Budget = &b
	r := made(t, []string{"users", "prices", "stock", "mail", "plain", "search", "lists", "jobs"}, Config{
		Defaults: Policies{CircuitBreaker: counted},
		Instances: map[string]Instance{
			"stock":  {SharedWith: "prices"},
			"mail":   {Policies: Policies{CircuitBreaker: &timed, Retry: &paid, Bulkhead: &slots}},
			"users":  {Policies: Policies{CircuitBreaker: &row}},
			"plain":  {Without: []string{"circuitBreaker"}},
			"lists":  {Without: []string{"circuitBreaker"}, Policies: Policies{QueuedBulkhead: &queued, Hedge: &twin}},
			"jobs":   {Without: []string{"circuitBreaker"}, Policies: Policies{ThreadPoolBulkhead: &pool}},
			"search": {Without: []string{"circuitBreaker"}, Policies: Policies{Throttle: &shy, RateLimiter: &rated, AdaptiveLimit: &limit}},
		},
	})
	for range 4 {
		_ = call(t, r, "prices", errBoom)
		_ = call(t, r, "mail", nil)
		_ = call(t, r, "search", nil)
		_ = call(t, r, "lists", nil)
	}
	return r
}

func get(h http.Handler, method, target, accept string) *httptest.ResponseRecorder {
	q := httptest.NewRequest(method, target, nil)
	if accept != "" {
		q.Header.Set("Accept", accept)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, q)
	return w
}

// TestPagesAreGolden compares both pages with what was reviewed; in a bubble the clock
// stands still. Names are sorted: twenty pages in a row are the same.
func TestPagesAreGolden(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := View(seen(t))
		for file, accept := range map[string]string{"state.json": "", "state.txt": "text/plain"} {
			got := get(h, http.MethodGet, "/", accept).Body.String()
			if *update {
				if err := os.WriteFile("testdata/"+file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile("testdata/" + file)
			if err != nil || got != string(want) {
				t.Errorf("%s: %v\n%s", file, err, got)
			}
			for range 20 {
				if again := get(h, http.MethodGet, "/", accept).Body.String(); again != got {
					t.Errorf("another page: %s", again)
				}
			}
		}
	})
}

// TestViewIsReadOnly: GET and HEAD are answered, HEAD with the same header and no body; any other
// method is not, and the state stays.
func TestViewIsReadOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := View(seen(t))
		before := get(h, http.MethodGet, "/", "")
		head := get(h, http.MethodHead, "/", "")
		if head.Code != http.StatusOK || head.Body.Len() != 0 || head.Header().Get("Content-Length") != before.Header().Get("Content-Length") {
			t.Errorf("HEAD: %d, %d bytes, %v", head.Code, head.Body.Len(), head.Header())
		}
		if before.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%v", before.Header())
		}
		for _, method := range []string{"POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} {
			w := get(h, method, "/?name=prices", "")
			if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "GET, HEAD" {
				t.Errorf("%s: %d, %v", method, w.Code, w.Header())
			}
		}
		if after := get(h, http.MethodGet, "/", ""); after.Body.String() != before.Body.String() {
			t.Error("the state has changed")
		}
	})
}

// TestFormsOfTheView: the query decides, then what the caller accepts, then JSON.
func TestFormsOfTheView(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := View(seen(t))
		for _, row := range []struct {
			target, accept string
			code           int
			kind           string
		}{
			{"/", "", 200, "application/json"},
			{"/", "*/*", 200, "application/json"},
			{"/", "text/plain", 200, "text/plain; charset=utf-8"},
			{"/", "text/plain, application/json", 200, "application/json"},
			{"/?format=text", "application/json", 200, "text/plain; charset=utf-8"},
			{"/?format=json", "text/plain", 200, "application/json"},
			{"/?format=xml", "", 400, "application/problem+json"},
			{"/?name=price", "", 404, "application/problem+json"},
			{"/?name=", "", 404, "application/problem+json"},
		} {
			w := get(h, http.MethodGet, row.target, row.accept)
			if w.Code != row.code || w.Header().Get("Content-Type") != row.kind {
				t.Errorf("%+v: %d %s", row, w.Code, w.Header().Get("Content-Type"))
			}
		}
		var one Snapshot
		if err := json.Unmarshal(get(h, http.MethodGet, "/?name=mail", "").Body.Bytes(), &one); err != nil || len(one.Instances) != 1 || one.Instances[0].Name != "mail" {
			t.Errorf("%+v, %v", one, err)
		}
	})
}

// TestWhatCannotBeWrittenIsSaid: JSON has no infinity; the page of such a state is an
// error, not half a page.
func TestWhatCannotBeWrittenIsSaid(t *testing.T) {
	w := httptest.NewRecorder()
	show(w, httptest.NewRequest(http.MethodGet, "/", nil), http.StatusOK, inf())
	if w.Code != http.StatusInternalServerError || !strings.Contains(w.Body.String(), "cannot be written") {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// TestSnapshotsDoNotHinderCalls reads the state while calls are made: for the race
// detector.
func TestSnapshotsDoNotHinderCalls(t *testing.T) {
	r := seen(t)
	p, _ := r.Pipeline("mail")
	done := make(chan bool)
	go func() {
		defer close(done)
		for range 500 {
			_ = call(t, r, "mail", nil)
		}
	}()
	for range 200 {
		_ = r.Snapshot()
		_ = get(View(r), http.MethodGet, "/?format=text", "")
	}
	<-done
	if b, _ := p.Bulkhead("bulkhead"); b.Granted < 500 {
		t.Errorf("%+v", b)
	}
}
