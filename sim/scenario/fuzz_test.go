package scenario

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"
)

// FuzzLoad: whatever the bytes, Load ends with a scenario or with faults that
// can be written; a scenario that is read can be written and read again.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/good/*.yaml", "testdata/bad/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		sc, report := Load("fuzz.yaml", text, Options{Resolve: resolve})
		judge(t, sc, report)
	})
}

// judge holds what must be true of every reading.
func judge(t *testing.T, sc *Scenario, report *Report) {
	t.Helper()
	if (sc == nil) != (len(report.Faults) > 0) {
		t.Fatalf("scenario %t with %d faults", sc != nil, len(report.Faults))
	}
	var out bytes.Buffer
	if report.Format(&out, Text) != nil || report.Format(&out, GitHub) != nil {
		t.Fatal("a report cannot be written")
	}
	for _, f := range report.All() {
		if f.Line < 1 || f.Col < 1 || f.Width < 1 || f.File == "" || f.Message == "" {
			t.Fatalf("%+v", f)
		}
	}
	if sc == nil {
		return
	}
	text := Marshal(sc)
	again, report := Load("again.yaml", text, Options{})
	if report.Err() != nil {
		t.Fatalf("%v\n%s", report.Err(), text)
	}
	if !reflect.DeepEqual(withoutPlaces(sc), withoutPlaces(again)) {
		t.Fatalf("read back differently:\n%s\n%s", text, Marshal(again))
	}
}

// FuzzSet: whatever is set, the reading ends as every reading.
func FuzzSet(f *testing.F) {
	for _, set := range []string{"callers.web.instances=3", "pipelines.api-client.retry.maxAttempts=9", "pipelines.bare[+].bulkhead={}", "operators=[]",
		"faults[3].for=9s", "a[0+].b=null", "x.[", "services.api.do[0].work.lognormal.p99=90ms", "expect[+]=outage <= 3m", "callers.web.arrivals.poisson[1]=",
		"pipelines.cache-client.timeout.cooperative=false", "set=3", "=", "seed=&a [*a]", "callers=*x", "pipelines.api-client[99999999999999999999]=1"} {
		f.Add(set)
	}
	text, err := os.ReadFile("testdata/good/everything.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, set string) {
		sc, report := Load("everything.yaml", text, Options{Set: []string{set}})
		judge(t, sc, report)
	})
}

// FuzzExpectation: whatever the claim, the answer is a claim over a known
// metric, or a slip that lies inside the text (or right behind it).
func FuzzExpectation(f *testing.F) {
	for _, claim := range []string{"verdict == rescued", "amplification max during [7m, 30m] >= 4.5", "callers.web.goodput_share >= 99%", "web.latency_p99.9 <= 200ms",
		"api.queue max during [trigger.end + 2m, end - 60s] < 300", "goodput during [,] > 1/s", "goodput >=", "x.y.z == 1", "queue during [start+1h, recovery] == 1e3", "] = [", "é.ü >= 5%"} {
		f.Add(claim)
	}
	c := claimant{fleets: []string{"web", "batch"}, services: []string{"api"}, breakers: []bool{true, false}, faults: true, run: time.Hour}
	f.Fuzz(func(t *testing.T, claim string) {
		e, bad := c.read(claim)
		if bad != nil {
			if n := len([]rune(claim)); bad.message == "" || bad.offset < 0 || bad.offset > n || bad.offset+bad.width > n+1 {
				t.Fatalf("%q: %+v", claim, *bad)
			}
			return
		}
		if _, known := find("", e.Metric); !known || e.Op == "" || e.From.Base == "" || e.To.Base == "" || (e.Metric == "verdict") != (e.Word != "") {
			t.Fatalf("%q: %+v", claim, e)
		}
	})
}
