package engine

import (
	"container/heap"
	"time"
)

// textbook is the engine everyone writes first: container/heap over pointers to
// events. It is the yardstick of the benchmarks.
type textbook struct {
	now      time.Duration
	seq      uint64
	queue    textbookQueue
	handlers []Handler
	stopped  bool
}

type textbookEvent struct {
	at      time.Duration
	seq     uint64
	arg     uint64
	handler HandlerID
	index   int
}

type textbookQueue []*textbookEvent

func (q textbookQueue) Len() int { return len(q) }
func (q textbookQueue) Less(i, j int) bool {
	return q[i].at < q[j].at || q[i].at == q[j].at && q[i].seq < q[j].seq
}
func (q textbookQueue) Swap(i, j int) {
	q[i], q[j] = q[j], q[i]
	q[i].index, q[j].index = i, j
}
func (q *textbookQueue) Push(x any) {
	e := x.(*textbookEvent)
	e.index = len(*q)
	*q = append(*q, e)
}
func (q *textbookQueue) Pop() any {
	old := *q
	e := old[len(old)-1]
	old[len(old)-1] = nil
	*q = old[:len(old)-1]
	return e
}

func (b *textbook) Register(h Handler) HandlerID {
	b.handlers = append(b.handlers, h)
	return HandlerID(len(b.handlers) - 1)
}

func (b *textbook) Stop() { b.stopped = true }

func (b *textbook) At(t time.Duration, h HandlerID, arg uint64) {
	b.seq++
	heap.Push(&b.queue, &textbookEvent{at: t, seq: b.seq, arg: arg, handler: h})
}

func (b *textbook) Run(until time.Duration) {
	b.stopped = false
	for !b.stopped && len(b.queue) > 0 && b.queue[0].at <= until {
		e := heap.Pop(&b.queue).(*textbookEvent)
		b.now = e.at
		b.handlers[e.handler].Handle(e.at, e.arg)
	}
	if !b.stopped {
		b.now = until
	}
}
