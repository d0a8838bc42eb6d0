package dist

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"
)

const hdrText = `  Thread Stats   Avg      Stdev     Max   +/- Stdev
  Detailed Percentile spectrum:
       Value   Percentile   TotalCount 1/(1-Percentile)

      10.000     0.000000          100         1.00
      20.000     0.500000          500         2.00
      20.000     0.550000          500         2.22
      30.000     0.900000          900        10.00
      80.000     0.990000          990       100.00
     200.000     1.000000         1000          inf
#[Mean    =       23.500, StdDeviation   =       13.000]
#[Max     =      200.000, Total count    =         1000]
----------------------------------------------------------
`

// TestHdrTextIsTheHistogram reads the text as it is printed; each share that a line
// tells has the value of that line, and the mean is that of the buckets by hand:
// 0.1 10 + 0.4 15 + 0.4 25 + 0.09 55 + 0.01 140 = 23.35 ms.
func TestHdrTextIsTheHistogram(t *testing.T) {
	points, err := ReadHdr([]byte(hdrText), time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	e := made(NewHistogram(points, "wrk2.txt")).(*Empirical)
	for p, want := range map[float64]time.Duration{0: 10_000, 0.05: 10_000, 0.1: 10_000, 0.3: 15_000, 0.5: 20_000, 0.9: 30_000, 0.95: 57_778, 0.99: 80_000, 1: 200_000} {
		if got := e.Quantile(p); (got - want*time.Microsecond).Abs() > time.Microsecond {
			t.Errorf("quantile of %v is %v, want %d us", p, got, int64(want))
		}
	}
	if e.Mean() != 23350*time.Microsecond {
		t.Errorf("mean %v", e.Mean())
	}
	lines := Report(e)
	if len(lines) != 2 || !strings.Contains(lines[0], "5 different values from wrk2.txt, total weight 1000, spread evenly") ||
		!strings.Contains(lines[1], "mean 23.35ms") || !strings.Contains(lines[1], "p99 80ms") {
		t.Errorf("%q", lines)
	}
}

// TestCSVIsReadInItsUsualForms: each text holds 10 ms twice and 20 ms with weight 3.
func TestCSVIsReadInItsUsualForms(t *testing.T) {
	want := made(NewEmpirical([]Weighted{{10 * time.Millisecond, 2}, {20 * time.Millisecond, 3}}, ""))
	for _, c := range []struct {
		text string
		unit time.Duration
	}{
		{"10ms\n10ms\n20ms\n20ms\n20ms", 0},
		{"10ms,2\n20ms,3\n", 0},
		{"latency,count\r\n10ms,2\r\n0.02s , 3\r\n", 0},
		{"\ufeff\"latency\";\"count\"\n10;2\n20;3\n", time.Millisecond},
		{"# from the load balancer\n\n0.01\t2\n2e-2\t3\n5\t0\n", time.Second},
		{"20,3\n10,1\n10,1", time.Millisecond},
	} {
		points, err := ReadCSV([]byte(c.text), c.unit)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := made(NewEmpirical(points, "")); !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v", c.text, points)
		}
	}
}

// TestBadFilesAreToldByLine says where and what for each fault of both readers.
func TestBadFilesAreToldByLine(t *testing.T) {
	csv := func(unit time.Duration) func([]byte) error {
		return func(b []byte) error { _, err := ReadCSV(b, unit); return err }
	}
	hdr := func(b []byte) error { _, err := ReadHdr(b, time.Millisecond); return err }
	const head = "Value Percentile TotalCount 1/(1-Percentile)\n"
	rows := []struct {
		read func([]byte) error
		text string
		line int
		col  int
		want string
	}{
		{csv(0), "", 1, 1, "no value"},
		{csv(0), "latency\n", 1, 1, "no value"},
		{csv(0), "10ms\n20\n", 2, 1, "'20' has no unit"},
		{csv(0), "NaN\n", 1, 1, "'NaN'"},
		{csv(time.Second), "1\nNaN\n", 2, 1, "'NaN'"},
		{csv(time.Second), "1\n+Inf\n", 2, 1, "'+Inf'"},
		{csv(time.Second), "1\n0x10\n", 2, 1, "'0x10'"},
		{csv(time.Second), "1\n1e999\n", 2, 1, "must be a number"},
		{csv(time.Second), "1\n-1\n", 2, 1, "at least 0"},
		{csv(0), "-1ms\n", 1, 1, "from 0 to"},
		{csv(time.Second), "1\n3e9\n", 2, 1, "from 0 to"},
		{csv(time.Second), "1\n1,-2\n", 2, 3, "the weight is -2"},
		{csv(time.Second), "1\n1, x\n", 2, 4, "the weight is 'x'"},
		{csv(time.Second), "1\n1,1e16\n", 2, 3, "at most 1e+15"},
		{csv(time.Second), "1\n1,\n", 2, 3, "the weight is ''"},
		{csv(time.Second), "1\n1,2,3\n", 2, 5, "3 columns"},
		{csv(time.Second), "1\nsecond heading\n", 2, 1, "must be a time"},
		{csv(time.Second), strings.Repeat("1\n", DataLines+1), DataLines + 1, 1, "more than 500000 lines"},
		{csv(time.Second), strings.Repeat(" ", DataBytes+1), 1, 1, "bytes; at most"},
		{hdr, "", 1, 1, "there is no line 'Value"},
		{hdr, "10 0.5 1\n", 1, 1, "there is no line 'Value"},
		{hdr, head, 1, 1, "no percentiles below"},
		{hdr, head + "10 0.5 5 2\n", 2, 1, "end at 0.5"},
		{hdr, head + "10 0.5\n", 2, 1, "this one has 2"},
		{hdr, head + "10 1.5 5\n", 2, 4, "from 0 to 1"},
		{hdr, head + "10 NaN 5\n", 2, 4, "'NaN'"},
		{hdr, head + "NaN 0.5 5\n", 2, 1, "'NaN'"},
		{hdr, head + "10 0.5 x\n", 2, 8, "the total count is 'x'"},
		{hdr, head + "10 0.5 1e16\n", 2, 8, "at most"},
		{hdr, head + "10 0.5 5\n9 0.6 6\n", 3, 1, "below the one before"},
		{hdr, head + "10 0.5 5\n11 0.4 6\n", 3, 4, "below the 0.5 before"},
		{hdr, head + "10 0.5 5\n11 0.6 4\n", 3, 8, "below the 5 before"},
		{hdr, head + "10 0.5 0\n20 1 0 inf\n", 3, 1, "no percentiles below"},
	}
	for _, row := range rows {
		err := row.read([]byte(row.text))
		var at *LineError
		if !errors.As(err, &at) || at.Line != row.line || at.Col != row.col || !strings.Contains(at.Message, row.want) {
			t.Errorf("%.40q: %+v, want line %d, column %d, %q", row.text, err, row.line, row.col, row.want)
		}
	}
}

// TestBadValuesAreRefused names the fault in each message.
func TestBadValuesAreRefused(t *testing.T) {
	good := made(NewConstant(1))
	rows := []struct {
		err  error
		want string
	}{
		{refused(NewEmpirical(nil, "")), "no value with a weight"},
		{refused(NewEmpirical([]Weighted{{5, 0}}, "")), "no value with a weight"},
		{refused(NewEmpirical([]Weighted{{0, 5}}, "")), "all values are 0"},
		{refused(NewEmpirical([]Weighted{{-1, 5}}, "")), "value must be"},
		{refused(NewHistogram([]Weighted{{Longest + 1, 5}}, "")), "value must be"},
		{refused(NewEmpirical([]Weighted{{1, math.NaN()}}, "")), "weight must be"},
		{refused(NewEmpirical([]Weighted{{1, math.Inf(1)}}, "")), "weight must be"},
		{refused(NewEmpirical([]Weighted{{1, -1}}, "")), "weight must be"},
		{refused(NewWeibull(0, 1)), "weibull: mean"},
		{refused(NewWeibull(1, 0.09)), "weibull: shape"},
		{refused(NewWeibull(1, math.NaN())), "weibull: shape"},
		{refused(NewWeibullScale(1, 101)), "weibull: shape"},
		{refused(NewWeibullScale(Longest, 0.5)), "mean of this law"},
		{refused(NewPareto(0, 2)), "pareto: min"},
		{refused(NewPareto(1, 1)), "shape must be above 1"},
		{refused(NewPareto(1, 101)), "pareto: shape"},
		{refused(NewPareto(1, math.NaN())), "pareto: shape"},
		{refused(NewPareto(Longest, 1.5)), "mean of this law"},
		{refused(NewParetoBounded(2, 2, 1)), "max must be longer"},
		{refused(NewParetoBounded(1, 0, 1)), "pareto: max"},
		{refused(NewParetoBounded(0, 1, 1)), "pareto: min"},
		{refused(NewParetoBounded(1, 2, 0)), "pareto: shape"},
		{refused(NewMixture(nil)), "2 to 20 parts, got 0"},
		{refused(NewMixture([]Part{{1, good}})), "2 to 20 parts, got 1"},
		{refused(NewMixture([]Part{{1, good}, {0, good}})), "weight must be above 0"},
		{refused(NewMixture([]Part{{1, good}, {math.NaN(), good}})), "weight must be above 0"},
		{refused(NewMixture([]Part{{1, good}, {1, made(NewMixture([]Part{{1, good}, {1, good}}))}})), "a mixture itself"},
	}
	for _, row := range rows {
		if row.err == nil || !strings.HasPrefix(row.err.Error(), "dist: ") || !strings.Contains(row.err.Error(), row.want) {
			t.Errorf("error %v, want one about %q", row.err, row.want)
		}
	}
}

// TestManyValuesAreRounded gives 30,000 different values: they are rounded to three
// digits, which moves none by more than half a percent, and the law says so.
func TestManyValuesAreRounded(t *testing.T) {
	var points []Weighted
	for i := range 30_000 {
		points = append(points, Weighted{time.Duration(1_000_000 + i*37), 1})
	}
	e := made(NewEmpirical(points, "")).(*Empirical)
	if n := len(e.Points()); n > 1000 || !strings.Contains(Report(e)[0], "rounded to 3 digits") {
		t.Errorf("%d values, %q", n, Report(e))
	}
	for p := 0.0; p < 1; p += 0.01 {
		want := float64(points[int(p*30_000)].Value)
		if got := float64(e.Quantile(p)); math.Abs(got/want-1) > 0.006 {
			t.Errorf("quantile of %v is %v, want %v", p, got, want)
		}
	}
	again := made(NewEmpirical(e.Points(), e.Source()))
	if !reflect.DeepEqual(Dist(e), again) {
		t.Error("its own points make another law")
	}
}

// FuzzReadCSV and FuzzReadHdr: whatever the bytes, the answer is values that make a
// law or a fault at a line that the text has.
func FuzzReadCSV(f *testing.F) {
	for _, text := range []string{"", "10ms,2\n20ms", "v;w\n1;2\n", "\ufeff#x\n1\t1e3\r\n", "NaN", "1,2,3", "\xff\xfe1", "0"} {
		f.Add([]byte(text), int64(time.Millisecond))
	}
	f.Fuzz(func(t *testing.T, text []byte, unit int64) {
		points, err := ReadCSV(text, time.Duration(max(0, min(unit, int64(time.Hour)))))
		judgeRead(t, text, points, err)
	})
}

func FuzzReadHdr(f *testing.F) {
	f.Add([]byte(hdrText))
	f.Add([]byte("Value Percentile TotalCount\n1 1 1"))
	f.Add([]byte("Value Percentile TotalCount\n1 0.5 1\n0 1 0"))
	f.Fuzz(func(t *testing.T, text []byte) {
		points, err := ReadHdr(text, time.Millisecond)
		judgeRead(t, text, points, err)
	})
}

func judgeRead(t *testing.T, text []byte, points []Weighted, err error) {
	var at *LineError
	if errors.As(err, &at) {
		if at.Line < 1 || at.Line > strings.Count(string(text), "\n")+1 || at.Col < 1 || at.Width < 1 || at.Message == "" || points != nil {
			t.Fatalf("%q: %+v", text, at)
		}
		return
	}
	if err != nil || len(points) == 0 {
		t.Fatalf("%q: %d values, %v", text, len(points), err)
	}
	for _, histogram := range []bool{false, true} {
		e, err := newEmpirical(points, "", histogram)
		if err != nil {
			if !strings.Contains(err.Error(), "above 0") && !strings.Contains(err.Error(), "are 0") {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if a, b := e.Quantile(0), e.Quantile(1); a > b || fmt.Sprint(Report(e)) == "" || e.Variance() < 0 {
			t.Fatalf("%q: from %v to %v", text, a, b)
		}
	}
}
