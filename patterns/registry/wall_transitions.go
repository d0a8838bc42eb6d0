package registry

import (
	"errors"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// Authorise decides whether a request may ask for a transition, and says who asks. It
// is called before anything is looked up or changed. An error denies; it is not
// shown to the caller.
type Authorise func(*http.Request, Transition) (who string, err error)

// Transitions is a handler by which operators change circuit breakers. Make it with
// NewTransitions.
type Transitions struct {
	registry  *Registry
	authorise Authorise
	audit     func(Audit)
	draw      func() float64
}

// closing is a closing that waits for its instant.
type closing struct {
	owner *Transitions
	audit Audit
	at    time.Time
	timer *time.Timer
}

// NewTransitions makes the handler. Without an authoriser or without somebody who hears
// of every request there is none: the error says which is missing.
//
// It answers POST with a Transition as JSON, and each answer's body is what the
// audit says. Audits are told one at a time, in the order in which breakers were changed,
// and with no lock held.
func NewTransitions(r *Registry, authorise Authorise, audit func(Audit)) (*Transitions, error) {
	switch {
	case r == nil:
		return nil, errors.New("registry: no registry to change")
	case authorise == nil:
		return nil, errors.New("registry: no authoriser: transitions are not for everybody")
	case audit == nil:
		return nil, errors.New("registry: no audit: transitions are not for nobody to know")
	}
	return &Transitions{registry: r, authorise: authorise, audit: audit, draw: rand.Float64}, nil
}

// ServeHTTP answers a request for a transition.
func (t *Transitions) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	if q.Method != http.MethodPost {
		w.Header().Set("Allow", "POST")
		problem(w, http.StatusMethodNotAllowed, "Only POST is answered here.")
		return
	}
	asked, err := read(w, q)
	var large *http.MaxBytesError
	switch {
	case errors.Is(err, errMedia):
		problem(w, http.StatusUnsupportedMediaType, err.Error())
		return
	case errors.As(err, &large):
		problem(w, http.StatusRequestEntityTooLarge, err.Error())
		return
	case err != nil:
		problem(w, http.StatusBadRequest, err.Error())
		return
	}
	a := t.carryOut(q, asked)
	switch a.Outcome {
	case Denied:
		problem(w, a.Outcome.status(), "The transition is not allowed.")
	case Refused:
		t.explain(w, a)
	default:
		show(w, q, a.Outcome.status(), a)
	}
}

func (t *Transitions) explain(w http.ResponseWriter, a Audit) {
	if a.Instance == "" {
		problem(w, http.StatusNotFound, "There is no instance of that name.")
		return
	}
	problem(w, a.Outcome.status(), "The instance has no circuit breaker.")
}

// carryOut authorises and does what is asked, and has it audited, also if the
// authoriser or a listener panics or leaves by Goexit: then that goes on after it.
func (t *Transitions) carryOut(q *http.Request, asked Transition) (a Audit) {
	a = Audit{Remote: q.RemoteAddr, Transition: asked, Outcome: Failed}
	told := false
	defer func() {
		if !told {
			t.tell(&a)
		}
		t.registry.audits.deliver()
	}()
	who, err := t.authorise(q, asked)
	if a.Who = who; err != nil {
		a.Outcome = Denied
		return a
	}
	h, ok := t.registry.owner(asked.Name)
	if !ok {
		a.Outcome = Refused
		return a
	}
	a.Instance, a.Affects = h.name, h.users()
	b, ok := h.pipeline.Breaker(breakerKey)
	if !ok {
		a.Outcome = Refused
		return a
	}
	t.turn(func() {
		told = true
		defer func() { t.tell(&a) }()
		t.callOff(h)
		if asked.Spread > 0 && shut(b.Snapshot().State) {
			t.schedule(h, &a)
			return
		}
		do(b, &a)
	})
	return a
}

// turn runs f while no other transition is made. Events and audits are told after.
func (t *Transitions) turn(f func()) {
	r := t.registry
	r.mu.Lock()
	r.events.hold()
	defer r.events.release()
	defer r.mu.Unlock()
	f()
}

// do changes the breaker and writes down how.
func do(b pipeline.Breaker, a *Audit) {
	from := b.Snapshot().State
	a.From = from.String()
	to, ok := a.Action.target(from)
	switch {
	case a.Action == Reset:
		b.Reset()
	case ok:
		b.Force(to)
	}
	now := b.Snapshot().State
	a.To, a.Outcome = now.String(), Done
	if now == from && a.Action != Reset {
		a.Outcome = Unchanged
	}
}

func shut(s breaker.State) bool {
	return s == breaker.Open || s == breaker.ForcedOpen
}

// schedule has the breaker closed after a random part of the spread.
func (t *Transitions) schedule(h *held, a *Audit) {
	wait := time.Duration(t.draw() * float64(a.Spread))
	c := &closing{owner: t, at: time.Now().Add(wait)}
	a.ClosesAt, a.Outcome = &c.at, Scheduled
	c.audit = *a
	t.registry.listing.Lock()
	defer t.registry.listing.Unlock()
	t.registry.pending[h] = c
	c.timer = time.AfterFunc(wait, func() { t.fire(h, c) })
}

// fire does a scheduled closing, unless it was called off. A panic of a callback
// has nobody to go to here: it is counted.
func (t *Transitions) fire(h *held, c *closing) {
	defer func() {
		if recover() != nil {
			t.registry.panics.Add(1)
		}
	}()
	defer t.registry.audits.deliver()
	t.turn(func() {
		if !t.registry.remove(h, c) {
			return
		}
		a := c.audit
		defer func() { t.tell(&a) }()
		if b, ok := h.pipeline.Breaker(breakerKey); ok {
			do(b, &a)
		}
	})
}

// callOff ends an instance's closing that waits, whoever scheduled it.
func (t *Transitions) callOff(h *held) {
	r := t.registry
	r.listing.Lock()
	c := r.pending[h]
	r.listing.Unlock()
	if c == nil || !r.remove(h, c) {
		return
	}
	c.timer.Stop()
	a := c.audit
	a.Outcome = CalledOff
	c.owner.tell(&a)
}

// remove takes a closing off the list; false: it is not there any more.
func (r *Registry) remove(h *held, c *closing) bool {
	r.listing.Lock()
	defer r.listing.Unlock()
	if r.pending[h] != c {
		return false
	}
	delete(r.pending, h)
	return true
}

// Stop calls off every closing that waits, those of other handlers of the registry included.
func (t *Transitions) Stop() {
	defer t.registry.audits.deliver()
	t.turn(func() {
		for _, name := range t.registry.names {
			t.callOff(t.registry.instances[name])
		}
	})
}

// tell has an audit told when its turn comes.
func (t *Transitions) tell(a *Audit) {
	a.At = time.Now()
	told := *a
	t.registry.audits.push(func() { t.audit(told) })
}
