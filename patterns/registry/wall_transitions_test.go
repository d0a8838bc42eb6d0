package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// desk is a registry with its transitions and what was audited.
type desk struct {
	*Transitions
	r      *Registry
	audits []Audit
}

func someone(*http.Request, Transition) (string, error) { return "ann", nil }

func newDesk(t *testing.T, authorise Authorise, opts ...Option) *desk {
	t.Helper()
	metrics := opensAfter(2)
	d := &desk{r: made(t, []string{"prices", "stock", "plain", "users"}, Config{
		Defaults: Policies{CircuitBreaker: metrics},
		Instances: map[string]Instance{
			"stock": {SharedWith: "prices"}, "plain": {Without: []string{"circuitBreaker"}},
		},
	}, opts...)}
	h, err := NewTransitions(d.r, authorise, func(a Audit) { d.audits = append(d.audits, a) })
	if err != nil {
		t.Fatal(err)
	}
	d.Transitions = h
	return d
}

func (d *desk) ask(body string) *httptest.ResponseRecorder {
	q := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(body))
	q.Header.Set("Content-Type", "application/json; charset=utf-8")
	w := httptest.NewRecorder()
	d.ServeHTTP(w, q)
	return w
}

func (d *desk) state(name string) string {
	return d.r.shown(d.r.instances[name]).CircuitBreaker.State
}

func (d *desk) lines() (out []string) {
	for _, a := range d.audits {
		out = append(out, fmt.Sprintf("%s %s %s: %s to %s, %s", a.Who, a.Action, a.Instance, a.From, a.To, a.Outcome))
	}
	return out
}

// TestNoTransitionsWithoutAuthoriserAndAuditor: a nil of any of the three is an error that
// says so, and no handler.
func TestNoTransitionsWithoutAuthoriserAndAuditor(t *testing.T) {
	r := made(t, []string{"a"}, Config{})
	audit := func(Audit) {}
	for words, make := range map[string]func() (*Transitions, error){
		"no registry":   func() (*Transitions, error) { return NewTransitions(nil, someone, audit) },
		"no authoriser": func() (*Transitions, error) { return NewTransitions(r, nil, audit) },
		"no audit":      func() (*Transitions, error) { return NewTransitions(r, someone, nil) },
	} {
		if h, err := make(); h != nil || err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%v, %v, want %s", h, err, words)
		}
	}
}

// TestEachTransitionIsMadeAndAudited walks through all actions from all states that an
// operator can bring about; a closing of a shut breaker is half-open first. The answer is what was audited.
func TestEachTransitionIsMadeAndAudited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, someone)
		for _, action := range []string{"close", "force_open", "force_open", "close", "close", "reset", "disable", "close", "disable", "reset", "force_open", "reset", "reset"} {
			w := d.ask(`{"name": "prices", "action": "` + action + `", "reason": "drill"}`)
			audited, err := json.MarshalIndent(d.audits[len(d.audits)-1], "", "  ")
			if err != nil || w.Code != http.StatusOK || w.Body.String() != string(audited)+"\n" {
				t.Errorf("%s: %d, said %s, audited %s", action, w.Code, w.Body, audited)
			}
		}
		want := []string{
			"close prices: closed to closed, unchanged", "force_open prices: closed to forced_open, done",
			"force_open prices: forced_open to forced_open, unchanged",
			"close prices: forced_open to half_open, done", "close prices: half_open to half_open, unchanged",
			"reset prices: half_open to closed, done", "disable prices: closed to disabled, done",
			"close prices: disabled to closed, done", "disable prices: closed to disabled, done",
			"reset prices: disabled to closed, done", "force_open prices: closed to forced_open, done",
			"reset prices: forced_open to closed, done", "reset prices: closed to closed, done",
		}
		for i, got := range d.lines() {
			if got != "ann "+want[i] {
				t.Errorf("audit %d: %s, want %s", i, got, want[i])
			}
		}
		a := d.audits[0]
		if a.Reason != "drill" || a.Remote != "192.0.2.1:1234" || a.At.IsZero() || !slices.Equal(a.Affects, []string{"prices", "stock"}) {
			t.Errorf("%+v", a)
		}
	})
}

// TestMetricsOnlyIsClosedAtOnce: it lets calls pass, so that there is no herd.
func TestMetricsOnlyIsClosedAtOnce(t *testing.T) {
	d := newDesk(t, someone)
	p, _ := d.r.Pipeline("users")
	b, _ := p.Breaker(breakerKey)
	b.Force(breaker.MetricsOnly)
	if w := d.ask(`{"name": "users", "action": "close"}`); w.Code != 200 || d.state("users") != "closed" {
		t.Errorf("%d: %s", w.Code, d.state("users"))
	}
}

// TestTransitionOfASharedNameActsOnItsOwner: it is done to the pipeline that both use, and
// the answer says so.
func TestTransitionOfASharedNameActsOnItsOwner(t *testing.T) {
	d := newDesk(t, someone)
	w := d.ask(`{"name": "stock", "action": "force_open"}`)
	if d.state("prices") != "forced_open" || !strings.Contains(w.Body.String(), `"instance": "prices"`) {
		t.Errorf("%s: %s", d.state("prices"), w.Body)
	}
	if err := call(t, d.r, "prices", nil); !errors.Is(err, pipeline.ErrBreakerOpen) {
		t.Error(err)
	}
}

// TestWhatIsNotARequestChangesNothing: wrong methods, media, bodies, names; those that
// were read are audited.
func TestWhatIsNotARequestChangesNothing(t *testing.T) {
	d := newDesk(t, someone)
	for _, row := range []struct {
		body string
		code int
	}{
		{`{"name": "nobody", "action": "reset"}`, 404},
		{`{"name": "plain", "action": "reset"}`, 409},
		{``, 400},
		{`{`, 400},
		{`{"name": "prices", "action": "reset", "force": true}`, 400},
		{`{"name": "prices", "action": "reset"} {}`, 400},
		{`{"action": "reset"}`, 400},
		{`{"name": "prices", "action": "half_open"}`, 400},
		{`{"name": "prices", "action": "reset", "spread": "1s"}`, 400},
		{`{"name": "prices", "action": "close", "spread": "2h"}`, 400},
		{`{"name": "prices", "action": "close", "spread": "-1s"}`, 400},
		{`{"name": "prices", "action": "close", "reason": "` + strings.Repeat("x", bodyMax) + `"}`, 413},
	} {
		w := d.ask(row.body)
		if w.Code != row.code || w.Header().Get("Content-Type") != "application/problem+json" {
			t.Errorf("%.60s: %d, want %d: %s", row.body, w.Code, row.code, w.Body)
		}
	}
	if len(d.audits) != 2 || d.audits[0].Outcome != Refused || d.audits[1].Instance != "plain" {
		t.Errorf("%v", d.lines())
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	if w.Code != 405 || w.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d", w.Code)
	}
	q := httptest.NewRequest(http.MethodPost, "/", strings.NewReader(`{"name": "prices", "action": "force_open"}`))
	q.Header.Set("Content-Type", "text/plain") // what a form of another site can send
	w = httptest.NewRecorder()
	d.ServeHTTP(w, q)
	if w.Code != 415 || d.state("prices") != "closed" {
		t.Errorf("text: %d", w.Code)
	}
}

// TestDenialComesBeforeAnythingIsLookedUp: an unlisted name is denied like any other, the
// authoriser's words are audited by name and not shown, and nothing changes.
func TestDenialComesBeforeAnythingIsLookedUp(t *testing.T) {
	d := newDesk(t, func(q *http.Request, tr Transition) (string, error) {
		if tr.Action == Reset {
			return "bob", nil
		}
		return "bob", errors.New("secret rule 7")
	})
	for _, name := range []string{"prices", "nobody"} {
		w := d.ask(`{"name": "` + name + `", "action": "force_open"}`)
		if w.Code != 403 || strings.Contains(w.Body.String(), "secret") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	}
	if d.state("prices") != "closed" || len(d.audits) != 2 || d.audits[1].Who != "bob" || d.audits[1].Outcome != Denied {
		t.Errorf("%v", d.lines())
	}
	if w := d.ask(`{"name": "prices", "action": "reset"}`); w.Code != 200 {
		t.Errorf("allowed: %d", w.Code)
	}
}

// TestSpreadClosingWaitsForItsPart: with a draw of a quarter of 40 s it stays shut, shows when
// it will close, and is half-open at ten seconds; both steps are audited.
func TestSpreadClosingWaitsForItsPart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, someone)
		d.draw = func() float64 { return 0.25 }
		d.ask(`{"name": "prices", "action": "force_open"}`)
		begun := time.Now()
		w := d.ask(`{"name": "prices", "action": "close", "spread": "40s"}`)
		if w.Code != http.StatusAccepted || !strings.Contains(w.Body.String(), "closesAt") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
		shown := d.r.Snapshot().Instances[1]
		if at := shown.CircuitBreaker.ClosesAt; at == nil || at.Sub(begun) != 10*time.Second {
			t.Errorf("closes at %v", at)
		}
		if page := get(View(d.r), http.MethodGet, "/?format=text", "").Body.String(); !strings.Contains(page, "closes at") {
			t.Error(page)
		}
		time.Sleep(10*time.Second - 1)
		synctest.Wait()
		if s := d.state("prices"); s != "forced_open" {
			t.Errorf("before its part is over: %s", s)
		}
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		if s := d.state("prices"); s != "half_open" || d.r.Snapshot().Instances[1].CircuitBreaker.ClosesAt != nil {
			t.Errorf("after it: %s", s)
		}
		want := []string{
			"ann force_open prices: closed to forced_open, done", "ann close prices:  to , scheduled", "ann close prices: forced_open to half_open, done",
		}
		if got := d.lines(); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

// TestFleetComesBackSpread: a thousand closings fill the span evenly: each tenth of it
// has 100, give or take five deviations of 9.5.
func TestFleetComesBackSpread(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, someone)
		d.ask(`{"name": "prices", "action": "force_open"}`)
		begun, tenths := time.Now(), [10]int{}
		d.draw = rand.New(rand.NewPCG(1, 2)).Float64
		for range 1000 {
			d.ask(`{"name": "prices", "action": "close", "spread": "100s"}`)
			at := *d.audits[len(d.audits)-1].ClosesAt
			tenths[at.Sub(begun)/(10*time.Second)]++
		}
		for i, n := range tenths {
			if n < 53 || n > 147 {
				t.Errorf("tenth %d has %d of 1000", i, n)
			}
		}
		d.Stop()
	})
}

// TestLaterTransitionCallsAClosingOff: an operator who forces a breaker open again is not
// overtaken by a closing of before; nor is there one after Stop. Another handler's counts too.
func TestLaterTransitionCallsAClosingOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, someone)
		other, err := NewTransitions(d.r, someone, func(Audit) {})
		if err != nil {
			t.Fatal(err)
		}
		d.draw = func() float64 { return 0.5 }
		d.ask(`{"name": "prices", "action": "force_open"}`)
		for _, next := range []func(){
			func() { d.ask(`{"name": "stock", "action": "force_open"}`) },
			func() {
				(&desk{Transitions: other, r: d.r}).ask(`{"name": "prices", "action": "force_open"}`)
			},
			d.Stop,
		} {
			d.audits = nil
			d.ask(`{"name": "prices", "action": "close", "spread": "10s"}`)
			next()
			time.Sleep(time.Minute)
			synctest.Wait()
			if s := d.state("prices"); s != "forced_open" {
				t.Errorf("it was closed: %s", s)
			}
			if len(d.audits) < 2 || d.audits[1].Outcome != CalledOff {
				t.Errorf("%v", d.lines())
			}
		}
		// One whose timer has fired, but whose turn comes after it was called off, does nothing.
		d.fire(d.r.instances["prices"], &closing{owner: d.Transitions})
		if s := d.state("prices"); s != "forced_open" {
			t.Errorf("it was closed: %s", s)
		}
	})
}

// TestOpenBreakerIsNotScheduledWhenNothingIsShut: with a spread a breaker that lets calls
// pass is closed at once.
func TestOpenBreakerIsNotScheduledWhenNothingIsShut(t *testing.T) {
	d := newDesk(t, someone)
	d.ask(`{"name": "prices", "action": "disable"}`)
	if w := d.ask(`{"name": "prices", "action": "close", "spread": "10s"}`); w.Code != 200 || d.state("prices") != "closed" {
		t.Errorf("%d %s", w.Code, d.state("prices"))
	}
}

// TestListenersMayLookAndAct: a listener that is told of a transition reads the state and asks
// for another one; no lock is held, and the audits are in order.
func TestListenersMayLookAndAct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var d *desk
		var heard []string
		d = newDesk(t, someone, WithListener(func(name string, e pipeline.Event) {
			heard = append(heard, fmt.Sprint(name, " ", e.To))
			d.r.Snapshot()
			if e.To == breaker.ForcedOpen {
				d.ask(`{"name": "users", "action": "disable"}`)
			}
		}))
		d.ask(`{"name": "prices", "action": "force_open"}`)
		if want := []string{"prices forced_open", "users disabled"}; !slices.Equal(heard, want) {
			t.Errorf("heard %v", heard)
		}
		if got := d.lines(); len(got) != 2 || !strings.HasPrefix(got[0], "ann force_open prices") {
			t.Errorf("%v", got)
		}
	})
}

// leaves runs f in a goroutine of its own and says how it ended.
func leaves(f func()) (how string) {
	done := make(chan string)
	go func() {
		how := "goexit"
		defer func() {
			if v := recover(); v != nil {
				how = fmt.Sprint("panic: ", v)
			}
			done <- how
		}()
		f()
		how = "returned"
	}()
	return <-done
}

// TestPanicsAndGoexitLeaveNothingBehind: whatever callback breaks, and in which way, the caller is
// told, the request is audited, and the next one is made as if nothing had been.
func TestPanicsAndGoexitLeaveNothingBehind(t *testing.T) {
	for _, exit := range []struct {
		how string
		do  func()
	}{{"panic: boom", func() { panic("boom") }}, {"goexit", runtime.Goexit}} {
		for _, where := range []string{"authoriser", "listener", "auditor"} {
			broken := true
			breaks := func(here string) {
				if broken && here == where {
					exit.do()
				}
			}
			r := made(t, []string{"prices"}, Config{Defaults: Policies{CircuitBreaker: opensAfter(2)}},
				WithListener(func(string, pipeline.Event) { breaks("listener") }))
			var audits []Audit
			h, err := NewTransitions(r, func(*http.Request, Transition) (string, error) {
				breaks("authoriser")
				return "ann", nil
			}, func(a Audit) {
				audits = append(audits, a)
				breaks("auditor")
			})
			if err != nil {
				t.Fatal(err)
			}
			d := &desk{Transitions: h, r: r}
			if got := leaves(func() { d.ask(`{"name": "prices", "action": "force_open"}`) }); got != exit.how {
				t.Errorf("%s: %s, want %s", where, got, exit.how)
			}
			want := map[bool]Outcome{true: Failed, false: Done}[where == "authoriser"]
			if len(audits) != 1 || audits[0].Outcome != want {
				t.Errorf("%s: %+v", where, audits)
			}
			broken = false
			if w := d.ask(`{"name": "prices", "action": "close"}`); w.Code != 200 || len(audits) != 2 {
				t.Errorf("%s: afterwards %d", where, w.Code)
			}
		}
	}
}

// TestPanicAtAScheduledClosingIsCounted: it has no caller; the program goes on, and
// the state says that there was one.
func TestPanicAtAScheduledClosingIsCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, someone, WithListener(func(_ string, e pipeline.Event) {
			if e.To == breaker.HalfOpen {
				panic("boom")
			}
		}))
		d.ask(`{"name": "prices", "action": "force_open"}`)
		d.ask(`{"name": "prices", "action": "close", "spread": "10s"}`)
		time.Sleep(time.Minute)
		synctest.Wait()
		s := d.r.Snapshot()
		if s.Panics != 1 || d.state("prices") != "half_open" || len(d.audits) != 3 {
			t.Errorf("%d panics, %s, %v", s.Panics, d.state("prices"), d.lines())
		}
		if page := get(View(d.r), http.MethodGet, "/?format=text", "").Body.String(); !strings.Contains(page, "1 panics") {
			t.Error(page)
		}
	})
}

// TestManyOperatorsAtOnce: transitions, calls, views and scheduled closings at one time, for the
// race detector. Each audit's From is the To of the one before: no call changes these states.
func TestManyOperatorsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, someone, WithListener(func(string, pipeline.Event) {}))
		var all sync.WaitGroup
		for i := range 8 {
			all.Go(func() {
				for k := range 40 {
					switch (i + k) % 4 {
					case 0:
						d.ask(`{"name": "prices", "action": "force_open"}`)
					case 1:
						d.ask(`{"name": "stock", "action": "disable"}`)
					case 2:
						d.ask(`{"name": "prices", "action": "close", "spread": "1ms"}`)
					case 3:
						p, _ := d.r.Pipeline("users")
						_, _ = pipeline.Do(context.Background(), p, func(context.Context) (int, error) { return 0, errBoom })
						get(View(d.r), http.MethodGet, "/", "")
					}
				}
			})
		}
		all.Wait()
		d.Stop()
		synctest.Wait()
		last := "closed"
		for i, a := range d.audits {
			if a.From == "" {
				continue
			}
			if a.From != last {
				t.Fatalf("audit %d: from %s, the one before went to %s", i, a.From, last)
			}
			last = a.To
		}
		if len(d.audits) < 240 || last != d.state("prices") {
			t.Errorf("%d audits, last %s, now %s", len(d.audits), last, d.state("prices"))
		}
	})
}
