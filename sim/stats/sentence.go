package stats

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// Span of time as a person says it: "90 s", "41m09s", "1h02m".
func spoken(s float64) string {
	whole := int64(math.Round(s))
	switch {
	case s < 9.95:
		return strconv.FormatFloat(math.Round(s*10)/10, 'f', -1, 64) + " s"
	case whole < 120:
		return fmt.Sprintf("%d s", whole)
	case whole < 3600:
		return fmt.Sprintf("%dm%02ds", whole/60, whole%60)
	}
	return fmt.Sprintf("%dh%02dm", whole/3600, whole%3600/60)
}

// clock is an instant of the run as figures show it: "44:30", "1:04:30".
func clock(s float64) string {
	whole := int64(math.Round(s))
	if whole < 3600 {
		return fmt.Sprintf("%d:%02d", whole/60, whole%60)
	}
	return fmt.Sprintf("%d:%02d:%02d", whole/3600, whole%3600/60, whole%60)
}

// article is that of a number: an 8 s blip, an 11 s blip, a 90 s blip.
func article(number string) string {
	digits := number[:len(number)-len(strings.TrimLeft(number, "0123456789"))]
	if strings.HasPrefix(digits, "8") || digits == "11" || digits == "18" {
		return "an"
	}
	return "a"
}

func counted(number, noun string) string { return article(number) + " " + number + " " + noun }

func capital(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func percent(share float64) string {
	return strconv.FormatFloat(math.Round(share*1e4)/1e2, 'f', -1, 64) + " %"
}

// listed joins names: "shed", "shed and restart", "shed, restart and purge".
func listed(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// noun is what a sentence calls a fault.
func (s Span) noun() string {
	if s.Noun != "" {
		return s.Noun
	}
	return `"` + s.Name + `"`
}

// trigger says what went wrong and for how long: 90 s of "blip".
func (j *judgement) trigger() string {
	long := spoken(min(j.over, j.EndS) - j.begun)
	switch len(j.Faults) {
	case 0:
		return "a collapse without a fault"
	case 1:
		return long + " of " + j.Faults[0].noun()
	}
	return fmt.Sprintf("%d faults within %s", len(j.Faults), long)
}

func (j *judgement) sentence() string {
	v := &j.verdict
	share := percent(j.RecoveryShare)
	switch v.Word {
	case result.Stable:
		if len(j.Faults) == 0 {
			return fmt.Sprintf("stable: there was no fault and goodput stayed at %s of offered load or above", share)
		}
		return fmt.Sprintf("stable: %s did not take goodput below %s of offered load", j.trigger(), share)
	case result.Rescued, result.Recovered:
		return capital(j.trigger() + " became " + j.healed())
	case result.Overloaded:
		return fmt.Sprintf("overloaded: the load of %.4g/s exceeds the capacity of %.4g/s without any retry", v.OfferedPerS, *v.CapacityPerS)
	case result.Undecided:
		return "undecided: " + j.why()
	}
	return capital(fmt.Sprintf("%s became an outage that does not end: still down %s after %s%s",
		j.trigger(), spoken(j.EndS-j.over), j.pronoun(), j.loop()))
}

func (j *judgement) pronoun() string {
	switch len(j.Faults) {
	case 0:
		return "it began"
	case 1:
		return "it"
	}
	return "the last"
}

// healed says how long it was bad and who or what ended it.
func (j *judgement) healed() string {
	v := &j.verdict
	at, who := clock(j.healedS), ""
	if v.Word == result.Rescued {
		who = v.RescuedBy + " at " + clock(j.rescuers[0].FromS)
	}
	if v.Outages == 1 {
		long := counted(spoken(v.OutageS), "outage")
		if who != "" {
			return fmt.Sprintf("%s; %s ended it at %s", long, who, at)
		}
		return long + ", which healed by itself at " + at
	}
	long := fmt.Sprintf("%d outages of %s in all", v.Outages, spoken(v.OutageS))
	if who != "" {
		return fmt.Sprintf("%s; recovered at %s after %s", long, at, who)
	}
	return long + "; recovered by itself at " + at
}

func (j *judgement) why() string {
	end := "of the last fault"
	if len(j.Faults) == 1 {
		end = "of " + j.Faults[0].noun()
	}
	switch {
	case len(j.Faults) == 1 && j.begun >= j.EndS-slackS:
		return "the run ended before " + j.Faults[0].noun() + " began"
	case j.over > j.EndS+slackS:
		return "the run ended before the end " + end
	case j.over > j.EndS-slackS && len(j.Faults) > 0:
		return "the run ended with the end " + end
	case len(j.Faults) == 0 && j.downToTheEnd() != nil:
		return fmt.Sprintf("goodput was below %s of offered load from %s to the end, without a fault",
			percent(j.RecoveryShare), clock(*j.downToTheEnd()))
	case j.tooEarly():
		return fmt.Sprintf("the run ended less than %s after the end %s", spoken(j.RecoveryForS), end)
	}
	return fmt.Sprintf("the run ended before goodput had been at %s of offered load for %s", percent(j.RecoveryShare), spoken(j.RecoveryForS))
}

// downToTheEnd is where the outage begins that reaches the end of the run, with what
// was bad before anything was judged; nil if the run ends well.
func (j *judgement) downToTheEnd() *float64 {
	all := j.outages()
	if len(all) == 0 || all[len(all)-1].ToS < j.EndS-slackS || !j.down[j.count()-1] {
		return nil
	}
	i := j.from(all[len(all)-1].FromS)
	for i > 0 && j.down[i-1] {
		i--
	}
	return &j.startS[i]
}

// loop is the inequality that keeps an outage alive, where capacity is known and
// the load with its retries exceeds it.
func (j *judgement) loop() string {
	v := &j.verdict
	if v.CapacityPerS == nil || v.OfferedPerS <= 0 {
		return ""
	}
	tail := j.from(j.over)
	offered := j.offered[j.count()] - j.offered[tail]
	if offered <= 0 {
		return ""
	}
	times := (j.attempts[j.count()] - j.attempts[tail]) / offered
	if times*v.OfferedPerS <= *v.CapacityPerS {
		return ""
	}
	return fmt.Sprintf("; %.2g attempts × %.3g/s exceed the capacity of %.4g/s", times, v.OfferedPerS, *v.CapacityPerS)
}
