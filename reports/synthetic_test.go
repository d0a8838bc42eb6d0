package reports

import (
	"math"
	"math/rand/v2"

	"github.com/resilsim/resilsim/sim/result"
)

func some(v float64) *float64 { return &v }

// made is a result under construction: a fleet "shop" that calls "payments".
type made struct {
	r    *result.Result
	draw *rand.Rand
	n    int
}

func newMade(name string, intervals int, intervalS float64) *made {
	m := &made{r: &result.Result{}, draw: rand.New(rand.NewPCG(7, 11)), n: intervals}
	m.r.Scenario = result.Source{Name: name, Seed: 7}
	m.r.Tool = result.Tool{Version: "0.1.0", GoVersion: "go1.26"}
	m.r.Digest = "5f1c0c9be21a77d4"
	m.r.IntervalS = intervalS
	m.r.DurationS = float64(intervals) * intervalS
	m.r.Verdict.Scope = "callers.checkout"
	m.r.Scopes = []result.ScopeInfo{
		{Scope: "callers.checkout", Calls: []string{"payments"}},
		{Scope: "services.payments"},
	}
	for i := range intervals {
		m.r.Series.StartS = append(m.r.Series.StartS, float64(i)*intervalS)
	}
	return m
}

// col adds a column computed from the middle of each interval.
func (m *made) col(scope, metric string, f func(t float64) float64) {
	values := make([]float64, m.n)
	for i := range values {
		values[i] = f((float64(i) + 0.5) * m.r.IntervalS)
	}
	m.r.Series.Columns = append(m.r.Series.Columns, result.Column{Scope: scope, Metric: metric, Values: values})
}

// noisy is v with noise of a relative size.
func (m *made) noisy(v, size float64) float64 { return math.Max(0, v*(1+size*m.draw.NormFloat64())) }

func (m *made) mark(t float64, source, what string) {
	m.r.Timeline = append(m.r.Timeline, result.Event{TS: t, Source: source, What: what, Marker: true})
}

func (m *made) window(kind string, from, to float64, label string) {
	m.r.Windows = append(m.r.Windows, result.Window{Kind: kind, FromS: from, ToS: to, Label: label})
}

// phase picks a value by time: pairs of (until, value), the last one open.
func phase(t float64, last float64, pairs ...float64) float64 {
	for i := 0; i+1 < len(pairs); i += 2 {
		if t < pairs[i] {
			return pairs[i+1]
		}
	}
	return last
}

// retryStorm resembles 800 instances with fixed one second retries: sixty
// minutes, a blip of 90 s, a restart that does not help, shedding that does.
func retryStorm() *result.Result {
	m := newMade("retry-storm", 3600, 1)
	r := m.r
	r.Scenario.About = "A 90 s blip between two regions; fixed 1 s retries from 800 instances."
	r.Verdict = stormVerdict()
	r.Scopes[0].Instances, r.Scopes[0].TimeoutMS = 800, some(1000)
	r.Scopes[1].QueueLimit, r.Scopes[1].CapacityPerS = some(12800), some(1280)
	const c, s = "callers.checkout", "services.payments"
	down := func(t float64) bool { return t > 1200 && t < 1230 }
	m.col(c, "offered", func(t float64) float64 { return m.noisy(phase(t, 800, 2640, 800, 2680, 160), 0.035) })
	m.col(c, "attempts", func(t float64) float64 {
		return m.noisy(phase(t, 800, 300, 800, 304, 2400, 2640, 3980, 2680, 900, 2740, 420), 0.03)
	})
	m.col(c, "goodput", func(t float64) float64 {
		return m.noisy(phase(t, 800, 300, 800, 302, 500, 2649, 0, 2690, 300, 2740, 420+(t-2690)*7), 0.03)
	})
	m.col(c, "refused", func(float64) float64 { return 0 })
	lat := func(base float64) func(float64) float64 {
		return func(t float64) float64 {
			if t > 303 && t < 2650 {
				return math.NaN()
			}
			return m.noisy(base*phase(t, 1, 300, 1, 304, 4, 2650, 1, 2690, 2.4), 0.12)
		}
	}
	m.col(c, "latency_p50", lat(42))
	m.col(c, "latency_p99", lat(240))
	m.col(c, "latency_p99.9", lat(420))
	m.col(s, "rejected", func(t float64) float64 {
		if down(t) {
			return 0
		}
		return m.noisy(phase(t, 0, 306, 0, 2645, 2700), 0.05)
	})
	m.col(s, "queue", func(t float64) float64 {
		if down(t) {
			return 0
		}
		return phase(t, 3, 300, 3, 306, (t-300)*2100, 2640, m.noisy(12780, 0.002), 2656, 12800-(t-2640)*800)
	})
	m.col(s, "workers", func(t float64) float64 { return phase(t, 64, 1200, 64, 1230, 0) })
	m.col(s, "busy", func(t float64) float64 {
		if down(t) {
			return 0
		}
		return math.Min(64, m.noisy(phase(t, 40, 300, 40, 2656, 64, 2740, 24), 0.06))
	})
	m.col(s, "capacity", func(t float64) float64 { return phase(t, 1280, 1200, 1280, 1230, 0) })
	stormStory(m)
	return r
}

func stormVerdict() result.Verdict {
	return result.Verdict{
		Word: result.Rescued, Scope: "callers.checkout", RecoveryShare: 0.95, RecoveryForS: 30,
		Sentence:            "A 90 s partition became a 40 min outage; shedding 80 % of the requests ended it",
		BaselineGoodputPerS: 799.6, OfferedPerS: 800, CapacityPerS: some(1280), TriggerStartS: some(300),
		TriggerEndS: some(390), RecoveryAtS: some(2731), RecoveredAfterTriggerS: some(2341), OutageS: 2431,
		Outages: 1, TimeBelowS: 2428,
		AmplificationMax: 4.97, WastedShare: 0.934, RescuedBy: "shed requests at payments",
	}
}

// stormStory adds what a reader is told: events, windows, claims, accounts.
func stormStory(m *made) {
	r := m.r
	m.mark(300, "fault", "partition: responses lost for half of the instances")
	m.mark(306, "detector", "queue full")
	m.mark(390, "fault", "partition ends")
	m.mark(1200, "operator", "restart of payments")
	m.mark(1230, "operator", "restart ends")
	m.mark(2640, "operator", "shed 80 % of requests")
	m.mark(2731, "verdict", "recovered")
	m.window("trigger", 300, 390, "trigger")
	m.window("metastable", 390, 2640, "metastable: the retries are the outage")
	m.window("action", 1200, 1230, "restart")
	m.window("rescue", 2640, 2731, "rescue")
	r.Control = &result.Control{Healthy: true, Verdict: result.Stable, GoodputShare: 0.9998}
	r.Expectations = []result.Claim{
		{Text: "verdict == rescued", Held: true, Actual: "rescued"},
		{Text: "amplification max during [7m, 30m] >= 4.5", Held: true, Actual: "4.97", Value: some(4.97)},
		{Text: "recovery_time <= 60s", Held: false, Actual: "39m01s", Value: some(2341)},
	}
	r.SteadyState = []result.Claim{{Text: "callers.checkout.goodput_share >= 99%", Held: true, Actual: "99.98 %"}}
	r.Accounts = []result.Account{
		{Boundary: "callers.checkout", Sent: 2854512, Answered: 898113, Failed: 1955580, InFlight: 819,
			Reasons: []result.Count{{Kind: "failed", Reason: "timeout", N: 1911003}, {Kind: "failed", Reason: "queue full", N: 44577}}},
		{Boundary: "services.payments", Sent: 10912341, Answered: 898201, Failed: 3012, Refused: 7011888,
			Abandoned: 2998421, InFlight: 819, WastedS: 127301, WorkS: 136310,
			Reasons: []result.Count{{Kind: "refused", Reason: "queue full", N: 7011888}, {Kind: "abandoned", Reason: "timeout", N: 2998421}}},
	}
	r.Latency = []result.LatencyRow{
		{Scope: "callers.checkout", Kind: "call", Count: 898113, MeanMS: some(58.2), P50MS: some(41.7), P90MS: some(121),
			P99MS: some(248.9), P999MS: some(1204), MaxMS: some(4911)},
		{Scope: "services.payments", Kind: "attempt", Count: 0},
	}
	r.Events, r.Digest = 48211094, "5f1c0c9be21a77d4"
}

// blip resembles the picture of a 20 s capacity loss among 200 callers, half
// of them with breakers: five minutes.
func blip() *result.Result {
	m := newMade("storm", 300, 1)
	r := m.r
	r.Scenario.Seed = 42
	r.Scenario.About = "200 callers, 3 attempts, 1 s timeout, no retry budget, breakers on half of the callers"
	r.Verdict.Sentence = "A 20 s capacity loss became a 2m34s outage"
	r.Verdict.Word = result.Rescued
	r.Scopes[0] = result.ScopeInfo{Scope: "callers.checkout", Instances: 200, TimeoutMS: some(1000), Breakers: 100, Calls: []string{"payments"}}
	r.Scopes[1].QueueLimit, r.Scopes[1].CapacityPerS = some(4000), some(1250)
	const c, s = "callers.checkout", "services.payments"
	m.col(c, "offered", func(float64) float64 { return m.noisy(1000, 0.03) })
	m.col(c, "attempts", func(t float64) float64 {
		return m.noisy(phase(t, 1000, 60, 1000, 63, 1000+(t-60)*900, 66, 2800-(t-63)*400, 80, 1500, 82, 900, 200, 1550, 203, 2500), 0.08)
	})
	m.col(c, "goodput", func(t float64) float64 {
		return m.noisy(phase(t, 1000, 60, 1000, 63, 500, 203, 0, 214, 600+(t-203)*36), 0.03)
	})
	lat := func(base float64) func(float64) float64 {
		return func(t float64) float64 {
			if t > 63 && t < 204 {
				return math.NaN()
			}
			return m.noisy(base*phase(t, 1, 60, 1, 63, 1+(t-60)*1.2), 0.1)
		}
	}
	m.col(c, "latency_p50", lat(55))
	m.col(c, "latency_p99", lat(380))
	m.col(c, "latency_p99.9", lat(560))
	open := make([]float64, 301)
	m.col(c, "breakers_open", func(t float64) float64 {
		v := phase(t, 0, 62, 0, 65, (t-62)/3, 203, math.Min(1, 1-0.3*math.Max(0, m.draw.NormFloat64()-1)), 214, (214-t)/12)
		open[int(t)] = v
		return v
	})
	m.col(c, "breakers_half_open", func(t float64) float64 { return phase(t, 0, 65, 0, 203, 1-open[int(t)], 214, 0.05) })
	m.col(c, "breakers_closed", func(t float64) float64 {
		return math.Max(0, 1-open[int(t)]-phase(t, 0, 65, 0, 203, 1-open[int(t)], 214, 0.05))
	})
	m.col(s, "rejected", func(t float64) float64 { return m.noisy(phase(t, 0, 64, 0, 66, 2000, 80, 1000, 200, 300), 0.35) })
	m.col(s, "queue", func(t float64) float64 {
		return phase(t, 0, 60, 0, 64, (t-60)*1000, 200, m.noisy(3990, 0.003), 203, 4000-(t-200)*1300)
	})
	m.col(s, "busy", func(t float64) float64 {
		return phase(t, m.noisy(80, 0.1), 60, math.Min(100, m.noisy(80, 0.1)), 80, 40, 203, 100)
	})
	m.col(s, "workers", func(t float64) float64 { return phase(t, 100, 60, 100, 80, 40) })
	m.mark(60, "fault", "capacity -60 %")
	m.mark(64, "pattern", "half of the breakers open")
	m.mark(80, "fault", "capacity restored")
	m.mark(200, "operator", "queue bounded to 60")
	m.mark(214, "verdict", "recovered")
	m.window("trigger", 60, 80, "trigger")
	m.window("metastable", 80, 200, "metastable: the retries are the outage")
	m.window("rescue", 200, 214, "rescue")
	return r
}
