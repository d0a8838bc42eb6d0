package record

import (
	"fmt"
	"time"

	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/result"
)

const (
	// InstancesFollowed of each fleet have their breakers' changes in the event log
	// one by one.
	InstancesFollowed = 20
	changesMax        = 1000 // of all followed instances together
	episodesMax       = 50   // told of each fleet
	episodesMarked    = 3
	eventsMax         = 2000
)

// breakers counts the states of a fleet's breakers and tells the story of its
// episodes. An episode begins when the first one opens while none is, and is over
// when all are closed again.
type breakers struct {
	total, closed, halfOpen, open int
	episode                       int
	inEpisode, half, all          bool
}

// change counts a change of one breaker and reports whether it is a trip.
func (b *breakers) change(now time.Duration, scope string, instance int, e breaker.Event, log *eventLog) bool {
	*b.bin(e.From)--
	*b.bin(e.To)++
	if instance < InstancesFollowed && e.From != e.To {
		log.change(now, scope, instance, e)
	}
	trip := opens(e.To) && !opens(e.From)
	if trip && !b.inEpisode {
		b.episode++
		b.inEpisode, b.half, b.all = true, false, false
		b.tell(now, scope, "first breaker opens", e.Why.String(), log)
	}
	if b.inEpisode {
		b.milestones(now, scope, log)
	}
	return trip
}

func (b *breakers) milestones(now time.Duration, scope string, log *eventLog) {
	if !b.half && 2*b.open >= b.total && b.total > 1 {
		b.half = true
		b.tell(now, scope, "half of the breakers open", "", log)
	}
	if !b.all && b.open == b.total && b.total > 1 {
		b.all = true
		b.tell(now, scope, "all breakers open", "", log)
	}
	if b.closed == b.total {
		b.inEpisode = false
		b.tell(now, scope, "all breakers closed again", "", log)
	}
}

// tell adds a line for each of the first episodes. In the first few of them a
// figure numbers what concerned at least half of the fleet.
func (b *breakers) tell(now time.Duration, scope, what, detail string, log *eventLog) {
	if b.episode > episodesMax {
		return
	}
	if b.total > 1 {
		detail = join(detail, fmt.Sprintf("%d of %d open", b.open, b.total))
	}
	wide := b.half || b.total == 1
	log.add(result.Event{
		TS: seconds(int64(now)), Source: "pattern", Subject: scope, What: what, Detail: detail,
		Marker: wide && b.episode <= episodesMarked,
	})
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return a + "; " + b
}

func opens(s breaker.State) bool { return s == breaker.Open || s == breaker.ForcedOpen }

// bin is the count that a state belongs to: what lets every call pass is closed.
func (b *breakers) bin(s breaker.State) *int {
	switch {
	case opens(s):
		return &b.open
	case s == breaker.HalfOpen:
		return &b.halfOpen
	}
	return &b.closed
}

// eventLog is the bounded list of what happened.
type eventLog struct {
	events  []result.Event
	changes int
	left    int // lines that were not kept
}

func (l *eventLog) add(e result.Event) {
	if len(l.events) >= eventsMax+changesMax {
		l.left++
		return
	}
	l.events = append(l.events, e)
}

func (l *eventLog) happened(now time.Duration, h models.Happening) {
	if len(l.events)-l.changes >= eventsMax {
		l.left++
		return
	}
	l.add(result.Event{TS: seconds(int64(now)), Source: h.Source, Subject: h.Subject, What: h.What, Detail: h.Detail, Marker: h.Marker})
}

func (l *eventLog) change(now time.Duration, scope string, instance int, e breaker.Event) {
	if l.changes >= changesMax {
		l.left++
		return
	}
	l.changes++
	l.add(result.Event{
		TS: seconds(int64(now)), Source: "pattern", Subject: fmt.Sprintf("%s[%d]", scope, instance),
		What: fmt.Sprintf("breaker %s", e.To), Detail: fmt.Sprintf("was %s; %s", e.From, e.Why),
	})
}
