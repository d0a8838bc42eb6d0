package pipeline

import "sync"

// Tape holds what a pipeline on the wall clock was told and what it answered,
// in order. The zero value is ready for WithTape.
type Tape struct {
	mu      sync.Mutex
	entries []Entry
}

// Entries returns what has been recorded so far.
func (t *Tape) Entries() []Entry {
	t.mu.Lock()
	defer t.mu.Unlock()
	return append([]Entry(nil), t.entries...)
}

// begin and end make steps one at a time while a tape runs, so that its order is
// the order in which the cores were touched.
func (t *Tape) begin() {
	if t != nil {
		t.mu.Lock()
	}
}

func (t *Tape) end() {
	if t != nil {
		t.mu.Unlock()
	}
}

// record feeds the input to the call, and notes it if a tape runs.
func (t *Tape) record(w *wallCall, in Input) Action {
	if t == nil {
		return w.call.Step(&w.env, w.p.fleet, in)
	}
	dice := &taped{dice: w.env.Dice}
	w.env.Dice = dice
	events, grants, given := len(w.env.Events), len(w.env.Grants), len(w.env.GivenUp)
	a := w.call.Step(&w.env, w.p.fleet, in)
	w.env.Dice = dice.dice
	t.entries = append(t.entries, Entry{
		Now: w.env.Now, Input: in, Owner: w.owner, Draws: dice.draws, Action: a, Timer: w.call.Timer(),
		Events:  append([]Event(nil), w.env.Events[events:]...),
		Grants:  append([]Grant(nil), w.env.Grants[grants:]...),
		GivenUp: append([]uint32(nil), w.env.GivenUp[given:]...),
	})
	return a
}

// taped notes the draws that a step asks for.
type taped struct {
	dice  Dice
	draws []Draw
}

func (d *taped) Draw(p Purpose, stage int, n uint64) float64 {
	v := d.dice.Draw(p, stage, n)
	d.draws = append(d.draws, Draw{p, stage, n, v})
	return v
}
