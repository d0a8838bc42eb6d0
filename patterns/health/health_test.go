package health

import (
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

func compile(t testing.TB, c Config) *Settings {
	t.Helper()
	s, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func at(d time.Duration) patterns.Instant { return patterns.Instant(d) }

func started(t testing.TB, c Config, pools int) *Readiness {
	t.Helper()
	r := NewReadiness(compile(t, c), pools)
	r.Start(0, nil)
	return r
}

var (
	full  = Load{InUse: 10, Slots: 10}
	most  = Load{InUse: 9, Slots: 10}
	some  = Load{InUse: 8, Slots: 10}
	queue = Load{InUse: 8, Slots: 10, Waiting: 5, Places: 5}
)

// TestSaturationHasToLast: a pool that is full for less than saturatedAfter, however often,
// changes nothing; one that is full to the instant does, and is told with its cause.
func TestSaturationHasToLast(t *testing.T) {
	c := Defaults()
	c.MinimumReadyDuration = patterns.Duration(time.Second)
	r := started(t, c, 2)
	var log []Event
	for i := range 10 {
		now := at(time.Duration(10+20*i) * time.Second)
		r.Pool(now, 1, full, &log)
		r.Pool(now.Add(10*time.Second-1), 1, most, &log)
	}
	if len(log) != 0 {
		t.Fatalf("bursts: %v", log)
	}
	now := at(300 * time.Second)
	r.Pool(now, 1, full, &log)
	if !r.Ready(now.Add(10*time.Second-1), &log) || r.Ready(now.Add(10*time.Second), &log) {
		t.Error("it is not unready at saturatedAfter to the instant")
	}
	want := Event{At: now.Add(10 * time.Second), From: Ready, To: Unready, Why: Saturated, Pool: 1}
	if len(log) != 1 || log[0] != want {
		t.Errorf("%v, want %v", log, want)
	}
}

// TestCalmIsLessThanNoSymptom: one slot free of ten is no saturation, and no
// recovery either; two free for recoveryDuration are.
func TestCalmIsLessThanNoSymptom(t *testing.T) {
	c := Defaults()
	c.MaxUnreadyDuration = 0
	r := started(t, c, 1)
	r.Pool(at(time.Minute), 0, full, nil)
	r.Pool(at(90*time.Second), 0, most, nil)
	if r.Ready(at(time.Hour), nil) {
		t.Error("ready at 90 percent")
	}
	r.Pool(at(time.Hour), 0, some, nil)
	r.Pool(at(time.Hour).Add(5*time.Second), 0, most, nil)
	r.Pool(at(time.Hour).Add(6*time.Second), 0, some, nil)
	if r.Ready(at(time.Hour).Add(16*time.Second-1), nil) || !r.Ready(at(time.Hour).Add(16*time.Second), nil) {
		t.Error("it is not ready after ten calm seconds in a row")
	}
	if s := r.Snapshot(); s.Why != Calm || s.Since != at(time.Hour).Add(16*time.Second) || s.Changes != 3 {
		t.Errorf("%+v", s)
	}
}

// TestFullQueueAndPoolOfTheSameInstant: the queue's shorter patience speaks first; if
// both are over, because the instance had to stay ready, the pool does.
func TestFullQueueAndPoolOfTheSameInstant(t *testing.T) {
	both := Load{InUse: 10, Slots: 10, Waiting: 5, Places: 5}
	for _, row := range []struct {
		begins time.Duration
		load   Load
		at     time.Duration
		why    Why
	}{
		{time.Minute, queue, 65 * time.Second, QueueFull},
		{time.Minute, both, 65 * time.Second, QueueFull},
		{time.Second, both, 30 * time.Second, Saturated},
	} {
		r := started(t, Defaults(), 1)
		var log []Event
		r.Pool(at(row.begins), 0, row.load, &log)
		r.Ready(at(80*time.Second), &log)
		if len(log) != 1 || log[0].At != at(row.at) || log[0].Why != row.why {
			t.Errorf("%+v: %v", row, log)
		}
	}
}

// TestSheddingIsJudgedByWindow: half of 20 requests refused is the threshold, one of
// 20 fewer is not, 19 requests say nothing; calm is a window with at most a tenth.
func TestSheddingIsJudgedByWindow(t *testing.T) {
	window := func(r *Readiness, n, calls, refused int) bool {
		now := at(time.Duration(n) * 10 * time.Second)
		for i := range calls {
			r.Call(now.Add(time.Second), i < refused, nil)
		}
		return r.Ready(now.Add(10*time.Second), nil)
	}
	r := started(t, Defaults(), 0)
	for i, refused := range []int{9, 19, 9} {
		if !window(r, 10+i, []int{20, 19, 20}[i], refused) {
			t.Errorf("window %d: not ready", i)
		}
	}
	if window(r, 20, 20, 10) {
		t.Error("half refused: ready")
	}
	if s := r.Snapshot(); s.Why != Shedding || s.Calls != 20 || s.Refused != 10 {
		t.Errorf("%+v", s)
	}
	if window(r, 21, 20, 3) || window(r, 22, 20, 2) { // calm from the end of this one
		t.Error("ready before it was calm for ten seconds")
	}
	if !window(r, 23, 0, 0) {
		t.Error("not ready after a calm window and ten seconds")
	}
}

// TestNoFlapping drives a pool that follows readiness as a balancer makes it: full as soon as
// it is ready, empty as soon as it is not. Changes are no oftener than the
// settings' stays allow: (30 s + 10 s) for two, here 40 s of saturation and calm.
func TestNoFlapping(t *testing.T) {
	r := started(t, Defaults(), 1)
	for now := patterns.Instant(0); now < at(time.Hour); now = now.Add(100 * time.Millisecond) {
		l := Load{Slots: 10}
		if r.Ready(now, nil) {
			l = full
		}
		r.Pool(now, 0, l, nil)
	}
	if n := r.Snapshot().Changes; n < 170 || n > 180 {
		t.Errorf("%d changes in an hour, want two in each 40 s", n)
	}
}

// TestOverloadedFleetComesBack: a pool that stays full makes its instance unready for
// maxUnreadyDuration, and then ready for as long as that may last.
func TestOverloadedFleetComesBack(t *testing.T) {
	r := started(t, Defaults(), 1)
	var log []Event
	r.Pool(0, 0, full, &log)
	r.Ready(at(10*time.Minute), &log)
	for i, e := range log {
		turn := time.Duration(i/2) * 90 * time.Second
		want := Event{At: at(30*time.Second + turn), From: Ready, To: Unready, Why: Saturated, Pool: 0}
		if i%2 == 1 {
			want = Event{At: at(90*time.Second + turn), From: Unready, To: Ready, Why: Limit, Pool: -1}
		}
		if e != want {
			t.Errorf("event %d: %+v, want %+v", i, e, want)
		}
	}
	if len(log) != 13 {
		t.Errorf("%d events in ten minutes, want 13", len(log))
	}
}

// TestLifeOfAnInstance: not ready until it has started, once; draining for good.
func TestLifeOfAnInstance(t *testing.T) {
	r := NewReadiness(compile(t, Defaults()), 1)
	var log []Event
	if r.Ready(at(time.Hour), &log) || r.Snapshot().State != Starting {
		t.Error("ready before it has started")
	}
	if _, ok := r.Next(); ok {
		t.Error("a starting instance wants a tick")
	}
	r.Start(at(time.Hour), &log)
	r.Start(at(2*time.Hour), &log)
	if !r.Ready(at(2*time.Hour), &log) {
		t.Error("not ready")
	}
	r.Drain(at(3*time.Hour), &log)
	r.Drain(at(3*time.Hour), &log)
	r.Start(at(4*time.Hour), &log)
	r.Pool(at(4*time.Hour), 0, full, &log)
	if r.Ready(at(5*time.Hour), &log) || len(log) != 2 || log[1].Why != Stopping {
		t.Errorf("ready after draining, or %v", log)
	}
	if r.Pool(at(5*time.Hour), 1, full, nil) || r.Pool(at(5*time.Hour), -1, full, nil) {
		t.Error("pools that there are not are heard")
	}
}

// TestSymptomsThatAreOffAreNotLookedFor: with every symptom off nothing is the matter.
func TestSymptomsThatAreOffAreNotLookedFor(t *testing.T) {
	c := Defaults()
	c.SaturatedAfter, c.QueueFullAfter, c.ShedThreshold, c.RecoveryShed = 0, 0, 0, 0
	r := started(t, c, 1)
	r.Pool(0, 0, Load{InUse: 10, Slots: 10, Waiting: 5, Places: 5}, nil)
	for range 100 {
		r.Call(at(time.Second), true, nil)
	}
	if !r.Ready(at(time.Hour), nil) || r.Snapshot().Calm != 0 {
		t.Errorf("%+v", r.Snapshot())
	}
	if _, ok := r.Next(); ok {
		t.Error("it wants a tick")
	}
}

// TestReadinessDoesNotAllocate: through changes of state no memory is asked for.
func TestReadinessDoesNotAllocate(t *testing.T) {
	r := started(t, Defaults(), 2)
	now, k := patterns.Instant(0), 0
	if n := testing.AllocsPerRun(5000, func() {
		k++
		now = now.Add(time.Second)
		r.Pool(now, k%2, Load{InUse: k / 40 % 11, Slots: 10}, nil)
		r.Call(now, k%3 == 0, nil)
		r.Ready(now, nil)
		r.Next()
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	if r.Snapshot().Changes < 5 {
		t.Errorf("%+v: the run did not go as meant", r.Snapshot())
	}
}

// TestEveryFaultIsTold spoils sound settings one key at a time and expects that key,
// and only it, to be named.
func TestEveryFaultIsTold(t *testing.T) {
	if fs := append(Defaults().Validate(), LivenessDefaults().Validate()...); fs != nil {
		t.Fatal(fs.Err())
	}
	for _, row := range []struct {
		key   string
		spoil func(*Config)
	}{
		{"saturatedAfter", func(c *Config) { c.SaturatedAfter = -1 }},
		{"queueFullAfter", func(c *Config) { c.QueueFullAfter = patterns.Duration(2 * time.Hour) }},
		{"shedThreshold", func(c *Config) { c.ShedThreshold = patterns.PercentOf(100) + 1 }},
		{"shedWindow", func(c *Config) { c.ShedWindow = 1 }},
		{"minimumNumberOfCalls", func(c *Config) { c.MinimumNumberOfCalls = 0 }},
		{"recoveryUtilization", func(c *Config) { c.RecoveryUtilization = -1 }},
		{"recoveryShed", func(c *Config) { c.RecoveryShed = c.ShedThreshold + 1 }},
		{"recoveryDuration", func(c *Config) { c.RecoveryDuration = 0 }},
		{"minimumReadyDuration", func(c *Config) { c.MinimumReadyDuration = 0 }},
		{"maxUnreadyDuration", func(c *Config) { c.MaxUnreadyDuration = 1 }},
	} {
		c := Defaults()
		row.spoil(&c)
		if fs := c.Validate(); len(fs) != 1 || fs[0].Key != row.key {
			t.Errorf("faults %v, want one of %s", fs, row.key)
		}
		if _, err := Compile(c); err == nil {
			t.Errorf("compiles with a fault of %s", row.key)
		}
	}
	for key, c := range map[string]LivenessConfig{
		"heartbeatTimeout": {MissedChecks: 1}, "missedChecks": {HeartbeatTimeout: patterns.Duration(time.Second)},
	} {
		if fs := c.Validate(); len(fs) != 1 || fs[0].Key != key {
			t.Errorf("faults %v, want one of %s", fs, key)
		}
		if _, err := CompileLiveness(c); err == nil {
			t.Errorf("compiles with a fault of %s", key)
		}
	}
}

// TestWordsAreKnown: each word has a name and one that does not exist has none.
func TestWordsAreKnown(t *testing.T) {
	for s := Starting; s <= Draining; s++ {
		if s.String() == "unknown" {
			t.Errorf("state %d has no word", s)
		}
	}
	for w := Started; w <= Stopping; w++ {
		if w.String() == "unknown" {
			t.Errorf("cause %d has no word", w)
		}
	}
	if State(99).String() != "unknown" || Why(99).String() != "unknown" {
		t.Error("words that do not exist are known")
	}
}

func live(t testing.TB, loops int) *Liveness {
	t.Helper()
	s, err := CompileLiveness(LivenessDefaults())
	if err != nil {
		t.Fatal(err)
	}
	return NewLiveness(s, loops)
}

// TestStuckLoopIsFound: one loop of three beats no more; the third check that finds its
// beat 30 s old says so, a fourth as well, and a late beat takes it back.
func TestStuckLoopIsFound(t *testing.T) {
	l := live(t, 3)
	for i := range 3 {
		l.Beat(0, i)
	}
	for _, row := range []struct {
		now   time.Duration
		alive bool
	}{{30*time.Second - 1, true}, {30 * time.Second, true}, {35 * time.Second, true}, {40 * time.Second, false}, {45 * time.Second, false}} {
		l.Beat(at(row.now), 0)
		l.Rest(at(row.now), 2)
		if got := l.Check(at(row.now)); got != row.alive {
			t.Errorf("at %s alive: %v", row.now, got)
		}
	}
	if i, stuck := l.Stuck(); i != 1 || !stuck {
		t.Errorf("loop %d is stuck: %v, want 1", i, stuck)
	}
	if age, ok := l.Age(at(50*time.Second), 1); age != 50*time.Second || !ok {
		t.Errorf("age %s, %v", age, ok)
	}
	l.Beat(at(50*time.Second), 1)
	if !l.Check(at(50 * time.Second)) {
		t.Error("a beat does not take it back")
	}
}

// TestFrozenProcessIsNotKilled: after a pause of an hour the first checks find all
// beats old; the loops then come round, and nothing happens. Time is only lost.
func TestFrozenProcessIsNotKilled(t *testing.T) {
	l := live(t, 2)
	for now := patterns.Instant(0); now < at(24*time.Hour); now = now.Add(10 * time.Second) {
		if now%at(2*time.Hour) == at(time.Hour) {
			now = now.Add(time.Hour)
			if !l.Check(now) { // before any loop has run
				t.Fatalf("killed at %s", now.Sub(0))
			}
		}
		l.Beat(now, 0)
		l.Beat(now, 1)
		if !l.Check(now.Add(time.Second)) {
			t.Fatalf("killed at %s", now.Sub(0))
		}
	}
}

// TestRestIsNotDeath: a loop that waits for work, or never had any, is not stuck.
func TestRestIsNotDeath(t *testing.T) {
	l := live(t, 2)
	l.Beat(0, 0)
	l.Rest(at(time.Second), 0)
	for range 10 {
		if !l.Check(at(1000 * time.Hour)) {
			t.Fatal("killed at rest")
		}
	}
	if _, ok := l.Age(at(time.Hour), 0); ok {
		t.Error("a loop at rest has an age")
	}
	if l.Beat(0, 2) || l.Rest(0, -1) {
		t.Error("loops that there are not are heard")
	}
	if _, ok := l.Age(0, 2); ok {
		t.Error("a loop that there is not has an age")
	}
}
