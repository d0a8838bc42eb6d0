package experiment

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/scenario"
)

// storm is a small retry storm: 8 workers of 100 ms bear 80/s, 50/s arrive, three
// attempts; a freeze of 10 s at 60 s tips it, and shedding at 150 s ends it. The
// wait budget of 1 s is 80 requests, the queue holds 800.
const storm = `
version: 1
scenario: small-storm
duration: 240s
interval: 1s
recovery: {share: 95%, for: 20s}
callers:
  web:
    instances: 20
    arrivals: {poisson: 50/s}
    do:
      - call: db
        through: client
pipelines:
  client:
    - retry: {maxAttempts: 3, waitDuration: 500ms}
    - timeout: 1s
services:
  db:
    workers: 8
    do:
      - work: {exponential: 100ms}
    queue: {limit: 800}
faults:
  - {at: 60s, for: 10s, name: freeze, freeze: {service: db}}
operators:
  - {at: 150s, shed: {service: db, what: requests, share: 90%, for: 20s, ramp: 10s}}
steadyState:
  - callers.web.goodput_share >= 99%
expect:
  - verdict == rescued
`

func load(t *testing.T, text string, set ...string) *scenario.Scenario {
	t.Helper()
	sc, report := scenario.Load("test.yaml", []byte(text), scenario.Options{Set: set})
	if sc == nil {
		t.Fatal(report.Err())
	}
	return sc
}

// bytesOf is everything that a result says.
func bytesOf(t *testing.T, r *result.Result) []byte {
	t.Helper()
	var out bytes.Buffer
	for _, err := range []error{r.WriteJSON(&out), r.Series.WriteCSV(&out), result.WriteHistogramsCSV(&out, r.Histograms)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return out.Bytes()
}

func shown(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
