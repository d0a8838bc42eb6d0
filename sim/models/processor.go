package models

import (
	"math/bits"
	"time"
)

// processor works on all pieces of an instance at the same speed. In virtual time,
// which runs at that speed, each piece has a fixed end, whatever comes and goes: a
// heap by that end is all there is to keep, and each step costs O(log n).
//
// Progress is counted in 2^-64 ns, so that what is cut off in a step is less than a
// millionth of a nanosecond even where steps are seconds apart, and an idle processor
// begins at zero again: nothing drifts.
type processor struct {
	known time.Duration // instant up to which progress is known
	done  progress      // of each piece since the processor was idle
	rate  rate          // since then
	heap  []chore
	count uint64
	// The event at which the next piece ends.
	timer  timerAt
	atWork bool // ends are being told: the event is set when they are
}

// progress is a virtual time: ns and parts of 2^-64 ns.
type progress struct{ ns, part uint64 }

func (p progress) plus(q progress) progress {
	part, carry := bits.Add64(p.part, q.part, 0)
	return progress{p.ns + q.ns + carry, part}
}

// minus is zero at the least.
func (p progress) minus(q progress) progress {
	if p.before(q) {
		return progress{}
	}
	part, borrow := bits.Sub64(p.part, q.part, 0)
	return progress{p.ns - q.ns - borrow, part}
}

func (p progress) before(q progress) bool {
	return p.ns < q.ns || (p.ns == q.ns && p.part < q.part)
}

// chore is a piece of work of a task under way.
type chore struct {
	end   progress
	count uint64 // pieces that end together end in the order in which they began
	task  uint32
}

func (a *chore) before(b *chore) bool {
	if a.end != b.end {
		return a.end.before(b.end)
	}
	return a.count < b.count
}

// rate is the speed of each piece, in 2^-64; 0 stands for full speed.
type rate uint64

// over is the progress made in a time at a rate.
func (r rate) over(d time.Duration) progress {
	if r == 0 {
		return progress{ns: uint64(d)}
	}
	hi, lo := bits.Mul64(uint64(d), uint64(r))
	return progress{hi, lo}
}

// times slows a rate down by a factor in (0,1].
func (r rate) times(x float64) rate {
	if r != 0 {
		x *= float64(r) * 0x1p-64
	}
	if x >= 1 {
		return 0
	}
	return rate(max(x*0x1p64, 1))
}

// until is the time that progress takes at a rate, rounded up to whole ns.
func (r rate) until(p progress) time.Duration {
	if r == 0 {
		return time.Duration(min(p.ns, uint64(longest)-1)) + roundUp(p.part)
	}
	if p.ns >= uint64(r) {
		return time.Duration(longest)
	}
	ns, rest := bits.Div64(p.ns, p.part, uint64(r))
	return time.Duration(min(ns, uint64(longest)-1)) + roundUp(rest)
}

func roundUp(rest uint64) time.Duration {
	if rest > 0 {
		return 1
	}
	return 0
}

// advance brings progress up to an instant.
func (p *processor) advance(now time.Duration, r rate) {
	if len(p.heap) == 0 {
		p.done = progress{}
	} else {
		p.done = p.done.plus(r.over(now - p.known))
	}
	p.known = now
}

// due is when the next piece ends if nothing comes or goes.
func (p *processor) due(r rate) time.Duration {
	return p.known + r.until(p.heap[0].end.minus(p.done))
}

// endedChore takes out the first piece if it has ended.
func (g *Graph) endedChore(p *processor) (task uint32, ok bool) {
	if len(p.heap) == 0 || p.done.before(p.heap[0].end) {
		return 0, false
	}
	task = p.heap[0].task
	g.takeChore(p, 0)
	return task, true
}

// putChore adds a piece with so much to do.
func (g *Graph) putChore(p *processor, task uint32, left progress) {
	p.count++
	p.heap = append(p.heap, chore{end: p.done.plus(left), count: p.count, task: task})
	g.up(p, len(p.heap)-1)
}

// takeChore takes out the i-th piece of the heap and returns what was left to do.
func (g *Graph) takeChore(p *processor, i int) (left progress) {
	left = p.heap[i].end.minus(p.done)
	g.seatOf(g.tasks.at(p.heap[i].task)).place = nobody
	last := len(p.heap) - 1
	moved := p.heap[last]
	p.heap = p.heap[:last]
	if i < last {
		p.heap[i] = moved
		g.down(p, i)
		g.up(p, int(g.seatOf(g.tasks.at(moved.task)).place))
	}
	return left
}

func (g *Graph) up(p *processor, i int) {
	x := p.heap[i]
	for i > 0 {
		parent := (i - 1) / 2
		if !x.before(&p.heap[parent]) {
			break
		}
		g.place(p, i, p.heap[parent])
		i = parent
	}
	g.place(p, i, x)
}

func (g *Graph) down(p *processor, i int) {
	x := p.heap[i]
	for {
		child := 2*i + 1
		if child >= len(p.heap) {
			break
		}
		if child+1 < len(p.heap) && p.heap[child+1].before(&p.heap[child]) {
			child++
		}
		if !p.heap[child].before(&x) {
			break
		}
		g.place(p, i, p.heap[child])
		i = child
	}
	g.place(p, i, x)
}

func (g *Graph) place(p *processor, i int, x chore) {
	p.heap[i] = x
	g.seatOf(g.tasks.at(x.task)).place = int32(i)
}
