package registry

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// Snapshot is what a registry shows, sorted by name.
type Snapshot struct {
	At        time.Time          `json:"at"`
	Instances []InstanceSnapshot `json:"instances"`
	// Panics of listeners and auditors at scheduled closings, which have no caller to be told.
	Panics int64 `json:"panics,omitempty"`
}

// InstanceSnapshot is what one name shows. A name that shares a pipeline shows with
// whom, and nothing twice. What counts nothing, as a timeout, is among the policies only.
type InstanceSnapshot struct {
	Name       string   `json:"name"`
	SharedWith string   `json:"sharedWith,omitempty"`
	SharedBy   []string `json:"sharedBy,omitempty"`
	// Policies by their keys, outermost first.
	Policies       []string               `json:"policies,omitempty"`
	CircuitBreaker *BreakerSnapshot       `json:"circuitBreaker,omitempty"`
	Throttle       *ThrottleSnapshot      `json:"throttle,omitempty"`
	RateLimiter    *RateLimiterSnapshot   `json:"rateLimiter,omitempty"`
	AdaptiveLimit  *AdaptiveLimitSnapshot `json:"adaptiveLimit,omitempty"`
	Hedge          *HedgeSnapshot         `json:"hedge,omitempty"`
	Bulkhead       *BulkheadSnapshot      `json:"bulkhead,omitempty"`
	// QueuedBulkhead and ThreadPoolBulkhead show what a bulkhead does.
	QueuedBulkhead     *BulkheadSnapshot `json:"queuedBulkhead,omitempty"`
	ThreadPoolBulkhead *BulkheadSnapshot `json:"threadPoolBulkhead,omitempty"`
	RetryBudget        *BudgetSnapshot   `json:"retryBudget,omitempty"`
}

// BreakerSnapshot is what a circuit breaker shows, under resilience4j's names.
type BreakerSnapshot struct {
	State string `json:"state"`
	// FailureRate and SlowCallRate are in percent; -1: too few calls.
	FailureRate   float64 `json:"failureRate"`
	SlowCallRate  float64 `json:"slowCallRate"`
	BufferedCalls int64   `json:"bufferedCalls"`
	FailedCalls   int64   `json:"failedCalls"`
	SlowCalls     int64   `json:"slowCalls"`
	// NotPermittedCalls since the state began.
	NotPermittedCalls int64 `json:"notPermittedCalls"`
	// LateCalls ended when the breaker had changed since they began, in all.
	LateCalls     int64  `json:"lateCalls"`
	CallsInFlight int64  `json:"callsInFlight"`
	Openings      uint32 `json:"openings"`
	// Window is what the calls are counted in.
	Window Window `json:"window"`
	// ClosesAt is when a closing that was spread will begin.
	ClosesAt *time.Time `json:"closesAt,omitempty"`
}

// Window is a breaker's window: so many calls (COUNT_BASED) or seconds (TIME_BASED).
type Window struct {
	Type                 string `json:"type"`
	Size                 int    `json:"size"`
	MinimumNumberOfCalls int    `json:"minimumNumberOfCalls"`
	// ConsecutiveFailures above 0 decide instead of the rates.
	ConsecutiveFailures int `json:"consecutiveFailures,omitempty"`
}

// BulkheadSnapshot is what a bulkhead shows; the calls are counted in all.
type BulkheadSnapshot struct {
	Slots         int   `json:"slots"`
	InUse         int   `json:"inUse"`
	Waiting       int   `json:"waiting"`
	GrantedCalls  int64 `json:"grantedCalls"`
	QueuedCalls   int64 `json:"queuedCalls"`
	RejectedCalls int64 `json:"rejectedCalls"`
	GaveUpCalls   int64 `json:"gaveUpCalls"`
	// DroppedCalls were taken out of the queue: for a call of a higher level, or because
	// their time had run out when their turn came.
	DroppedCalls int64 `json:"droppedCalls,omitempty"`
}

// HedgeSnapshot is what a hedge shows.
type HedgeSnapshot struct {
	// Delay that a hedge is started after now.
	Delay         patterns.Duration `json:"delay"`
	BufferedCalls int               `json:"bufferedCalls"`
	StartedHedges int64             `json:"startedHedges"`
	// WonHedges answered first.
	WonHedges int64           `json:"wonHedges"`
	Budget    *BudgetSnapshot `json:"budget,omitempty"`
}

// BudgetSnapshot is what a retry's budget shows.
type BudgetSnapshot struct {
	Balance float64 `json:"balance"`
}

func breakerOf(s breaker.Snapshot, c breaker.Config) *BreakerSnapshot {
	return &BreakerSnapshot{
		State: s.State.String(), FailureRate: s.FailureRate, SlowCallRate: s.SlowRate,
		BufferedCalls: s.Buffered, FailedCalls: s.Failed, SlowCalls: s.Slow,
		NotPermittedCalls: s.NotPermitted, LateCalls: s.Late, CallsInFlight: s.InFlight, Openings: s.Openings,
		Window: Window{
			Type: string(c.SlidingWindowType), Size: c.SlidingWindowSize,
			MinimumNumberOfCalls: c.MinimumNumberOfCalls, ConsecutiveFailures: c.ConsecutiveFailures,
		},
	}
}

func bulkheadOf(s bulkhead.Snapshot) *BulkheadSnapshot {
	return &BulkheadSnapshot{
		Slots: s.Slots, InUse: s.InUse, Waiting: s.Waiting,
		GrantedCalls: s.Granted, QueuedCalls: s.Queued, RejectedCalls: s.Rejected, GaveUpCalls: s.GaveUp,
		DroppedCalls: s.Displaced + s.Late + s.Impatient,
	}
}

func hedgeOf(s pipeline.HedgeSnapshot) *HedgeSnapshot {
	h := &HedgeSnapshot{
		Delay: patterns.Duration(s.Delay), BufferedCalls: s.Remembered, StartedHedges: s.Started, WonHedges: s.Won,
	}
	if s.Budgeted {
		h.Budget = &BudgetSnapshot{s.Balance}
	}
	return h
}

// WriteText writes the snapshot as a page for people: a line for each part.
func (s Snapshot) WriteText(w io.Writer) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(table, "%s\n", s.At.UTC().Format(time.RFC3339))
	if s.Panics > 0 {
		fmt.Fprintf(table, "%d panics of callbacks at scheduled closings\n", s.Panics)
	}
	for _, in := range s.Instances {
		in.write(table)
	}
	return table.Flush()
}

func (in InstanceSnapshot) write(w io.Writer) {
	switch {
	case in.SharedWith != "":
		fmt.Fprintf(w, "\n%s is shared with %s\n", in.Name, in.SharedWith)
		return
	case in.SharedBy != nil:
		fmt.Fprintf(w, "\n%s, shared by %s\n", in.Name, strings.Join(in.SharedBy, ", "))
	default:
		fmt.Fprintf(w, "\n%s\n", in.Name)
	}
	policies := "none"
	if in.Policies != nil {
		policies = strings.Join(in.Policies, " > ")
	}
	fmt.Fprintf(w, "  policies\t%s\n", policies)
	if b := in.CircuitBreaker; b != nil {
		fmt.Fprintf(w, "  circuitBreaker\t%s\tfailed %s\tslow %s\tof %d\tnot permitted %d\tin flight %d\topenings %d\twindow %s\n",
			b.State, rate(b.FailureRate), rate(b.SlowCallRate), b.BufferedCalls, b.NotPermittedCalls, b.CallsInFlight, b.Openings, b.Window)
		if b.ClosesAt != nil {
			fmt.Fprintf(w, "  \tcloses at %s\n", b.ClosesAt.UTC().Format(time.RFC3339))
		}
	}
	in.writeLimiters(w)
	if h := in.Hedge; h != nil {
		fmt.Fprintf(w, "  hedge\tafter %s\tstarted %d\twon %d\n", h.Delay, h.StartedHedges, h.WonHedges)
	}
	in.Bulkhead.write(w, "bulkhead")
	in.QueuedBulkhead.write(w, "queuedBulkhead")
	in.ThreadPoolBulkhead.write(w, "threadPoolBulkhead")
	if b := in.RetryBudget; b != nil {
		fmt.Fprintf(w, "  retryBudget\tbalance %.4g\n", b.Balance)
	}
}

func (b *BulkheadSnapshot) write(w io.Writer, key string) {
	if b != nil {
		fmt.Fprintf(w, "  %s\t%d of %d in use\twaiting %d\trejected %d\tgave up %d\n", key, b.InUse, b.Slots, b.Waiting, b.RejectedCalls, b.GaveUpCalls)
	}
}

// String is a few words: what the window holds, and what decides.
func (w Window) String() string {
	if w.ConsecutiveFailures > 0 {
		return fmt.Sprintf("%d failures in a row", w.ConsecutiveFailures)
	}
	unit := "calls"
	if w.Type == string(breaker.TimeBased) {
		unit = "s"
	}
	return fmt.Sprintf("%d %s, at least %d", w.Size, unit, w.MinimumNumberOfCalls)
}

func rate(percent float64) string {
	if percent < 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f%%", percent)
}

// keysOf returns the keys of policies in their order.
func keysOf(policies []pipeline.Policy) (keys []string) {
	for _, p := range policies {
		keys = append(keys, p.Name)
	}
	return keys
}
