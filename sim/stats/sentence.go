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

// trigger names what went wrong and how long it did. A name of a word or two reads
// as a noun (a 90 s blip), a longer one as a remark.
func (j *judgement) trigger() string {
	long := spoken(j.over - j.begun)
	switch len(j.Faults) {
	case 0:
		return "a collapse without a fault"
	case 1:
		name := j.Faults[0].Name
		if len(strings.Fields(name)) > 2 {
			name = "fault (" + name + ")"
		}
		return counted(long, name)
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
	case result.Rescued:
		return capital(fmt.Sprintf("%s became %s; ended by %s at %s",
			j.trigger(), counted(spoken(*v.RecoveryAtS-j.begun), "outage"), j.rescuer.Name, clock(j.rescuer.FromS)))
	case result.Recovered:
		return capital(fmt.Sprintf("%s became %s, which healed by itself at %s",
			j.trigger(), counted(spoken(*v.RecoveryAtS-j.begun), "outage"), clock(*v.RecoveryAtS)))
	case result.Overloaded:
		return fmt.Sprintf("overloaded: the load of %.4g/s exceeds the capacity of %.4g/s without any retry", v.OfferedPerS, *v.CapacityPerS)
	case result.Undecided:
		return "undecided: " + j.why()
	}
	return capital(fmt.Sprintf("%s became an outage that does not end: still down %s after it%s",
		j.trigger(), spoken(j.EndS-j.over), j.loop()))
}

func (j *judgement) why() string {
	if j.over > j.EndS-j.RecoveryForS+slackS {
		return fmt.Sprintf("the run ended less than %s after %s was over", spoken(j.RecoveryForS), j.trigger())
	}
	return fmt.Sprintf("the run ended before goodput had been at %s of offered load for %s", percent(j.RecoveryShare), spoken(j.RecoveryForS))
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
