package house

import (
	"fmt"
	"strings"
	"testing"
)

// source is a story of one file: under the rule, it has breaches at the lines
// named, or none.
type source struct {
	rule  string
	path  string
	body  string
	lines []int
}

// expect runs each source through its rule and compares the lines found.
func expect(t *testing.T, sources []source) {
	t.Helper()
	for i, s := range sources {
		var got []int
		for _, b := range Breaches(Parse(map[string]string{s.path: s.body}), s.rule) {
			if b.Rule != s.rule || b.Path != s.path {
				t.Errorf("%d: breach %v does not name rule %s and path %s", i, b, s.rule, s.path)
			}
			got = append(got, b.Line)
		}
		if fmt.Sprint(got) != fmt.Sprint(s.lines) {
			t.Errorf("%d: %s in %s: breaches at lines %v, want %v\n%s", i, s.rule, s.path, got, s.lines, s.body)
		}
	}
}

// pkg is a source with an import on line 2 and code from line 3.
func pkg(imported, code string) string {
	return "package p\nimport " + imported + "\n" + code + "\n"
}

// TestAnImportInTheWrongRoomIsCaught feeds one import per row: along an arrow or
// through a door of the plan, or not.
func TestAnImportInTheWrongRoomIsCaught(t *testing.T) {
	ours := func(dir string) string { return pkg(`_ "`+Module+"/"+dir+`"`, "") }
	lib := func(path string) string { return pkg(`_ "`+path+`"`, "") }
	bad, good := []int{2}, []int(nil)
	expect(t, []source{
		{"imports", "patterns/breaker/a.go", ours("sim/engine"), bad},
		{"imports", "patterns/breaker/a.go", ours("patterns/window"), good},
		{"imports", "patterns/breaker/a.go", ours("internal/exact"), good},
		{"imports", "patterns/breaker/a_test.go", lib("github.com/stretchr/testify/require"), bad},
		{"imports", "sim/engine/a.go", ours("sim/models"), bad},
		{"imports", "sim/engine/a.go", lib(gonumStat + "/stat"), bad},
		{"imports", "sim/engine/a.go", lib("container/heap"), good},
		{"imports", "sim/result/a.go", ours("sim/stats"), bad},
		{"imports", "sim/models/a.go", ours("sim/scenario"), bad},
		{"imports", "sim/models/a.go", ours("sim/dist"), good},
		{"imports", "sim/world/a.go", ours("sim/scenario"), good},
		{"imports", "sim/scenario/a.go", lib(yaml), good},
		{"imports", "sim/world/a.go", lib(yaml), bad},
		{"imports", "sim/record/a.go", lib(hdr), good},
		{"imports", "sim/record/a.go", ours("patterns/breaker"), good},
		{"imports", "sim/record/a.go", ours("sim/engine"), bad},
		{"imports", "sim/stats/a.go", lib(hdr), bad},
		{"imports", "reports/a.go", lib(gonumPlot + "/plotter"), good},
		{"imports", "sim/stats/a.go", lib(gonumPlot), bad},
		{"imports", "reports/a.go", ours("sim/experiment"), bad},
		{"imports", "cmd/resilsim/a.go", ours("reports"), good},
		{"imports", "cmd/resilsim/a.go", ours("sim/engine"), bad},
		{"imports", "cmd/resilsim/a.go", lib("github.com/rogpeppe/go-internal/testscript"), bad},
		{"imports", "cmd/resilsim/a_test.go", lib("github.com/rogpeppe/go-internal/testscript"), good},
		{"imports", "scenarios/a.go", ours("sim/scenario"), bad},
		{"imports", "scenarios/a_test.go", ours("sim/scenario"), good},
		{"imports", "internal/exact/a.go", `package p; import . "math"; var _ = Pi`, []int{1}},
		{"imports", "adapters/promguard/a.go", ours("patterns/metrics"), good},
		{"imports", "adapters/promguard/a.go", ours("sim/record"), bad},
		{"imports", "adapters/promguard/a.go", lib("google.golang.org/grpc"), bad},
		{"imports", "adapters/grpcguard/a.go", lib("google.golang.org/grpc/codes"), good},
		{"imports", "patterns/metrics/a.go", lib("github.com/prometheus/client_golang/prometheus"), bad},
		{"imports", "attic/a.go", "package p\n", []int{1}},
	})
}

// TestAClockReadInTheWrongRoomIsCaught reads the clock in each kind of room, by
// its name, by another name, and as a value.
func TestAClockReadInTheWrongRoomIsCaught(t *testing.T) {
	now := pkg(`"time"`, "var t = time.Now()")
	bubble := "package p\nimport \"time\"\nimport _ \"testing/synctest\"\nfunc f() { time.Sleep(1) }\n"
	expect(t, []source{
		{"clock", "sim/engine/a.go", now, []int{3}},
		{"clock", "sim/experiment/wall.go", now, []int{3}},
		{"clock", "reports/a.go", now, []int{3}},
		{"clock", "patterns/breaker/core.go", now, []int{3}},
		{"clock", "patterns/breaker/wall.go", now, nil},
		{"clock", "patterns/pipeline/wall_http.go", now, nil},
		{"clock", "patterns/pipeline/wall_test.go", now, []int{3}},
		{"clock", "patterns/pipeline/wall_test.go", bubble, nil},
		{"clock", "sim/engine/a_test.go", bubble, []int{4}},
		{"clock", "cmd/resilsim/a.go", now, nil},
		{"clock", "cmd/resilsim/a_test.go", now, []int{3}},
		{"clock", "benchmarks/a.go", now, []int{3}},
		{"clock", "adapters/grpcguard/a.go", now, nil},
		{"clock", "adapters/grpcguard/a_test.go", now, []int{3}},
		{"clock", "adapters/grpcguard/a_test.go", bubble, nil},
		{"clock", "benchmarks/a_test.go", now, nil},
		{"clock", "sim/models/a.go", pkg(`clock "time"`, "var f = clock.Since"), []int{3}},
		{"clock", "sim/models/a.go", pkg(`"context"`, "var f = context.WithTimeout"), []int{3}},
		{"clock", "sim/models/a.go", pkg(`"time"`, "var d = time.Second"), nil},
		{"clock", "sim/models/a.go", pkg(`"time"`, "var d time.Duration\nfunc f(time struct{ Now int }) int { return time.Now }"), nil},
	})
	for _, name := range clockReads["time"] {
		expect(t, []source{{"clock", "sim/world/a.go", pkg(`"time"`, "var f = time."+name), []int{3}}})
	}
}

// TestAnUnseededDrawIsCaught draws from the shared generators and from one that
// was given a seed.
func TestAnUnseededDrawIsCaught(t *testing.T) {
	expect(t, []source{
		{"chance", "sim/models/a.go", pkg(`"math/rand"`, "var x = rand.Float64()"), []int{3}},
		{"chance", "sim/models/a.go", pkg(`"math/rand/v2"`, "var x = rand.IntN(3)"), []int{3}},
		{"chance", "sim/models/a_test.go", pkg(`"math/rand/v2"`, "var x = rand.IntN(3)"), []int{3}},
		{"chance", "sim/models/a_test.go", pkg(`"math/rand/v2"`, "var x = rand.New(rand.NewPCG(1, 2)).IntN(3)"), nil},
		{"chance", "patterns/pipeline/wall.go", pkg(`"math/rand/v2"`, "var x = rand.Float64()"), nil},
		{"chance", "patterns/pipeline/wall_test.go", pkg(`"math/rand/v2"`, "var x = rand.Float64()"), []int{3}},
		{"chance", "patterns/pipeline/wall.go", pkg(`"crypto/rand"`, "var x = rand.Text()"), []int{3}},
		{"chance", "sim/engine/a.go", pkg(`"hash/maphash"`, "var s = maphash.MakeSeed()"), []int{3}},
	})
}

// TestAGoroutineInTheWrongRoomIsCaught uses each primitive where it is barred and
// where it is not.
func TestAGoroutineInTheWrongRoomIsCaught(t *testing.T) {
	for _, code := range []string{
		"func f() { go f() }", "var c chan int", "func f() { select {} }", "func f(c C) { <-c }",
	} {
		body := "package p\n" + code + "\n"
		expect(t, []source{
			{"goroutines", "sim/engine/a.go", body, []int{2}},
			{"goroutines", "patterns/retry/core.go", body, []int{2}},
			{"goroutines", "reports/a.go", body, []int{2}},
			{"goroutines", "patterns/pipeline/wall.go", body, nil},
			{"goroutines", "adapters/grpcguard/a.go", body, nil},
			{"goroutines", "sim/experiment/a.go", body, nil},
			{"goroutines", "cmd/resilsim/a.go", body, nil},
			{"goroutines", "sim/engine/a_test.go", body, nil},
		})
	}
	expect(t, []source{
		{"goroutines", "sim/world/a.go", pkg(`"sync"`, "var m sync.Mutex"), []int{2}},
		{"goroutines", "sim/world/a.go", pkg(`"sync/atomic"`, "var n atomic.Int64"), []int{2}},
	})
}

// TestARuleFindsNothingInAnEmptyTree shows that no rule invents breaches, and
// that an unknown rule finds none.
func TestARuleFindsNothingInAnEmptyTree(t *testing.T) {
	tree := Parse(nil)
	for _, rule := range Rules {
		if got := rule.Find(tree); len(got) != 0 {
			t.Errorf("%s found %v in no files", rule.Name, got)
		}
	}
	if got := Breaches(Parse(map[string]string{"sim/a.go": "x"}), "no such rule"); got != nil {
		t.Errorf("an unknown rule found %v", got)
	}
}

// TestABreachReadsLikeACompilerError pins the form that editors can follow.
func TestABreachReadsLikeACompilerError(t *testing.T) {
	got := Breaches(Parse(map[string]string{"sim/a.go": "package p\n\nfunc {"}), "parses")
	if len(got) != 1 || !strings.HasPrefix(got[0].String(), "sim/a.go:1: ") || !strings.HasSuffix(got[0].String(), "(parses)") {
		t.Errorf("got %v", got)
	}
}
