package scenario

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/dist"
)

// lawStory has one service that works for each of the laws in turn.
func lawStory(laws ...string) []byte {
	text := `version: 1
scenario: laws
duration: 1m
callers: {web: {arrivals: {poisson: 1/s}, do: [{call: api}]}}
services:
  api:
    workers: 1000
    do:
`
	for _, l := range laws {
		text += "      - work: " + l + "\n"
	}
	return []byte(text)
}

// files stands for a directory, and counts what is read.
type files struct {
	text map[string]string
	read int
}

func (f *files) data(path string) ([]byte, error) {
	f.read++
	if text, is := f.text[path]; is {
		return []byte(text), nil
	}
	return nil, errors.New("there is no such file")
}

const hdrHead = "       Value   Percentile   TotalCount 1/(1-Percentile)\n"

// A file's values become the law that they would be if they were written out; a
// resolved scenario writes them out, and is the same without the file.
func TestValuesComeFromFiles(t *testing.T) {
	dir := files{text: map[string]string{
		"l.csv":      "ms,count\n10,2\n20.5,3\n",
		"times.csv":  "10ms\n20ms\n10ms\n",
		"sub/h.hgrm": hdrHead + " 10.0 0.0 10 1.0\n 20.0 0.9 90 10.0\n 90.0 1.0 100 inf\n#[Mean = 1]\n",
	}}
	story := lawStory("{empirical: {file: l.csv, unit: ms}}", "{empirical: {file: times.csv}}", "{hdrHistogram: {file: sub/h.hgrm, unit: ms}}", "{empirical: {file: l.csv, unit: ms}}")
	sc := must(t, "dir/laws.yaml", story, Options{Data: dir.data})
	same := must(t, "laws.yaml", lawStory("{empirical: {points: [10ms*2, 20.5ms*3], from: l.csv}}", "{empirical: {points: [20ms, 10ms 10ms], from: times.csv}}",
		"{hdrHistogram: {points: [10ms*10, 20ms*80, 90ms*10], from: sub/h.hgrm}}", "{empirical: {points: [10ms*2, 20.5ms*3], from: l.csv}}"), Options{})
	if !reflect.DeepEqual(sc, same) {
		t.Errorf("%s\n%s", Marshal(sc), Marshal(same))
	}
	if again := must(t, "resolved.yaml", Marshal(sc), Options{}); !reflect.DeepEqual(sc, again) {
		t.Errorf("read back differently:\n%s\n%s", Marshal(sc), Marshal(again))
	}
	if dir.read != 3 {
		t.Errorf("3 files were read %d times", dir.read)
	}
	if got := sc.Services[0].Do[0].Work.Mean(); got != 16300*time.Microsecond {
		t.Errorf("mean %v", got)
	}
}

// A fault of a file is told at its place in the file, under the file's own name, once;
// what cannot be read at all is told where it is named.
func TestFaultsOfFilesAreToldInThem(t *testing.T) {
	dir := files{text: map[string]string{"bad.csv": "10\n20,x\n", "empty.csv": "", "cut.hgrm": hdrHead + "1 0.5 5 2\n"}}
	_, report := Load("dir/laws.yaml", lawStory("{empirical: {file: bad.csv, unit: ms}}", "{empirical: {file: empty.csv}}", "{hdrHistogram: {file: cut.hgrm, unit: ms}}",
		"{empirical: {file: none.csv}}", "{empirical: {file: bad.csv, unit: ms}}"), Options{Data: dir.data})
	var got []string
	for _, f := range report.Faults {
		got = append(got, fmt.Sprintf("%s:%d:%d: %s", f.File, f.Line, f.Col, f.Message))
	}
	want := []string{
		"dir/bad.csv:2:4: the weight is 'x'; it must be a number",
		"dir/cut.hgrm:2:1: the percentiles end at 0.5; the last line must be that of the longest value, at 1",
		"dir/empty.csv:1:1: there is no value in the file",
		"dir/laws.yaml:12:34: 'none.csv' cannot be read: there is no such file",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s", strings.Join(got, "\n"))
	}
}

// What a law of values costs is bounded, and a resolved scenario that holds as many
// values as are allowed can still be read.
func TestLawsOfValuesAreBounded(t *testing.T) {
	dir := files{text: map[string]string{}}
	var laws []string
	for i := range maxFiles + 1 {
		name := fmt.Sprintf("f%d.csv", i)
		dir.text[name] = fmt.Sprintf("%dms", i+1)
		laws = append(laws, "{empirical: {file: "+name+"}}")
	}
	_, report := Load("laws.yaml", lawStory(laws...), Options{Data: dir.data})
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), "at most 20 files") || dir.read != maxFiles {
		t.Errorf("%v, %d read", err, dir.read)
	}

	var b strings.Builder
	for i := range dist.ValuesMax {
		fmt.Fprintf(&b, "%dns,%d.123456789\n", 3_599_123_456_789+i, 1_000_000_000+i)
	}
	dir.text = map[string]string{"large.csv": b.String()}
	const law = "{empirical: {file: large.csv}}"
	sc := must(t, "laws.yaml", lawStory(law, law), Options{Data: dir.data})
	if again := must(t, "resolved.yaml", Marshal(sc), Options{}); !reflect.DeepEqual(sc, again) {
		t.Error("read back differently")
	}
	_, report = Load("laws.yaml", lawStory(law, law, law), Options{Data: dir.data})
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), "longer than 900000 bytes") {
		t.Errorf("%v", err)
	}
}

// Every law that was found is shown, with its setting: family, parameters, and each
// percentile that was asked for.
func TestFoundLawsAreShown(t *testing.T) {
	_, report := Load("laws.yaml", file(t, "good/laws.yaml"), Options{})
	shown := map[string]string{}
	for _, l := range report.Laws {
		shown[l.Path] = strings.Join(l.Lines(), "\n")
	}
	for path, rows := range map[string][]string{
		"services.api.do[5].work":  {"piecewise fit: mean 34.31ms", "lognormal lines: sigma 0.557 below p5, 0.557 to p50, 0.944 to p99, 2.11 to p99.9, 0.997 above", "p5 8ms met, p50 20ms met, p99 180ms met, p99.9 900ms met", "beyond p99.9, where nothing was given: 3.6 % of the mean"},
		"services.api.do[7].work":  {"weibull fit: mean 33.01ms", "\nscale 30.6ms, shape 0.8619\n", "p99 180ms met"},
		"services.api.do[8].work":  {"pareto fit: mean", "min 16.46ms, shape 3.561"},
		"services.api.do[9].work":  {"exponential fit: mean 39.09ms"},
		"services.api.do[11].work": {"4 different values from wrk \"2\".txt, total weight 1000, spread evenly"},
		"services.api.do[12].work": {"mixture: mean", "97.5 %: piecewise fit", "0.995 %: constant 3s"},
		"links[0].latency":         {"p50 200µs met"},
	} {
		for _, row := range rows {
			if !strings.Contains(shown[path], row) {
				t.Errorf("%s: no %q in\n%s", path, row, shown[path])
			}
		}
	}
	if len(report.Laws) != 10 {
		t.Errorf("%d laws are shown", len(report.Laws))
	}
}

// --set reaches a percentile, with its point; one law takes the place of another.
func TestPercentilesAreSet(t *testing.T) {
	story := lawStory("{p50: 20ms, p99: 180ms, p99.9: 900ms}", "{exponential: 5ms}", "7ms")
	for set, want := range map[string]string{
		"services.api.do[0].work.p99.9=500ms":                        "{work: {p50: 20ms, p99: 180ms, p99.9: 500ms, family: piecewise}, probability: 1}",
		"services.api.do[0].work.p99.9=null":                         "{work: {p50: 20ms, p99: 180ms, family: piecewise}, probability: 1}",
		"services.api.do[0].work.p75=30ms":                           "{work: {p50: 20ms, p75: 30ms, p99: 180ms, p99.9: 900ms, family: piecewise}, probability: 1}",
		"services.api.do[0].work.exponential=9ms":                    "{work: {exponential: 9ms}, probability: 1}",
		"services.api.do[1].work={p50: 1ms, p99: 2ms}":               "{work: {p50: 1ms, p99: 2ms, family: piecewise}, probability: 1}",
		"services.api.do[2].work.weibull={mean: 7ms, shape: 0.5}":    "{work: {weibull: {mean: 7ms, shape: 0.5}}, probability: 1}",
		"services.api.do[2].work.mixture=[{time: 1ms}, {time: 2ms}]": "{work: {mixture: [{weight: 1, time: {constant: 1ms}}, {weight: 1, time: {constant: 2ms}}]}, probability: 1}",
	} {
		if got := string(Marshal(must(t, "laws.yaml", story, Options{Set: []string{set}}))); !strings.Contains(got, want) {
			t.Errorf("%s: no %s in\n%s", set, want, got)
		}
	}
	_, report := Load("laws.yaml", story, Options{Set: []string{"services.api.do[1].work.p50=1ms"}})
	if err := report.Err(); err == nil || !strings.Contains(err.Error(), "needs at least 2, got 1") {
		t.Errorf("%v", err)
	}
}

// A fit whose mean is mostly guessed gets a warning; one with a p50 does not.
func TestAMeanThatIsGuessedIsDoubted(t *testing.T) {
	_, report := Load("laws.yaml", lawStory("{p90: 10ms, p99: 250ms}", "{p50: 2ms, p90: 10ms, p99: 90ms}"), Options{})
	if len(report.Warnings) != 1 || !strings.Contains(report.Warnings[0].Message, "lie beyond p99, where nothing is given") || report.Warnings[0].Line != 9 {
		t.Errorf("%+v", report.Warnings)
	}
}
