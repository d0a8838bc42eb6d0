package health

import "github.com/resilsim/resilsim/patterns"

// State is what an instance says of itself.
type State uint8

// The states; see the picture in the package comment. Only Ready is ready.
const (
	// Starting: not ready yet.
	Starting State = iota
	// Ready: send requests.
	Ready
	// Unready: send requests elsewhere for a while.
	Unready
	// Draining: about to stop; never ready again.
	Draining
)

// String returns the state in lower case.
func (s State) String() string { return word(int(s), "starting", "ready", "unready", "draining") }

// Why says what caused an Event.
type Why uint8

// The causes.
const (
	// Started: the driver said so.
	Started Why = iota + 1
	// Saturated: a pool had no free slot for too long.
	Saturated
	// QueueFull: a queue had no free place for too long.
	QueueFull
	// Shedding: too large a share of requests was refused.
	Shedding
	// Calm: nothing was the matter for long enough.
	Calm
	// Limit: it was unready for as long as it may be.
	Limit
	// Stopping: the driver said so.
	Stopping
)

// String returns the cause in snake_case.
func (w Why) String() string {
	return word(int(w), "unset", "started", "saturated", "queue_full", "shedding", "calm", "limit", "stopping")
}

// Event tells a change of state.
type Event struct {
	At       patterns.Instant
	From, To State
	Why      Why
	// Pool of Saturated and QueueFull; -1 otherwise.
	Pool int
}

// Load is how full a pool and the queue in front of it are. Without a pool or a
// queue, Slots or Places is 0.
type Load struct{ InUse, Slots, Waiting, Places int }

// Readiness is the readiness of one instance. It is not safe for concurrent use: a
// driver with goroutines holds a lock around each method. Make it with
// NewReadiness.
type Readiness struct {
	settings *Settings
	pools    []pool
	seen     patterns.Instant // greatest instant heard of (D9)

	state   State
	since   patterns.Instant
	why     Why
	changes int64

	calm      patterns.Instant // since when nothing is the matter; Never: something is
	shed      account          // the running window
	windowEnd patterns.Instant // Never: nothing to find out at its end
	last      account          // the last window that had calls, or followed one that had
	shedding  patterns.Instant // since when; Never: not
	unsettled bool             // the last window was not calm
}

type pool struct {
	load            Load
	full, queueFull patterns.Instant // since when; Never: not
}

type account struct{ calls, refused int64 }

// NewReadiness returns the readiness of an instance that is starting and has n
// pools, numbered from 0, all empty.
func NewReadiness(s *Settings, n int) *Readiness {
	r := &Readiness{
		settings: s, pools: make([]pool, n),
		windowEnd: patterns.Never, shedding: patterns.Never,
	}
	for i := range r.pools {
		r.pools[i] = pool{full: patterns.Never, queueFull: patterns.Never}
	}
	return r
}

// Start tells that the instance can serve. Only the first one counts, and none after Drain.
// Events are appended to log, which may be nil, here and in all other steps.
func (r *Readiness) Start(now patterns.Instant, log *[]Event) {
	if now = r.advance(now, log); r.state == Starting {
		r.enter(now, Ready, Started, -1, log)
	}
}

// Drain tells that the instance will stop: it is not ready from now on.
func (r *Readiness) Drain(now patterns.Instant, log *[]Event) {
	if now = r.advance(now, log); r.state != Draining {
		r.enter(now, Draining, Stopping, -1, log)
	}
}

// Pool tells how full a pool is now. Tell it when that changes: a pool counts
// as it was last told. It reports false for a pool that there is not.
func (r *Readiness) Pool(now patterns.Instant, i int, l Load, log *[]Event) bool {
	now = r.advance(now, log)
	if i < 0 || i >= len(r.pools) {
		return false
	}
	p, c := &r.pools[i], &r.settings.config
	p.load = l
	keep(&p.full, now, c.SaturatedAfter > 0 && l.Slots > 0 && l.InUse >= l.Slots)
	keep(&p.queueFull, now, c.QueueFullAfter > 0 && l.Places > 0 && l.Waiting >= l.Places)
	r.judge(now, log)
	return true
}

// Call tells that a request came, and whether it was refused to relieve the
// instance. O(1).
func (r *Readiness) Call(now patterns.Instant, refused bool, log *[]Event) {
	now = r.advance(now, log)
	if r.settings.config.ShedThreshold == 0 {
		return
	}
	if r.windowEnd == patterns.Never {
		w := patterns.Instant(r.settings.config.ShedWindow)
		r.windowEnd = (now - now%w).Add(w.Sub(0))
	}
	r.shed.calls++
	if refused {
		r.shed.refused++
	}
}

// Ready is what a probe asks: should requests be sent here? It makes the changes
// that are due.
func (r *Readiness) Ready(now patterns.Instant, log *[]Event) bool {
	r.advance(now, log)
	return r.state == Ready
}

// Next returns the instant at which the readiness changes, or closes a window, without being
// told anything. Whoever makes no step then sees the change at the next step,
// with its instant.
func (r *Readiness) Next() (patterns.Instant, bool) {
	t, _, _ := r.due()
	t = min(t, r.windowEnd)
	return t, t != patterns.Never
}

// Snapshot is what a readiness shows.
type Snapshot struct {
	State State
	// Since when, and Why, it is in this state; Why is 0 while starting.
	Since patterns.Instant
	Why   Why
	// Changes of state in all.
	Changes int64
	// Calls and Refused of the last window that was judged.
	Calls, Refused int64
	// Calm since; Never: something is the matter.
	Calm patterns.Instant
}

// Snapshot returns the state after the last step.
func (r *Readiness) Snapshot() Snapshot {
	return Snapshot{
		State: r.state, Since: r.since, Why: r.why, Changes: r.changes,
		Calls: r.last.calls, Refused: r.last.refused, Calm: r.calm,
	}
}

// keep notes since when something is so.
func keep(since *patterns.Instant, now patterns.Instant, is bool) {
	if !is {
		*since = patterns.Never
	} else if *since == patterns.Never {
		*since = now
	}
}

func word(i int, words ...string) string {
	if i < 0 || i >= len(words) {
		return "unknown"
	}
	return words[i]
}
