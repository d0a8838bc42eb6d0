package reports

import (
	"fmt"

	"github.com/resilsim/resilsim/sim/result"
)

// markedEvent is an event that is shown, with what is said about those like it that
// are not.
type markedEvent struct {
	result.Event
	// more is ", and 7 more until 6:58" or empty.
	more string
}

// likeness is what events of a kind have in common.
type likeness struct{ source, subject, what string }

func likenessOf(e *result.Event) likeness { return likeness{e.Source, e.Subject, e.What} }

// markedOf are the marked events in their order. Only the first few of those that
// come again and again are marked; the last of them says how many follow.
func markedOf(timeline []result.Event, total float64) []markedEvent {
	var out []markedEvent
	last := map[likeness]int{}
	rest := map[int][]float64{}
	for i := range timeline {
		e := &timeline[i]
		if e.Marker {
			last[likenessOf(e)] = len(out)
			out = append(out, markedEvent{Event: *e})
			continue
		}
		if k, known := last[likenessOf(e)]; known && finite(e.TS) {
			rest[k] = append(rest[k], e.TS)
		}
	}
	for k := range out {
		later := rest[k]
		if n := len(later); n > 0 && last[likenessOf(&out[k].Event)] == k {
			out[k].more = fmt.Sprintf(", and %d more until %s", n, instant(later[n-1], total))
		}
	}
	return out
}
