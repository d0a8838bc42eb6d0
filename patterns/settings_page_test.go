package patterns_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/adaptive"
	"github.com/resilsim/resilsim/patterns/breaker"
	"github.com/resilsim/resilsim/patterns/budget"
	"github.com/resilsim/resilsim/patterns/bulkhead"
	"github.com/resilsim/resilsim/patterns/codel"
	"github.com/resilsim/resilsim/patterns/fallback"
	"github.com/resilsim/resilsim/patterns/health"
	"github.com/resilsim/resilsim/patterns/hedge"
	"github.com/resilsim/resilsim/patterns/outlier"
	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/priority"
	"github.com/resilsim/resilsim/patterns/ratelimit"
	"github.com/resilsim/resilsim/patterns/retry"
	"github.com/resilsim/resilsim/patterns/throttle"
	"github.com/resilsim/resilsim/patterns/timeout"
)

var update = flag.Bool("update", false, "write what the code says into docs/reference/patterns.md")

// column is a set of suggested settings under the name of what gives it.
type column struct {
	name   string
	config any
}

// tabled are the configurations in the order of the page.
var tabled = []struct {
	title, dir string
	columns    []column
}{
	{"Circuit breaker", "breaker", []column{{"Defaults", breaker.Defaults()}}},
	{"Retry", "retry", []column{{"Defaults", retry.Defaults()}}},
	{"Retry budget", "budget", []column{
		{"window", budget.Defaults()}, {"bucket", budget.DefaultsOf(budget.Bucket)},
		{"concurrency", budget.DefaultsOf(budget.Concurrency)}, {"tokens", budget.DefaultsOf(budget.Tokens)},
		{"quota", budget.DefaultsOf(budget.Quota)}, {"failure_rate", budget.DefaultsOf(budget.FailureRate)},
	}},
	{"Bulkhead", "bulkhead", []column{{"Defaults", bulkhead.Defaults()}}},
	{"Bulkhead with a queue that looks at its calls", "bulkhead", []column{{"QueueDefaults", bulkhead.QueueDefaults()}}},
	{"Pool of workers", "bulkhead", []column{{"PoolDefaults", bulkhead.PoolDefaults()}}},
	{"Timeout", "timeout", []column{{"Defaults", timeout.Defaults()}}},
	{"Fallback", "fallback", []column{{"zero", fallback.Config{}}}},
	{"Rate limiter", "ratelimit", []column{{"Defaults", ratelimit.Defaults()}}},
	{"Rate limiter for each key", "ratelimit", []column{{"KeyedDefaults", ratelimit.KeyedDefaults()}}},
	{"Adaptive limit", "adaptive", []column{
		{"aimd", adaptive.Defaults(adaptive.AIMD)}, {"vegas", adaptive.Defaults(adaptive.Vegas)},
		{"gradient2", adaptive.Defaults(adaptive.Gradient2)}, {"gradient", adaptive.Defaults(adaptive.Gradient)},
		{"envoy", adaptive.Defaults(adaptive.Envoy)},
	}},
	{"Window of an adaptive limit", "adaptive", []column{{"DefaultWindow", adaptive.DefaultWindow()}}},
	{"Partition of an adaptive limit", "adaptive", []column{{"zero", adaptive.Partition{}}}},
	{"Client throttle", "throttle", []column{
		{"Defaults", throttle.Defaults()}, {"Envoy", throttle.Envoy()},
		{"Failsafe", throttle.Failsafe()}, {"Kratos", throttle.Kratos()},
	}},
	{"Hedge", "hedge", []column{{"Defaults", hedge.Defaults()}}},
	{"CoDel", "codel", []column{{"Defaults", codel.Defaults()}}},
	{"Priority shedding", "priority", []column{{"Defaults", priority.Defaults()}}},
	{"Outlier ejection", "outlier", []column{{"Defaults", outlier.Defaults()}}},
	{"Readiness", "health", []column{{"Defaults", health.Defaults()}}},
	{"Liveness", "health", []column{{"LivenessDefaults", health.LivenessDefaults()}}},
}

const page = "../docs/reference/patterns.md"

// TestPageOfSettingsIsWhatTheCodeSays writes the tables from the settings' tags,
// comments and suggested values, and the lists from the words' own String, and
// compares them with the part of the page between the marks. go test ./patterns -update
// renews it.
func TestPageOfSettingsIsWhatTheCodeSays(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- from the code: begin -->\n", "<!-- from the code: end -->\n"
	before, rest, ok := strings.Cut(string(text), begin)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no marks %q and %q", page, begin, end)
	}
	var b strings.Builder
	b.WriteString("\n## Settings\n\n")
	for _, s := range tabled {
		writeSettings(t, &b, s.title, s.dir, s.columns)
	}
	writeWords(&b)
	if want := before + begin + b.String() + end + after; want != string(text) {
		if *update {
			if err := os.WriteFile(page, []byte(want), 0o644); err != nil {
				t.Fatal(err)
			}
			return
		}
		t.Errorf("%s is not what the code says: go test ./patterns -run PageOfSettings -update", page)
	}
}

func writeSettings(t *testing.T, b *strings.Builder, title, dir string, columns []column) {
	typ := reflect.TypeOf(columns[0].config)
	fmt.Fprintf(b, "### %s\n\n`%s.%s`\n\n| key | unit |", title, dir, typ.Name())
	for _, c := range columns {
		fmt.Fprintf(b, " %s |", c.name)
	}
	b.WriteString(" meaning |\n|---|---|" + strings.Repeat("---|", len(columns)) + "---|\n")
	comments := fieldComments(t, "./"+dir, typ.Name())
	keys := map[string]string{}
	for i := range typ.NumField() {
		keys[typ.Field(i).Name] = key(typ.Field(i))
	}
	for i := range typ.NumField() {
		f := typ.Field(i)
		if f.Anonymous {
			fmt.Fprintf(b, "| all of `%s.%s` | |%s see there |\n", dir, f.Name, strings.Repeat(" |", len(columns)))
			continue
		}
		if keys[f.Name] == "" {
			t.Errorf("%s.%s.%s has no yaml tag", dir, typ.Name(), f.Name)
		}
		if j := f.Tag.Get("json"); j != keys[f.Name] {
			t.Errorf("%s.%s.%s is %q in JSON and %q in YAML", dir, typ.Name(), f.Name, j, keys[f.Name])
		}
		fmt.Fprintf(b, "| `%s` | %s |", keys[f.Name], unit(f.Type))
		for _, c := range columns {
			fmt.Fprintf(b, " %s |", shown(reflect.ValueOf(c.config).Field(i)))
		}
		fmt.Fprintf(b, " %s |\n", withKeys(comments[f.Name], keys))
	}
	b.WriteString("\n")
}

func key(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
	return name
}

// unit says what is written for a setting of the type.
func unit(t reflect.Type) string {
	switch {
	case t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct:
		return "settings"
	case t.Kind() == reflect.Pointer:
		return unit(t.Elem())
	case t == reflect.TypeFor[patterns.Duration]():
		return "duration"
	case t == reflect.TypeFor[patterns.Percent]():
		return "percent"
	}
	switch t.Kind() {
	case reflect.Slice:
		return "list"
	case reflect.Bool:
		return "yes or no"
	case reflect.String:
		return "word"
	default:
		return "number"
	}
}

// shown is a suggested value; "-" for what is absent, empty or switched off.
func shown(v reflect.Value) string {
	if v.IsZero() {
		return "-"
	}
	switch v.Kind() {
	case reflect.Pointer:
		return shown(v.Elem())
	case reflect.Bool:
		return "yes"
	}
	return fmt.Sprint(v.Interface())
}

// withKeys puts the keys in the place of the names that the fields have in Go.
func withKeys(comment string, keys map[string]string) string {
	return regexp.MustCompile(`\b[A-Z]\w+\b`).ReplaceAllStringFunc(comment, func(word string) string {
		if k := keys[word]; k != "" {
			return "`" + k + "`"
		}
		return word
	})
}

// fieldComments returns what stands before each field of a struct, in one line. A field
// without a comment belongs to the one before it.
func fieldComments(t *testing.T, dir, name string) map[string]string {
	out := map[string]string{}
	text, err := parser.ParseFile(token.NewFileSet(), dir+"/config.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(text, func(n ast.Node) bool {
		spec, ok := n.(*ast.TypeSpec)
		if !ok || spec.Name.Name != name {
			return true
		}
		last := ""
		for _, f := range spec.Type.(*ast.StructType).Fields.List {
			if doc := strings.Join(strings.Fields(f.Doc.Text()), " "); doc != "" {
				last = strings.ReplaceAll(doc, "|", "\\|")
			}
			for _, id := range f.Names {
				out[id.Name] = last
			}
		}
		return false
	})
	if len(out) == 0 {
		t.Errorf("%s/config.go has no struct %s", dir, name)
	}
	return out
}

// writeWords lists the words that events, errors and accounts use.
func writeWords(b *strings.Builder) {
	list := func(title, of string, word func(i int) string, from int) {
		fmt.Fprintf(b, "| %s | `%s` |", title, of)
		for i := from; i < 100 && word(i) != "unknown"; i++ {
			fmt.Fprintf(b, " `%s`", word(i))
		}
		b.WriteString(" |\n")
	}
	b.WriteString("## Words of events and errors\n\n| what | type | words |\n|---|---|---|\n")
	list("kind of event", "pipeline.EventKind", func(i int) string { return pipeline.EventKind(i).String() }, 0)
	list("reason", "patterns.Reason", func(i int) string { return patterns.Reason(i).String() }, 0)
	list("outcome", "patterns.Outcome", func(i int) string { return patterns.Outcome(i).String() }, 1)
	list("state of a breaker", "breaker.State", func(i int) string { return breaker.State(i).String() }, 0)
	list("why it changed", "breaker.Why", func(i int) string { return breaker.Why(i).String() }, 1)
	b.WriteString("\n")
}
