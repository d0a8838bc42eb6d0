package patterns_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/ratelimit"
)

// limiterCase is a case about limiters with the words that only those use.
type limiterCase struct {
	ID, Unit string
	Config   struct {
		Kind               string
		Limit, Rate, Burst int
		Period, Interval   int64
	}
	Steps []struct {
		T       int64
		Op      string
		N       int
		Count   int
		MaxWait *int64 `json:"max_wait"`
		Wait    *int64
	}
}

func limiterSettings(t *testing.T, c limiterCase, unit time.Duration) *ratelimit.Settings {
	t.Helper()
	var rc ratelimit.Config
	switch c.Config.Kind {
	case "cycle", "bursty":
		rc = ratelimit.Config{
			Type: ratelimit.Cycle, LimitForPeriod: c.Config.Limit,
			LimitRefreshPeriod: patterns.Duration(c.Config.Period) * patterns.Duration(unit),
		}
	case "smooth":
		rc = ratelimit.Config{
			Type: ratelimit.Smooth, LimitForPeriod: 1,
			LimitRefreshPeriod: patterns.Duration(c.Config.Interval) * patterns.Duration(unit),
		}
	case "token":
		rc = ratelimit.Config{
			Type: ratelimit.TokenBucket, LimitForPeriod: c.Config.Rate, Burst: c.Config.Burst,
			LimitRefreshPeriod: patterns.Duration(time.Second),
		}
	default:
		t.Fatalf("unknown kind %s", c.Config.Kind)
	}
	s, err := ratelimit.Compile(rc)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// limiting reads a case again, with the words of its kind.
func limiting(t *testing.T, c peerCase) limiterCase {
	t.Helper()
	text, err := os.ReadFile("testdata/peer-cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var raw struct{ Cases []json.RawMessage }
	if err := json.Unmarshal(text, &raw); err != nil {
		t.Fatal(err)
	}
	for _, r := range raw.Cases {
		if decode[struct{ ID string }](t, r).ID == c.ID {
			return decode[limiterCase](t, r)
		}
	}
	t.Fatalf("%s is not in the file", c.ID)
	return limiterCase{}
}

// runLimiterCase reserves as the steps say and compares the waits. failsafe-go's
// cases ask without a bound on the wait: there an absent max_wait is no bound.
func runLimiterCase(t *testing.T, c peerCase) {
	lc := limiting(t, c)
	unit := time.Millisecond
	if lc.Unit == "ns" {
		unit = time.Nanosecond
	}
	l := ratelimit.New(limiterSettings(t, lc, unit))
	for i, step := range lc.Steps {
		if step.Op != "reserve" && step.Op != "reserve_each" {
			t.Fatalf("step %d: unknown op %s", i, step.Op)
		}
		now, most := patterns.Instant(step.T*int64(unit)), time.Duration(math.MaxInt64)
		if step.MaxWait != nil {
			most = time.Duration(*step.MaxWait) * unit
		}
		wait := int64(-1)
		for range max(step.Count, 1) {
			if r, v := l.Reserve(now, step.N, most); v.OK {
				wait = int64(r.At.Sub(now) / unit)
			} else {
				wait = -1
			}
		}
		same(t, i, "wait", wait, step.Wait)
	}
}
