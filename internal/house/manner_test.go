package house

import (
	"strings"
	"testing"
)

// TestRangeOverAMapIsCaught iterates over maps of several guises: named, in a
// field, of another package, by way of a type parameter, and by their keys.
func TestRangeOverAMapIsCaught(t *testing.T) {
	loop := func(decl string) string { return "package p\n" + decl + "\nfunc f() {\n\tfor range m {\n\t}\n}\n" }
	expect(t, []source{
		{"order", "sim/models/a.go", loop("var m map[int]int"), []int{4}},
		{"order", "sim/models/a.go", loop("type M map[int]int; var m M"), []int{4}},
		{"order", "sim/models/a.go", loop("type M = map[int]int; func g() M; var m = g()"), []int{4}},
		{"order", "sim/models/a.go", loop("import \"net/http\"\nvar m http.Header"), []int{5}},
		{"order", "sim/models/a.go", loop("var m []int"), nil},
		{"order", "sim/models/a_test.go", loop("var m map[int]int"), nil},
		{"order", "reports/a.go", loop("var m map[int]int"), nil},
		{"order", "patterns/a.go", "package p\nfunc f[M ~map[K]V, K comparable, V any](m M) {\n\tfor range m {\n\t}\n}\n", []int{3}},
		{"order", "patterns/a.go", "package p\nfunc f(m map[int]int) (n int) {\n\tfor _, v := range m { // order-free: a sum of integers\n\t\tn += v\n\t}\n\treturn n\n}\n", nil},
		{"order", "patterns/a.go", "package p\nfunc f(m map[int]int) {\n\tfor range m { // order-free:\n\t}\n}\n", []int{3}},
		{"order", "sim/world/a.go", pkg(`"maps"`, "var m map[int]int\nvar k = maps.Keys(m)"), []int{4}},
		{"order", "sim/world/a.go", "package p\nimport (\"maps\"; \"slices\")\nvar m map[int]int\nvar k = slices.Sorted(maps.Keys(m))\n", nil},
		{"order", "sim/world/a.go", pkg(`"reflect"`, "var k = reflect.ValueOf(0).MapKeys()"), []int{3}},
	})
}

// TestRangeOverAMapOfAnotherRoomIsCaught shows that types are followed from one
// of our packages into another.
func TestRangeOverAMapOfAnotherRoomIsCaught(t *testing.T) {
	tree := Parse(map[string]string{
		"sim/result/a.go": "package result\ntype Table struct{ Rows map[string]int }\n",
		"sim/stats/a.go":  "package stats\nimport \"" + Module + "/sim/result\"\nfunc f(t result.Table) {\n\tfor range t.Rows {\n\t}\n}\n",
	})
	got := Order(tree)
	if len(got) != 1 || got[0].Path != "sim/stats/a.go" || got[0].Line != 4 {
		t.Errorf("got %v, want sim/stats/a.go:4", got)
	}
}

// TestAFloatThatDecidesIsExact uses math where it may differ between processors,
// where it may not, and in rooms that decide nothing.
func TestAFloatThatDecidesIsExact(t *testing.T) {
	log := pkg(`"math"`, "var x = math.Log(2)")
	expect(t, []source{
		{"floats", "sim/engine/a.go", log, []int{3}},
		{"floats", "sim/dist/a.go", log, []int{3}},
		{"floats", "patterns/retry/a.go", log, []int{3}},
		{"floats", "sim/models/a.go", pkg(`"math"`, "var f = math.Pow"), []int{3}},
		{"floats", "sim/models/a.go", pkg(`"math"`, "var x = math.Sqrt(2) + math.Floor(1)"), nil},
		{"floats", "sim/dist/a_test.go", log, nil},
		{"floats", "sim/stats/a.go", log, nil},
	})
}

// TestFusedArithmeticIsCaught adds products with and without the rounding that
// keeps processors alike.
func TestFusedArithmeticIsCaught(t *testing.T) {
	fn := func(expr string) string {
		return "package p\nfunc f(a, b, c float64, i, j int) any {\n\treturn " + expr + "\n}\n"
	}
	add := "package p\nfunc f(a, b, c float64) float64 {\n\tc += a * b\n\treturn c\n}\n"
	expect(t, []source{
		{"fused", "sim/models/a.go", fn("a*b + c"), []int{3}},
		{"fused", "sim/models/a.go", fn("c - (a * b)"), []int{3}},
		{"fused", "sim/models/a.go", fn("-(a * b) + c"), []int{3}},
		{"fused", "internal/exact/a.go", add, []int{3}},
		{"fused", "sim/models/a.go", fn("float64(a*b) + c"), nil},
		{"fused", "sim/models/a.go", fn("i*j + i"), nil},
		{"fused", "sim/models/a.go", fn("2*3.5 + c"), nil},
		{"fused", "sim/stats/a.go", add, nil},
		{"fused", "sim/models/a_test.go", add, nil},
	})
}

// TestAFunctionEndsAtSeventyLines writes functions of 70 and of 71 lines.
func TestAFunctionEndsAtSeventyLines(t *testing.T) {
	fn := func(lines int) string { return "package p\n\nfunc f() {" + strings.Repeat("\n", lines-1) + "}\n" }
	expect(t, []source{
		{"length", "sim/a.go", fn(LinesMax), nil},
		{"length", "sim/a.go", fn(LinesMax + 1), []int{3}},
		{"length", "sim/a_test.go", fn(LinesMax + 1), []int{3}},
	})
}

// TestAPackageHasAPage knows four packages: with a page, without one, with a page
// that says nothing, and with its comment in another file.
func TestAPackageHasAPage(t *testing.T) {
	expect(t, []source{
		{"pages", "sim/doc.go", "// Package p answers.\npackage p\n", nil},
		{"pages", "sim/a.go", "package p\n", []int{1}},
		{"pages", "sim/doc.go", "package p\n", []int{1}},
		{"pages", "sim/a.go", "// Package p answers.\npackage p\n", []int{2}},
	})
}

// TestARoomWithoutAQuestionIsCaught tries each empty name, as directory and as
// package.
func TestARoomWithoutAQuestionIsCaught(t *testing.T) {
	for _, name := range emptyNames {
		expect(t, []source{
			{"names", "sim/" + name + "/a.go", "package p\n", []int{1}},
			{"names", "sim/a.go", "package " + name + "\n", []int{1}},
			{"names", "sim/a_test.go", "package " + name + "_test\n", []int{1}},
			{"names", "sim/" + name + "x/a.go", "package p\n", nil},
		})
	}
}

// TestLeftoversAndSkipsAreCaught looks for unfinished work in sources and pages,
// and for tests that pass themselves over. The words are put together so that
// this file does not break the rule.
func TestLeftoversAndSkipsAreCaught(t *testing.T) {
	todo, fixme := "TO"+"DO", "FIX"+"ME"
	expect(t, []source{
		{"leftovers", "sim/a.go", "package p\n// " + todo + ": later\n", []int{2}},
		{"leftovers", "docs/a.md", "Fine.\n" + fixme + " here.\n", []int{2}},
		{"leftovers", "docs/a.md", "Nothing " + strings.ToLower(todo) + ", no " + todo + "S.\n", nil},
		{"skips", "sim/a_test.go", "package p\nfunc f(t T) { t.Skip() }\n", []int{2}},
		{"skips", "sim/a_test.go", "package p\nfunc f(b T) { b.Skipf() }\n", []int{2}},
		{"skips", "sim/a.go", "package p\nfunc f(t T) { t.Skip() }\n", nil},
		{"skips", "sim/a_test.go", "package p\nfunc f(scanner T) { scanner.Skip() }\n", nil},
	})
}
