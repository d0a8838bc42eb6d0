package scenario

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/sim/result"
)

// The page in docs/ is what the table says: compared byte by byte.
func TestReferencePageIsUpToDate(t *testing.T) {
	golden(t, "../../docs/reference/scenario.md", Reference())
}

// Two runs give the same schema, it is valid JSON, and every reference in it
// has a definition.
func TestSchemaIsWholeAndStable(t *testing.T) {
	text := Schema()
	if !bytes.Equal(text, Schema()) {
		t.Error("two calls differ")
	}
	var root struct {
		Schema      string                     `json:"$schema"`
		Definitions map[string]json.RawMessage `json:"definitions"`
	}
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	if root.Schema != "http://json-schema.org/draft-07/schema#" || len(root.Definitions) != len(sections()) {
		t.Errorf("%s, %d definitions for %d sections", root.Schema, len(root.Definitions), len(sections()))
	}
	for _, part := range strings.Split(string(text), `"#/definitions/`)[1:] {
		name, _, _ := strings.Cut(part, `"`)
		if root.Definitions[name] == nil {
			t.Errorf("no definition of %s", name)
		}
	}
}

// Every key of the table is complete: a meaning, a shape, a name of its own,
// and choices only where there are several.
func TestTableIsComplete(t *testing.T) {
	for _, s := range sections() {
		seen := map[string]bool{}
		if s.about == "" || s.title == "" || len(s.choices()) == 1 {
			t.Errorf("%q: about %q, choices %v", s.title, s.about, s.choices())
		}
		for _, k := range s.keys {
			if k.meaning == "" || k.shape == nil || seen[k.name] {
				t.Errorf("%s.%s is incomplete or twice there", s.title, k.name)
			}
			seen[k.name] = true
			if k.need && k.dflt != "" {
				t.Errorf("%s.%s must be given and has a default", s.title, k.name)
			}
			if text := k.dflt; strings.HasSuffix(text, "%") && k.shape.kind != shareShape {
				t.Errorf("%s.%s: a default in percent for %s", s.title, k.name, k.shape.name)
			}
		}
	}
}

// Every key, metric and verdict can be explained; a misspelt word gets the
// right one, nonsense gets nothing.
func TestEveryWordIsExplained(t *testing.T) {
	words := append([]string{}, verdictWords...)
	for _, s := range sections() {
		words = append(words, s.keyNames()...)
		for _, k := range s.keys {
			words = append(words, s.title+"."+k.name)
			if k.shape.kind == wordShape {
				words = append(words, k.shape.words...)
			}
		}
	}
	for _, m := range result.Catalogue() {
		words = append(words, m.Name)
	}
	for _, w := range words {
		if text, ok := Explain(w); !ok || text == "" {
			t.Errorf("%q is not explained", w)
		}
	}
	text, ok := Explain("failureRateThreshold")
	if !ok || !strings.Contains(text, "Envoy: failure_percentage_threshold") {
		t.Errorf("%s", text)
	}
	if text, _ := Explain("retry.waitDuration"); strings.Contains(text, "circuit") || !strings.Contains(text, "default: 500ms") {
		t.Errorf("%s", text)
	}
	if text, ok := Explain("pipelines.payments-client[1].retry.maxAttempts"); !ok || !strings.Contains(text, "first included") {
		t.Errorf("%s", text)
	}
	if text, ok := Explain("maxAtempts"); ok || text != "did you mean 'maxAttempts'?" {
		t.Errorf("%s", text)
	}
	if text, ok := Explain("qwertzuiop"); ok || text != "" {
		t.Errorf("%s", text)
	}
}

// A part lists its keys with default and meaning, a kind of fault says what it does,
// and what means the same in many places is said once. The rows are fragments, in
// the order in which they are read.
func TestAPartListsItsKeys(t *testing.T) {
	for word, rows := range map[string][]string{
		"retry":          {"retry (in a policy)\n  Tries again", "  keys:\n    maxAttempts (default: 3)\n      attempts of one call, the first included\n", "    budget (default: no limit)"},
		"circuitBreaker": {"Refuses calls", "    failureRateThreshold (default: 50)\n", "    halfOpenSuccesses (default: 0)\n"},
		"budget":         {"budget (in a retry)", "    ratio (default: 20%)\n", "    minimumNumberOfCalls\n"},
		"partition":      {"are lost, in one direction or both", "    service (must be given)\n", "    how (default: blackhole)\n"},
		"shed":           {"let it back in steps", "    share (must be given)\n"},
		"latency":        {"latency (in a link)", "    exponential\n", "latency (in a fault)\n  The service takes longer: ", "    times\n"},
		"instances":      {"(in a fleet of callers)", "(in a service)", "(in a fault)", "(in a latency fault, in an errors fault, in a capacity fault, in a freeze, in a crash, in a partition, in a lying check, in breakdowns)"},
		"Rate point":     {"Rate point\n", "    rate (must be given)\n"},
	} {
		text, ok := Explain(word)
		rest := text
		for _, row := range rows {
			at := strings.Index(rest, row)
			if !ok || at < 0 {
				t.Errorf("%s: no %q (in this order) in\n%s", word, row, text)
				break
			}
			rest = rest[at+len(row):]
		}
		if n := strings.Count(text, "beside the kind"); n > 1 {
			t.Errorf("%s: the same is said %d times", word, n)
		}
	}
}

// Folding loses no word and keeps to the width, unless one word alone is wider.
func TestFoldingLosesNoWord(t *testing.T) {
	long := strings.Repeat("x", 200)
	text := strings.Repeat("some words ", 40) + long + " end"
	got := folded(text, "   ")
	if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") {
		t.Errorf("%s", got)
	}
	for _, line := range strings.Split(got, "\n") {
		if len(line) > foldedMax && !strings.Contains(line, long) {
			t.Errorf("%d columns: %s", len(line), line)
		}
	}
}
