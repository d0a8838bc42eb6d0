package outlier

import "github.com/resilsim/resilsim/patterns"

// Kind says what an Event tells.
type Kind uint8

// The kinds of event.
const (
	// HostEjected: the host is out of use; see Until.
	HostEjected Kind = iota + 1
	// HostReturned: the host is in use again.
	HostReturned
	// HostDetected: a rule found the host, and was not enforced.
	HostDetected
	// HostSpared: a rule found the host, and as many as may be are ejected.
	HostSpared
	// PanicBegan: too few hosts are left, all are used.
	PanicBegan
	// PanicEnded: enough hosts are left again.
	PanicEnded
)

// String returns the kind in snake_case.
func (k Kind) String() string {
	return word(int(k), "unset", "host_ejected", "host_returned", "host_detected", "host_spared", "panic_began", "panic_ended")
}

// Why says which rule found a host.
type Why uint8

// The rules.
const (
	// Consecutive: so many failures in a row.
	Consecutive Why = iota + 1
	// SuccessRate: the success rate was far below the mean of the set.
	SuccessRate
	// FailurePercentage: too many of the calls failed.
	FailurePercentage
)

// String returns the rule in snake_case.
func (w Why) String() string {
	return word(int(w), "none", "consecutive", "success_rate", "failure_percentage")
}

// Event tells a change of a host or of the set.
type Event struct {
	At   patterns.Instant
	Kind Kind
	// Host is -1 for the set as a whole.
	Host int
	// Why: the rule, of HostEjected, HostDetected and HostSpared.
	Why Why
	// Times and Until are the host's ejections in a row and the end of its ejection
	// time, of HostEjected. It returns at the first interval at or after Until.
	Times int
	Until patterns.Instant
}

func word(i int, words ...string) string {
	if i < 0 || i >= len(words) {
		return "unknown"
	}
	return words[i]
}

func note(log *[]Event, e Event) {
	if log != nil {
		*log = append(*log, e)
	}
}
