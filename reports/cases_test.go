package reports

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// story is a result that a figure and a summary must hold.
type story struct {
	name string
	r    *result.Result
}

// stories are the incidents that one wants to see, and all the odd ones.
func stories() []story {
	out := []story{
		{"storm", retryStorm()}, {"blip", blip()}, {"nothing", &result.Result{}},
		{"no-series", noSeries()}, {"half-minute", halfMinute()}, {"one-interval", plainRun("one-interval", 1, 10, 800)},
		{"day", plainRun("day", 86400, 1, 1e6)}, {"year", plainRun("year", 2000, 86400, 40)},
		{"tiny", plainRun("tiny", 60, 0.001, 3e-7)}, {"huge", plainRun("huge", 50, 1e7, 3e17)},
		{"nobody-answered", nobodyAnswered()}, {"crowded", crowded()}, {"long-names", longNames()},
		{"same-instant", sameInstant()}, {"not-numbers", notNumbers()},
	}
	for seed := range uint64(20) {
		out = append(out, story{fmt.Sprintf("random-%02d", seed), random(seed)})
	}
	return out
}

func noSeries() *result.Result {
	m := newMade("no-series", 0, 1)
	m.r.DurationS = 60
	m.mark(10, "fault", "crash")
	m.window("trigger", 10, 20, "trigger")
	return m.r
}

// plainRun is a steady run with a dip, of any length and any size.
func plainRun(name string, n int, intervalS, rate float64) *result.Result {
	m := newMade(name, n, intervalS)
	total := m.r.DurationS
	m.r.Verdict.Sentence, m.r.Verdict.Word = "Nothing much happened", result.Recovered
	m.r.Scopes[0].TimeoutMS, m.r.Scopes[0].Breakers = some(rate/100), 3
	m.r.Scopes[1].CapacityPerS, m.r.Scopes[1].QueueLimit = some(rate*1.4), some(rate*5)
	dip := func(t float64) float64 { return phase(t/total, 1, 0.4, 1, 0.5, 0.1) }
	for _, metric := range []string{"offered", "attempts"} {
		m.col("callers.checkout", metric, func(float64) float64 { return m.noisy(rate, 0.05) })
	}
	m.col("callers.checkout", "goodput", func(t float64) float64 { return m.noisy(rate*dip(t), 0.05) })
	m.col("callers.checkout", "degraded", func(t float64) float64 { return m.noisy(rate*(1-dip(t)), 0.05) })
	m.col("callers.checkout", "refused", func(t float64) float64 { return m.noisy(rate*(1-dip(t))/2, 0.05) })
	for k, metric := range []string{"latency_p50", "latency_p99", "latency_p99.9"} {
		m.col("callers.checkout", metric, func(t float64) float64 { return m.noisy(rate/1000/dip(t), 0.1) * (1 + 3*float64(k)) })
	}
	m.col("callers.checkout", "breakers_closed", dip)
	m.col("callers.checkout", "breakers_open", func(t float64) float64 { return 0.7 * (1 - dip(t)) })
	m.col("callers.checkout", "breakers_half_open", func(t float64) float64 { return 0.3 * (1 - dip(t)) })
	m.col("services.payments", "rejected", func(t float64) float64 { return m.noisy(rate*(1-dip(t)), 0.05) })
	m.col("services.payments", "queue", func(t float64) float64 { return rate * (1 - dip(t)) })
	m.col("services.payments", "busy", func(float64) float64 { return m.noisy(rate/20, 0.05) })
	m.col("services.payments", "workers", func(float64) float64 { return rate / 18 })
	m.mark(0.4*total, "fault", "capacity -90 %")
	m.mark(0.5*total, "fault", "capacity restored")
	m.mark(total, "verdict", "the end of the run, with words that must turn to the left")
	m.window("trigger", 0.4*total, 0.5*total, "trigger")
	m.window("recovering", 0.5*total, 0.55*total, "recovering")
	return m.r
}

func halfMinute() *result.Result {
	r := plainRun("half-minute", 30, 1, 50)
	r.Scopes[1].CapacityPerS, r.Scopes[1].QueueLimit = some(5000), some(50000)
	return r
}

func nobodyAnswered() *result.Result {
	m := newMade("nobody-answered", 120, 1)
	m.r.Scopes[0].TimeoutMS = some(1000)
	m.col("callers.checkout", "offered", func(float64) float64 { return 100 })
	m.col("callers.checkout", "goodput", func(float64) float64 { return 0 })
	for _, metric := range []string{"latency_p50", "latency_p99", "latency_p99.9"} {
		m.col("callers.checkout", metric, func(float64) float64 { return math.NaN() })
	}
	return m.r
}

func crowded() *result.Result {
	r := retryStorm()
	m := &made{r: r}
	for i := range 300 {
		m.mark(200+float64(i*i)/30, []string{"pattern", "service", "detector", "operator"}[i%4], fmt.Sprintf("event %d of very many", i))
		m.window([]string{"trigger", "action", "recovering", "rescue", "metastable"}[i%5], float64(10*i), float64(10*i+5), fmt.Sprintf("window %d", i))
	}
	return r
}

func longNames() *result.Result {
	r := blip()
	long := strings.Repeat("a-name-that-goes-on-and-on-", 12)
	rename := func(scope string) string { return scope + long }
	for i := range r.Scopes {
		r.Scopes[i].Scope = rename(r.Scopes[i].Scope)
	}
	r.Scopes[0].Calls = []string{"payments" + long}
	for i := range r.Series.Columns {
		r.Series.Columns[i].Scope = rename(r.Series.Columns[i].Scope)
	}
	r.Verdict.Scope = rename(r.Verdict.Scope)
	r.Verdict.Sentence = strings.Repeat("It was the longest of outages, it was the worst of outages. ", 9)
	r.Scenario.About = strings.Repeat("words\twith\nbreaks \x07and \xff\xfe & <tags> ", 40)
	r.Scenario.Name, r.Digest, r.Tool.Version = long, long, long
	for i := range r.Timeline {
		r.Timeline[i].What = long + "\n" + long
	}
	for i := range r.Windows {
		r.Windows[i].Label = long
	}
	r.Accounts = []result.Account{{Boundary: "callers." + long, Sent: math.MaxUint64, Failed: math.MaxUint64,
		Reasons: []result.Count{{Kind: "failed", Reason: long, N: math.MaxUint64}}}}
	r.Latency = []result.LatencyRow{{Scope: "callers." + long, Kind: "call", Count: 1, P50MS: some(1e12), MaxMS: some(1e-7)}}
	r.Expectations = []result.Claim{{Text: long, Actual: long}, {Text: "x " + long + " y", Held: true, Actual: "1"}}
	return r
}

func sameInstant() *result.Result {
	r := plainRun("same-instant", 100, 1, 10)
	m := &made{r: r}
	for i := range 20 {
		m.mark(50, "operator", fmt.Sprintf("thing %d", i))
	}
	m.mark(0, "fault", "at the very beginning")
	m.mark(100, "verdict", "at the very end")
	return r
}

func notNumbers() *result.Result {
	r := plainRun("not-numbers", 100, 1, 10)
	for i := range r.Series.Columns {
		v := r.Series.Columns[i].Values
		v[3], v[4], v[5], v[6] = math.NaN(), math.Inf(1), math.Inf(-1), -5
		r.Series.Columns[i].Values = v[:97-i]
	}
	m := &made{r: r}
	m.mark(math.NaN(), "fault", "never")
	m.mark(math.Inf(1), "fault", "too late")
	m.mark(-3, "fault", "too early")
	m.window("trigger", math.NaN(), 3, "never")
	m.window("trigger", 30, 20, "backwards")
	m.window("odd", -5, 500, "beyond both ends")
	r.Scopes[1].CapacityPerS, r.Scopes[0].TimeoutMS = some(math.NaN()), some(math.Inf(1))
	return r
}

// random is a result with everything drawn: length, rates, events, windows.
func random(seed uint64) *result.Result {
	d := rand.New(rand.NewPCG(seed, 1))
	size := func() float64 { return math.Pow(10, -4+12*d.Float64()) }
	r := plainRun(fmt.Sprintf("random-%d", seed), 1+d.IntN(2000), size()/100, size())
	m := &made{r: r}
	for range d.IntN(25) {
		words := strings.Repeat("word ", 1+d.IntN(12))
		m.mark(d.Float64()*r.DurationS, []string{"fault", "operator", "pattern", "verdict"}[d.IntN(4)], words)
		from := d.Float64() * r.DurationS
		m.window([]string{"trigger", "metastable", "rescue", "recovering", "action"}[d.IntN(5)], from, from+d.ExpFloat64()*r.DurationS/8, words)
	}
	for range d.IntN(500) {
		c := r.Series.Columns[d.IntN(len(r.Series.Columns))].Values
		c[d.IntN(len(c))] = math.NaN()
	}
	r.Scopes[0].TimeoutMS, r.Scopes[1].CapacityPerS, r.Scopes[1].QueueLimit = some(size()), some(size()), some(size())
	return r
}
