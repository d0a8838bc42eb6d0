package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/breaker"
)

// Action is what an operator asks of a circuit breaker.
type Action string

// The actions.
const (
	// ForceOpen lets no call pass until another action.
	ForceOpen Action = "force_open"
	// Disable lets every call pass and records nothing until another action.
	Disable Action = "disable"
	// Close gives the breaker back to its rule. One that is shut becomes half-open: so
	// many calls as the trials are try the dependency, not all that wait for
	// it. One that lets calls pass (disabled, metrics only) is closed at once.
	Close Action = "close"
	// Reset closes it with an empty window, from whatever state. If it is shut, every caller
	// comes at once: use Close after an outage.
	Reset Action = "reset"
)

// SpreadMax is the longest time over which a closing may be spread.
const SpreadMax = time.Hour

// Transition is what an operator asks for, as the body of the request has it.
type Transition struct {
	// Name is that of the instance. If others share its pipeline, it is done to
	// all of them.
	Name   string `json:"name"`
	Action Action `json:"action"`
	// Spread, with Close: half-open begins after a random part of this time, so that a fleet
	// that is told at the same time does not come back at the same time. 0 to 1h. Another
	// transition of the instance calls it off.
	Spread patterns.Duration `json:"spread,omitempty"`
	// Reason is the operator's own words, for the audit.
	Reason string `json:"reason,omitempty"`
}

// Outcome says what became of a transition.
type Outcome string

// The outcomes.
const (
	// Denied by the authoriser.
	Denied Outcome = "denied"
	// Refused: an unlisted name, or an instance without a circuit breaker.
	Refused Outcome = "refused"
	// Unchanged: the breaker was in that state.
	Unchanged Outcome = "unchanged"
	// Done: the breaker has changed.
	Done Outcome = "done"
	// Scheduled: it will be closed at its instant.
	Scheduled Outcome = "scheduled"
	// CalledOff: a scheduled closing gave way to another transition, or to Stop.
	CalledOff Outcome = "called_off"
	// Failed: the authoriser panicked, and nothing was done.
	Failed Outcome = "failed"
)

// Audit is the record of a transition that was asked for, whatever became of it. A
// closing that is spread has two: one when it is scheduled, one at its end.
type Audit struct {
	At time.Time `json:"at"`
	// Who is what the authoriser said; Remote is the network address of the request.
	Who    string `json:"who"`
	Remote string `json:"remote"`
	Transition
	// Instance has the breaker; Affects lists the names that use it, sorted but for the first.
	Instance string   `json:"instance,omitempty"`
	Affects  []string `json:"affects,omitempty"`
	// From and To are the breaker's states before and after.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// ClosesAt is the instant of a scheduled closing.
	ClosesAt *time.Time `json:"closesAt,omitempty"`
	Outcome  Outcome    `json:"outcome"`
}

// status is the HTTP status that goes with an outcome.
func (o Outcome) status() int {
	switch o {
	case Scheduled:
		return http.StatusAccepted
	case Denied:
		return http.StatusForbidden
	case Refused:
		return http.StatusConflict
	}
	return http.StatusOK
}

const bodyMax = 4 << 10

// errMedia says that the body is not announced as JSON. Browsers cannot send that
// to another site without asking it first.
var errMedia = errors.New("the body has to be application/json")

// read reads a transition from a request, strictly.
func read(w http.ResponseWriter, q *http.Request) (t Transition, err error) {
	if kind, _, err := mime.ParseMediaType(q.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return t, errMedia
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, q.Body, bodyMax))
	if err != nil {
		return t, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, err
	}
	if _, err := d.Token(); err != io.EOF {
		return t, errors.New("there is more than one value")
	}
	return t, t.check()
}

func (t Transition) check() error {
	var fs patterns.Faults
	if t.Name == "" {
		fs.Add("name", "there is none")
	}
	switch t.Action {
	case ForceOpen, Disable, Close, Reset:
	default:
		fs.Add("action", "%q is not force_open, disable, close or reset", t.Action)
	}
	if d := t.Spread.Std(); d < 0 || d > SpreadMax {
		fs.Add("spread", "%s is not from 0s to %s", d, SpreadMax)
	} else if d > 0 && t.Action != Close {
		fs.Add("spread", "only close can be spread")
	}
	return fs.Err()
}

// target is the state that a breaker in the given one is forced into; ok is false
// if nothing is to be done. Reset has none.
func (a Action) target(from breaker.State) (to breaker.State, ok bool) {
	switch a {
	case ForceOpen:
		to = breaker.ForcedOpen
	case Disable:
		to = breaker.Disabled
	case Close:
		switch from {
		case breaker.Disabled, breaker.MetricsOnly, breaker.Closed:
			to = breaker.Closed
		default:
			to = breaker.HalfOpen
		}
	}
	return to, to != from
}
