package promguard_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"github.com/resilsim/resilsim/adapters/promguard"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/metrics"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/registry"
	"github.com/resilsim/resilsim/patterns/retry"
)

var errDown = errors.New("down")

func down(context.Context) (int, error) { return 0, errDown }

// shop is a registry of two names, and a collector that is registered with a strict registry of
// Prometheus.
func shop(t *testing.T) (*promguard.Collector, *prometheus.Registry, *registry.Registry) {
	t.Helper()
	c := promguard.New(prometheus.Labels{"service": "shop"})
	b := breaker.Defaults()
	b.SlidingWindowSize, b.MinimumNumberOfCalls = 2, 2
	r, err := registry.New([]string{"prices", "stock"}, registry.Config{Defaults: registry.Policies{
		Retry: &retry.Config{MaxAttempts: 2}, CircuitBreaker: &b, Bulkhead: &bulkhead.Config{MaxConcurrentCalls: 3},
	}}, registry.WithListener(c.Listen))
	if err == nil {
		err = c.WatchRegistry(r)
	}
	if err != nil {
		t.Fatal(err)
	}
	strict := prometheus.NewPedanticRegistry()
	strict.MustRegister(c)
	return c, strict, r
}

func call(t *testing.T, r *registry.Registry, name string) {
	t.Helper()
	p, err := r.Pipeline(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pipeline.Do(t.Context(), p, down); err == nil {
		t.Error("no error")
	}
}

// TestOpenBreakerIsSeen: both attempts of a call fail and open the breaker of one name; the
// other's stays closed. The text is what Prometheus would be given.
func TestOpenBreakerIsSeen(t *testing.T) {
	_, strict, r := shop(t)
	call(t, r, "prices")
	call(t, r, "prices")
	want := `
# HELP resilience_breaker_changes_total changes of state; from equals to where a rate was reached that changes nothing
# TYPE resilience_breaker_changes_total counter
resilience_breaker_changes_total{from="closed",pipeline="prices",policy="circuitBreaker",service="shop",to="open",why="failure_rate"} 1
# HELP resilience_breaker_failure_rate_percent share of failed calls in the window; absent below the minimum number of calls
# TYPE resilience_breaker_failure_rate_percent gauge
resilience_breaker_failure_rate_percent{pipeline="prices",policy="circuitBreaker",service="shop"} 100
# HELP resilience_refusals_total calls that a policy let no further in
# TYPE resilience_refusals_total counter
resilience_refusals_total{pipeline="prices",policy="circuitBreaker",reason="breaker_open",service="shop"} 1
# HELP resilience_retry_retries_total repeats that were planned, by what they answer to
# TYPE resilience_retry_retries_total counter
resilience_retry_retries_total{pipeline="prices",policy="retry",reason="failed",service="shop"} 1
`
	if err := testutil.GatherAndCompare(strict, strings.NewReader(want), "resilience_breaker_changes_total",
		"resilience_breaker_failure_rate_percent", "resilience_refusals_total", "resilience_retry_retries_total"); err != nil {
		t.Error(err)
	}
}

// TestSeriesDoNotGrow: a thousand calls more make no series more, and Prometheus' own rules for
// names find nothing.
func TestSeriesDoNotGrow(t *testing.T) {
	_, strict, r := shop(t)
	call(t, r, "prices")
	call(t, r, "prices")
	before, err := testutil.GatherAndCount(strict)
	if err != nil {
		t.Fatal(err)
	}
	for range 1000 {
		call(t, r, "prices")
	}
	if after, err := testutil.GatherAndCount(strict); err != nil || after != before {
		t.Errorf("%d series, then %d, %v", before, after, err)
	}
	problems, err := testutil.GatherAndLint(strict)
	if err != nil {
		t.Error(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// TestNameThatIsNoTextSpoilsOnlyItself: a pipeline under such a name is told as an error.
func TestNameThatIsNoTextSpoilsOnlyItself(t *testing.T) {
	c, strict, _ := shop(t)
	p, err := pipeline.New([]pipeline.Policy{{Name: "slots", Bulkhead: &bulkhead.Config{MaxConcurrentCalls: 3}}})
	if err == nil {
		err = c.Watch("\xff", p)
	}
	if err != nil {
		t.Fatal(err)
	}
	if got, err := strict.Gather(); err == nil || len(got) == 0 {
		t.Errorf("%d families, %v", len(got), err)
	}
}

// TestGuideListsEveryMetric with its name here, its kind and its labels, and no other.
func TestGuideListsEveryMetric(t *testing.T) {
	page, err := os.ReadFile("../../docs/guides/watch-in-production.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := 0
	for _, line := range strings.Split(string(page), "\n") {
		if strings.HasPrefix(line, "| `resilience.") {
			rows++
		}
	}
	if want := len(metrics.All()); rows != want {
		t.Errorf("%d rows, want %d", rows, want)
	}
	for _, m := range metrics.All() {
		more := strings.Join(m.Labels[2:], ", ")
		row := fmt.Sprintf("| `%s` | `%s` | %s | %s | %s |", m.Name, m.Prometheus(), m.Kind, more, m.Help)
		if !strings.Contains(string(page), row+"\n") {
			t.Errorf("the page has no row\n%s", row)
		}
	}
}

// TestGuideQuotesTheExample: the page's code for Prometheus stands in the example below.
func TestGuideQuotesTheExample(t *testing.T) {
	page, err := os.ReadFile("../../docs/guides/watch-in-production.md")
	if err != nil {
		t.Fatal(err)
	}
	here, err := os.ReadFile("collector_test.go")
	if err != nil {
		t.Fatal(err)
	}
	found := 0
	for _, block := range strings.Split(string(page), "```go\n")[1:] {
		code, _, _ := strings.Cut(block, "```")
		if !strings.Contains(code, "promguard.") {
			continue
		}
		found++
		if !strings.Contains(flush(string(here)), flush(code)) {
			t.Errorf("no example holds\n%s", code)
		}
	}
	if found == 0 {
		t.Error("the page does not speak of promguard")
	}
}

// flush takes away what stands before and after the text of each line.
func flush(s string) string {
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, "\n")
}

// Example has Prometheus read the pipelines of a service.
func Example() {
	collector := promguard.New(nil)
	services, err := registry.New([]string{"prices"}, registry.Config{Defaults: registry.Defaults()},
		registry.WithListener(collector.Listen))
	if err != nil {
		panic(err)
	}
	if err := collector.WatchRegistry(services); err != nil {
		panic(err)
	}
	prometheus.MustRegister(collector)
	// promhttp.Handler() serves them now.
	n, err := testutil.GatherAndCount(prometheus.DefaultGatherer, "resilience_breaker_state")
	fmt.Println(n, err)
	// Output: 6 <nil>
}
