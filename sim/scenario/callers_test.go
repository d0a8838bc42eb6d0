package scenario

import (
	"errors"
	"math"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"
)

// What the file with every key says of callers is compared value by value where the
// spelling differs from the meaning.
func TestEveryKeyOfCallersArrives(t *testing.T) {
	sc := must(t, "everything.yaml", file(t, "good/everything.yaml"), Options{})
	fleet := func(name string) *Fleet {
		for i := range sc.Callers {
			if sc.Callers[i].Name == name {
				return &sc.Callers[i]
			}
		}
		t.Fatalf("no fleet %s", name)
		return nil
	}
	want := func(what string, got, want any) {
		t.Helper()
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", what, got, want)
		}
	}
	people := fleet("people")
	want("users", people.Sources.Closed.Users, 50)
	want("think", people.Sources.Closed.Think.Mean(), 5*time.Second)
	want("classes", people.Classes, []Class{{"read", 9, 0, true}, {"write", 1, 3, false}})
	want("keys", *people.Keys, Keys{Count: 10_000, Exponent: 0.9})
	want("patience until", people.Patience.UntilStarted, true)
	want("retrial", [2]any{people.Retrial.Probability, people.Retrial.Limit}, [2]any{0.5, 3})
	want("bursts", fleet("cron").Sources.Bursts, []Burst{{30 * time.Second, 5 * time.Minute, 10}, {0, 0, 5}})
	want("short patience", fleet("cron").Patience.Time.Mean(), 2*time.Second)
	want("batch", fleet("daily").Sources.Batch, 4)
	want("counts", fleet("replay").Arrivals.Curve, []RatePoint{{0, 2, 0}, {30 * time.Second, 0, 0}, {time.Minute, 4, 0}, {2 * time.Minute, 0, 0}})
	want("times in order", fleet("recorded").Sources.Trace.Times, []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second})
	waves := fleet("waves").Arrivals.Curve
	want("points of ten periods", len(waves), 20)
	want("a point of the fourth", waves[7], RatePoint{7 * time.Minute, 3, 30 * time.Second})
}

// rateAt follows the points of a curve, as the models do.
func rateAt(curve []RatePoint, at time.Duration) float64 {
	rate := 0.0
	for _, p := range curve {
		if p.At > at {
			break
		}
		if since := at - p.At; since < p.Ramp {
			return rate + (p.Rate-rate)*float64(since)/float64(p.Ramp)
		}
		rate = p.Rate
	}
	return rate
}

// A daily rate is a cosine within the error of straight pieces, (pi/48)^2/2 of the swing,
// whatever its peak, goes through its peak exactly, and does not jump between days.
func TestDailyRateIsACosine(t *testing.T) {
	for _, peak := range []time.Duration{0, 12 * time.Hour, 14 * time.Hour, 13*time.Hour + 17*time.Minute + 3, 30 * time.Hour} {
		d := Daily{Low: 200, High: 1000, Peak: peak, Period: 24 * time.Hour}
		curve := repeated(d.points(), d.Period, 72*time.Hour)
		for at := time.Duration(0); at < 72*time.Hour; at += 7 * time.Minute {
			want := 600 + 400*math.Cos(2*math.Pi*float64(at-peak)/float64(24*time.Hour))
			if got := rateAt(curve, at); math.Abs(got-want) > 800*math.Pow(math.Pi/48, 2)/2 {
				t.Fatalf("peak %v: at %v %.2f, want %.2f", peak, at, got, want)
			}
		}
		if got := rateAt(curve, 24*time.Hour+peak%(24*time.Hour)); math.Abs(got-1000) > 1e-6 {
			t.Errorf("peak %v: %.9f at the peak", peak, got)
		}
	}
}

// traced loads a scenario with a trace from a file of that content.
func traced(t *testing.T, trace, csv string) (*Scenario, *Report) {
	t.Helper()
	text := "version: 1\nscenario: s\nduration: 10m\ncallers:\n  web:\n    arrivals:\n      trace: " + trace +
		"\n    do: [{call: db}]\nservices:\n  db: {workers: 1, do: [{work: 1ms}]}\n"
	return Load("dir/s.yaml", []byte(text), Options{Data: func(path string) ([]byte, error) {
		if path != "load.csv" {
			return nil, os.ErrNotExist
		}
		return []byte(csv), nil
	}})
}

// Times and counts are read with and without a head line, by number and by name of the
// column, with comments and empty lines, as seconds and as timestamps.
func TestTracesAreReadFromFiles(t *testing.T) {
	seconds := []time.Duration{0, 1500 * time.Millisecond, 3 * time.Second}
	for _, c := range []struct{ trace, csv string }{
		{"{times: load.csv}", "3\n1.5\n0\n"},
		{"{times: load.csv}", "\ufefft_s\n# a comment\n0\n\n3\n1.5\n"},
		{"{times: load.csv, column: 2}", "GET,0\nGET,1.5\r\nPOST,3\n"},
		{"{times: load.csv, column: at}", "path,at\n\"/a,b\",0\n/c,1.5\n/c,3e0\n"},
		{"{times: load.csv}", "2024-05-01T12:00:01.5Z\n2024-05-01T12:00:00Z\n2024-05-01T14:00:03+02:00\n"},
	} {
		sc, report := traced(t, c.trace, c.csv)
		if sc == nil {
			t.Errorf("%q: %v", c.csv, report.Err())
		} else if got := sc.Callers[0].Sources.Trace.Times; !reflect.DeepEqual(got, seconds) {
			t.Errorf("%q: %v", c.csv, got)
		}
	}
	sc, report := traced(t, "{counts: load.csv, column: n, every: 10s}", "minute,n\n0,20\n1,0\n2,5\n")
	if sc == nil {
		t.Fatal(report.Err())
	}
	if got := sc.Callers[0].Arrivals.Curve; !reflect.DeepEqual(got, []RatePoint{{0, 2, 0}, {10 * time.Second, 0, 0}, {20 * time.Second, 0.5, 0}, {30 * time.Second, 0, 0}}) {
		t.Errorf("%v", got)
	}
}

// What is wrong with a file is told with its name, line and column.
func TestFaultsOfTracesNameTheLine(t *testing.T) {
	for _, c := range []struct{ trace, csv, want string }{
		{"{times: load.csv}", "0\n1\nsoon\n", "load.csv:3:1: 'soon' is neither a number of seconds nor a timestamp"},
		{"{times: load.csv, column: 2}", "a,0\nb,-1\n", "load.csv:2:3: '-1' is below 0"},
		{"{times: load.csv, column: 2}", "a,0\nb\n", "load.csv:2:1: there is no column 2 in this row of 1"},
		{"{times: load.csv, column: when}", "at,b\n1,2\n", "load.csv:1:1: there is no column 'when' in the head line"},
		{"{times: load.csv}", "2024-05-01T12:00:00Z\n7\n", "load.csv:2:1: '7' is a number, but the rows before have timestamps"},
		{"{times: load.csv}", "t_s\n", "load.csv:1:1: there are no values in this file"},
		{"{times: load.csv}", "", "load.csv:1:1: there are no values in this file"},
		{"{times: load.csv}", "\"0\n", "load.csv:1:4: this is not CSV"},
		{"{times: load.csv}", "1e12\n1\n9e9\n", "load.csv:3:1: '9e9' is more than 1000h"},
		{"{counts: load.csv}", "1\n1.5\n", "load.csv:2:1: '1.5' is not a whole number"},
		{"{counts: load.csv}", strings.Repeat("1\n", maxCounts+1), "load.csv:100001:1: a trace may have at most 100000 values"},
		{"{times: other.csv}", "", "dir/s.yaml:7:22: 'other.csv' cannot be read: file does not exist"},
		{"{times: load.csv, every: 1s}", "1\n", "'every' belongs to 'counts'"},
		{"{times: [1s], column: 2}", "", "a list has no columns"},
	} {
		sc, report := traced(t, c.trace, c.csv)
		if sc != nil {
			t.Errorf("%s %.30q: no fault", c.trace, c.csv)
		} else if err := report.Err(); !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s %.30q: %v, want %s", c.trace, c.csv, err, c.want)
		}
	}
	if _, report := Load("s.yaml", []byte(strings.Replace(string(file(t, "good/everything.yaml")), "{times: [1s, 500ms, 2s]}", "{times: load.csv}", 1)), Options{}); report.Err() == nil {
		t.Error("without files a trace cannot be read, but was")
	}
}

// A trace that is too long to be written into a resolved scenario is named there.
func TestLongTracesStayInTheirFile(t *testing.T) {
	csv := strings.Repeat("1\n", maxInline+1)
	sc, report := traced(t, "{times: load.csv}", csv)
	if sc == nil {
		t.Fatal(report.Err())
	}
	text := Marshal(sc)
	again := must(t, "again.yaml", text, Options{Data: func(string) ([]byte, error) { return []byte(csv), nil }})
	if !strings.Contains(string(text), `times: "load.csv"`) || !reflect.DeepEqual(sc.Callers, again.Callers) {
		t.Errorf("%s", text[:300])
	}
}

// A data file of more than its limit, and what is no file, are refused.
func TestDataFilesAreBounded(t *testing.T) {
	path := t.TempDir() + "/big.csv"
	if err := os.WriteFile(path, make([]byte, MaxDataBytes+1), 0o600); err != nil {
		t.Fatal(err)
	}
	var unfit *Unfit
	if _, err := ReadData(path); !errors.As(err, &unfit) {
		t.Errorf("%v", err)
	}
	if _, err := ReadData("/dev/zero"); !errors.As(err, &unfit) {
		t.Errorf("%v", err)
	}
}

// FuzzTrace: whatever a file holds, reading it ends, with a trace that is in order or
// with faults.
func FuzzTrace(f *testing.F) {
	for _, seed := range []string{"0\n1\n", "t_s,n\n1,2\n", "2024-05-01T12:00:00Z\n", "\"", "1,\n,2\n", "1e400\n", "# x\n\n"} {
		f.Add(seed, "1", true)
		f.Add(seed, "n", false)
	}
	f.Fuzz(func(t *testing.T, csv, column string, times bool) {
		r := traceReader{fs: &findings{}, src: newSource("x.csv", []byte(csv)), times: times, column: column, t: &Trace{}}
		r.read([]byte(csv))
		if r.bad == 0 && len(r.t.Times)+len(r.t.Counts) == 0 {
			t.Error("nothing was read, and nothing was wrong")
		}
		for _, at := range r.t.Times {
			if at < 0 {
				t.Errorf("time %v", at)
			}
		}
	})
}
