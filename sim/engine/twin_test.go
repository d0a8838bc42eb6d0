package engine

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// actor reads commands from a script, at the start of each run and inside each
// event, and notes all that it sees.
type actor struct {
	on     scheduler
	script []byte
	id     HandlerID
	arg    uint64
	timers int
	seen   []uint64
}

func (a *actor) next() int {
	if len(a.script) == 0 {
		return 0
	}
	b := a.script[0]
	a.script = a.script[1:]
	return int(b)
}

func (a *actor) note(xs ...uint64) { a.seen = append(a.seen, xs...) }

func (a *actor) Handle(now time.Duration, arg uint64) {
	a.note(uint64(now), arg)
	for n := a.next() % 4; n > 0; n-- {
		a.act()
	}
}

// delay draws from what schedules are made of: now, ties, near, far, very far.
func (a *actor) delay() time.Duration {
	size := a.next()
	switch size % 6 {
	case 0:
		return 0
	case 1:
		return time.Duration(size / 6)
	case 2:
		return time.Second - a.on.Now()%time.Second
	case 3:
		return time.Duration(a.next()<<8|a.next()) * time.Microsecond
	case 4:
		return time.Duration(a.next()) << (a.next() % 44)
	}
	return time.Duration(a.next()) * time.Millisecond
}

func (a *actor) act() {
	switch verb := a.next(); verb % 8 {
	case 0, 1, 2:
		a.arg++
		a.on.At(a.on.Now()+a.delay(), a.id, a.arg)
	case 3, 4:
		a.arg++
		a.timers = a.on.set(a.on.Now()+a.delay(), a.id, a.arg) + 1
	case 5:
		a.cancel(1)
	case 6:
		a.cancel(verb / 8)
	case 7:
		a.herd(verb)
	}
}

// cancel takes any timer that was ever set, so most handles are stale.
func (a *actor) cancel(times int) {
	for ; times > 0 && a.timers > 0; times-- {
		hit := a.on.cancel((a.next()<<8 | a.next()) % a.timers)
		if hit {
			a.note(uint64(a.on.Pending()))
		}
	}
}

// herd schedules many events in a narrow span: after a sparse stretch they land
// in the middle of a wide run. Now and then the run is stopped instead.
func (a *actor) herd(verb int) {
	if verb > 200 {
		a.on.Stop()
		return
	}
	start, step := a.delay(), time.Duration(a.next())
	for i := range a.next() {
		a.arg++
		a.on.At(a.on.Now()+start+time.Duration(i*37%101)*step, a.id, a.arg)
	}
}

// play runs the script to its end, horizon by horizon, then runs the agenda dry.
func (a *actor) play() {
	const eventsMax = 3000
	for len(a.script) > 0 && len(a.seen) < 2*eventsMax {
		a.act()
		a.act()
		a.on.Run(a.on.Now() + a.delay())
		a.note(uint64(a.on.Now()), uint64(a.on.Pending()))
	}
	a.script = nil
	for a.on.Pending() > 0 {
		a.on.Run(a.on.Now() + 1<<55)
	}
	a.note(uint64(a.on.Pending()))
}

// playOnBoth fails the test where engine and twin part.
func playOnBoth(t *testing.T, script []byte) int {
	t.Helper()
	c := &clever{Engine: New()}
	smart := &actor{on: c, script: script}
	smart.id = c.Register(smart)
	d := &dumb{}
	plain := &actor{on: d, script: script, id: smart.id}
	d.handler = plain
	smart.play()
	plain.play()
	for i := range min(len(smart.seen), len(plain.seen)) {
		if smart.seen[i] != plain.seen[i] {
			t.Fatalf("engine and sorted slice part at note %d: %d, want %d", i, smart.seen[i], plain.seen[i])
		}
	}
	if len(smart.seen) != len(plain.seen) {
		t.Fatalf("engine noted %d numbers, sorted slice %d", len(smart.seen), len(plain.seen))
	}
	checkEmpty(t, c.Engine)
	return int(c.Executed())
}

// checkEmpty proves that an agenda that ran dry holds nothing back: all blocks
// are in the pool, and no slot is lost or given out twice.
func checkEmpty(t *testing.T, e *Engine) {
	t.Helper()
	a := &e.agenda
	a.sweep()
	if n := a.blocks.inUse(); n != 0 {
		t.Fatalf("%d blocks are in use by an empty agenda", n)
	}
	if a.levels != 0 || a.occupied != [levelCount]uint64{} {
		t.Fatal("an empty agenda shows an occupied bucket")
	}
	slots := slices.Clone(a.timers.free)
	slices.Sort(slots)
	if n := len(slices.Compact(slots)); n != len(a.timers.armed) || n != len(a.timers.free) {
		t.Fatalf("%d free slots, %d of them different, of %d", len(a.timers.free), n, len(a.timers.armed))
	}
}

// TestAgendaIsASortedSlice proves the order (instant, order of scheduling) with
// ties, zero and far delays, cancels, stale handles, horizons and herds: random
// scripts must leave the same notes on the engine and on a sorted slice.
func TestAgendaIsASortedSlice(t *testing.T) {
	executed := 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		script := make([]byte, 8*(1+r.IntN(250)))
		for i := 0; i < len(script); i += 8 {
			binary.LittleEndian.PutUint64(script[i:], r.Uint64())
		}
		executed += playOnBoth(t, script)
	}
	if executed < 100_000 {
		t.Errorf("the scripts executed %d events only; they prove little", executed)
	}
}

func FuzzAgendaAgainstSortedSlice(f *testing.F) {
	f.Add([]byte("a herd lands in a sparse stretch"))
	f.Add([]byte{3, 0, 5, 0, 0, 3, 3, 5, 200, 6, 6, 6, 1, 2, 3})
	f.Add([]byte{15, 4, 200, 30, 250, 255, 0, 4, 9, 7, 15, 0, 7, 90, 2})
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) > 512 {
			script = script[:512]
		}
		playOnBoth(t, script)
	})
}
