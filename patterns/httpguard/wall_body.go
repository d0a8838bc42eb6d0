package httpguard

import (
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
)

// body hands a request's body to one attempt after the other: by GetBody if the
// request has it, else by keeping what was read, up to a limit. Nothing is read before
// an attempt reads it, so that a body that is still being written streams.
type body struct {
	src   io.ReadCloser // nil: there is none
	get   func() (io.ReadCloser, error)
	limit int

	turn chan struct{} // full while somebody reads; guards kept and done
	kept []byte
	done error // what src ended with

	current atomic.Pointer[reader]
	lost    atomic.Bool // more was read than may be kept

	mu     sync.Mutex // guards over, begun and the readers' closed
	over   bool       // no attempt comes after the current one
	begun  bool
	closed bool // src is
}

func newBody(req *http.Request, limit int) *body {
	b := &body{src: req.Body, get: req.GetBody, limit: limit, turn: make(chan struct{}, 1)}
	if req.Body == http.NoBody {
		b.src = nil
	}
	return b
}

// again reports whether there can be another attempt.
func (b *body) again() bool {
	return b.src == nil || b.get != nil || b.limit > 0 && !b.lost.Load()
}

var errLost = errors.New("its body cannot be read again")

// next returns the body for one more attempt; nil if there is none.
func (b *body) next() (io.ReadCloser, error) {
	if b.src == nil {
		return nil, nil
	}
	b.mu.Lock()
	first := !b.begun
	b.begun = true
	b.mu.Unlock()
	switch {
	case b.get != nil && first:
		return b.src, nil
	case b.get != nil:
		return b.get()
	case !first && !b.again():
		return nil, errLost
	}
	r := &reader{b: b}
	b.current.Store(r)
	return r, nil
}

// finish says that no attempt comes any more. The body is closed when the one
// under way closes it, or now.
func (b *body) finish() {
	if b.src == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	r := b.current.Load()
	if !b.begun || r != nil && r.closed {
		b.shut()
	}
}

// shut closes the source once.
func (b *body) shut() error {
	if b.closed {
		return nil
	}
	b.closed = true
	return b.src.Close()
}

// reader reads for one attempt: first what is kept, then on from the source.
type reader struct {
	b      *body
	off    int
	closed bool
}

func (r *reader) Read(p []byte) (int, error) {
	b := r.b
	b.turn <- struct{}{} // may take as long as the source does
	defer func() { <-b.turn }()
	switch {
	case b.current.Load() != r:
		return 0, errLost // an attempt that was given up
	case r.off < len(b.kept):
		n := copy(p, b.kept[r.off:])
		r.off += n
		return n, nil
	case b.done != nil:
		return 0, b.done
	}
	n, err := b.src.Read(p)
	b.done = err
	b.keep(r, p[:n])
	return n, err
}

// keep remembers what was read, for the attempts after this one. What a given-up attempt
// was still reading belongs to the current one and is kept beyond the limit.
func (b *body) keep(r *reader, read []byte) {
	given := b.current.Load() != r
	if len(read) == 0 || b.lost.Load() && !given {
		return
	}
	b.kept = append(b.kept, read...)
	if len(b.kept) > b.limit {
		b.lost.Store(true)
	}
	if given {
		return
	}
	if r.off = len(b.kept); b.lost.Load() {
		b.kept, r.off = nil, 0
	}
}

// Close ends this attempt's reading; the source is closed with the last.
func (r *reader) Close() error {
	r.b.mu.Lock()
	defer r.b.mu.Unlock()
	r.closed = true
	if r.b.over && r.b.current.Load() == r {
		return r.b.shut()
	}
	return nil
}
