package record

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/sim/models"
	"github.com/resilsim/resilsim/sim/result"
)

func turn(r *Recorder, at time.Duration, instance int, from, to breaker.State) {
	r.BreakerChanged(at, 0, instance, breaker.Event{From: from, To: to, Why: breaker.FailureRate})
}

func fleetEvents(r *Recorder) []result.Event {
	var out []result.Event
	for _, e := range r.Events() {
		if e.Subject == "callers.web" {
			out = append(out, e)
		}
	}
	return out
}

// Four breakers trip one after the other, probe, and close: the milestones come in
// order, the shares follow, and a half-open breaker that opens again is a trip but
// no new episode.
func TestTheStoryOfAnEpisode(t *testing.T) {
	r := recorder(4*s, s, 4)
	for i := range 4 {
		turn(r, time.Duration(i)*100*ms, i, breaker.Closed, breaker.Open)
	}
	for i := range 4 {
		turn(r, s, i, breaker.Open, breaker.HalfOpen)
	}
	turn(r, 1500*ms, 3, breaker.HalfOpen, breaker.Open)
	turn(r, 2*s, 3, breaker.Open, breaker.HalfOpen)
	for i := range 4 {
		turn(r, 3*s, i, breaker.HalfOpen, breaker.Closed)
	}
	closed(t, r, 4*s, counted{})
	same(t, r, "callers.web", "breakers_open", 1, 0.25, 0, 0)
	same(t, r, "callers.web", "breakers_half_open", 0, 0.75, 1, 0)
	same(t, r, "callers.web", "breakers_closed", 0, 0, 0, 1)
	same(t, r, "callers.web", "breaker_trips", 4, 1, 0, 0)
	var got []string
	for _, e := range fleetEvents(r) {
		got = append(got, fmt.Sprintf("%.1f %s (%s) %v", e.TS, e.What, e.Detail, e.Marker))
	}
	want := `0.0 first breaker opens (failure_rate; 1 of 4 open) false
0.1 half of the breakers open (2 of 4 open) true
0.3 all breakers open (4 of 4 open) true
3.0 all breakers closed again (0 of 4 open) true`
	if strings.Join(got, "\n") != want {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), want)
	}
}

// Forced and disabled states count as what callers feel: shut off, or let through.
func TestForcedStatesCountAsWhatCallersFeel(t *testing.T) {
	r := recorder(2*s, s, 2)
	turn(r, 0, 0, breaker.Closed, breaker.ForcedOpen)
	turn(r, 0, 1, breaker.Closed, breaker.Disabled)
	turn(r, s, 0, breaker.ForcedOpen, breaker.Open)
	closed(t, r, 2*s, counted{})
	same(t, r, "callers.web", "breakers_open", 0.5, 0.5)
	same(t, r, "callers.web", "breakers_closed", 0.5, 0.5)
	same(t, r, "callers.web", "breaker_trips", 1, 0)
}

// Only the first instances are followed one by one.
func TestOnlyASampleIsFollowedOneByOne(t *testing.T) {
	r := recorder(s, s, 100)
	for i := range 100 {
		turn(r, 0, i, breaker.Closed, breaker.Open)
	}
	n := 0
	for _, e := range r.Events() {
		if strings.HasPrefix(e.Subject, "callers.web[") {
			n++
		}
	}
	if n != InstancesFollowed {
		t.Errorf("%d instances were followed, want %d", n, InstancesFollowed)
	}
}

// A run that flaps for ever and talks for ever fills neither the log nor memory,
// and the log says what it left out.
func TestTheEventLogIsBounded(t *testing.T) {
	r := recorder(s, s, 2)
	for range 20000 {
		turn(r, 0, 0, breaker.Closed, breaker.Open)
		turn(r, 0, 0, breaker.Open, breaker.Closed)
		r.Happened(0, models.Happening{Source: "service", What: "is talkative"})
	}
	closed(t, r, s, counted{})
	events := r.Events()
	if len(events) > eventsMax+changesMax+1 {
		t.Errorf("%d lines", len(events))
	}
	last := events[len(events)-1]
	kept := len(events) - 1
	told := 3 * episodesMax // first opens, half open, closed again
	if want := fmt.Sprintf("%d lines were left out", 60000+told-kept); last.Detail != want {
		t.Errorf("%q, want %q", last.Detail, want)
	}
}
