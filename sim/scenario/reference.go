package scenario

import (
	"fmt"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// Reference returns the page of every key, unit, limit and metric as Markdown.
func Reference() []byte {
	var b strings.Builder
	b.WriteString(referenceHead)
	fmt.Fprintf(&b, referenceLimits, MaxNodes, MaxDepth, MaxText, MaxFindings, MaxExtends, MaxIntervals)
	for _, s := range sections() {
		writeSection(&b, s)
	}
	b.WriteString(referenceClaims)
	b.WriteString("| metric | of | unit | meaning |\n|---|---|---|---|\n")
	for _, m := range result.Catalogue() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.Name, m.Kind, m.Unit, cell(m.Meaning))
	}
	return []byte(b.String())
}

const referenceHead = `# The scenario language

This page is generated from the table that the reader itself works by (` + "`go test ./sim/scenario -update`" + `).
A scenario is one YAML document. Keys are strict: an unknown key, a missing unit or a name that does not exist is an
error with file, line and column, and all errors are told at once.

## Quantities

| kind | written | not |
|---|---|---|
| duration | ` + "`250ms`, `2s`, `1m30s`, `1h`, `0`" + ` | ` + "`300` (no unit)" + ` |
| rate | ` + "`1000/s`, `50/m`, `10/h`" + ` | ` + "`1000`" + ` |
| share | ` + "`50%` or `0.5`" + ` | ` + "`50`" + ` |
| percentage (keys of resilience4j) | ` + "`50` or `50%`" + ` | ` + "`0.5` (means half a percent: a warning)" + ` |
| whole number | ` + "`3`" + ` | ` + "`010`, `\"3\"`" + ` |
| switch | ` + "`true`, `false`" + ` | ` + "`yes`, `on`" + ` |

Anchors, aliases and merge keys (` + "`<<`" + `) are allowed; top-level keys that begin with ` + "`x-`" + ` are skipped, so anchors have
a home. Tags are not part of the language.

## Paths

` + "`--set path=value`" + ` and the ` + "`set:`" + ` of a sibling address any setting:

| path | means |
|---|---|
| ` + "`callers.checkout.arrivals.poisson`" + ` | a key below a key |
| ` + "`pipelines.payments-client[1].timeout`" + ` | an item of a list, counted from 0 |
| ` + "`pipelines.payments-client.retry.maxAttempts`" + ` | the one policy (fault, action) of that kind |
| ` + "`faults.partition.for`" + ` | a key beside the kind of the one partition |
| ` + "`pipelines.payments-client[+].bulkhead={maxConcurrentCalls: 10}`" + ` | append an item |
| ` + "`pipelines.payments-client[0+].circuitBreaker={}`" + ` | put an item before item 0 |
| ` + "`pipelines.payments-client.retry.budget=null`" + ` | take a setting away |
| ` + "`operators=[]`" + ` | replace a whole list |

Values are YAML. Of keys that exclude each other (` + "`poisson` and `uniform`" + `) the one that is set replaces the other.
`

const referenceLimits = `
## Limits

| what | most |
|---|---|
| size of a file | 1 MiB |
| keys and values, aliases counted as often as they are used | %d |
| depth of nesting | %d |
| bytes of a single value | %d |
| errors that are told | %d |
| scenarios that extend each other | %d |
| recorded intervals of a run | %d |
| any duration | 1000h |
`

const referenceClaims = `
## Claims

` + "`steadyState` and `expect`" + ` hold claims:

    [SCOPE.]METRIC [AGGREGATE] [during [FROM, TO]] OPERATOR BOUND
    verdict == rescued

- SCOPE is ` + "`callers.NAME`, `services.NAME`" + `, or just the name. Without one, a metric of callers is that of the first
  fleet, and a metric of services that of the only service.
- AGGREGATE is ` + "`mean`, `min`, `max`, `last`, `p50`, `p95` or `p99`" + ` over the intervals of the window. Without one the window
  is taken as a whole: totals over time for a rate, sum over sum for a ratio, the mean for a level, the pooled
  histogram for a quantile.
- FROM and TO are instants since the start (` + "`7m`" + `) or ` + "`start`, `end`, `trigger`" + ` (the first fault begins), ` + "`trigger.end`" + ` (the last
  one is over) or ` + "`recovery`" + `, with an offset if need be: ` + "`trigger.end + 2m`, `end - 60s`" + `. Without a window it is the whole
  run; for ` + "`steadyState`" + ` the time before the first fault.
- OPERATOR is ` + "`>= <= > < ==` or `!=`" + `; a verdict has ` + "`==` and `!=`" + ` only.
- BOUND has the unit of the metric: ` + "`1000/s`" + ` for /s, ` + "`200ms`" + ` for ms, ` + "`40m`" + ` for s, ` + "`99%`" + ` for a share, a plain number else.

### Metrics

`

// sections lists every mapping of the language once, outermost first.
func sections() []*shape {
	var out []*shape
	seen := map[string]bool{}
	var visit func(s *shape)
	visit = func(s *shape) {
		if s == nil {
			return
		}
		if s.kind == mappingShape {
			if seen[s.title] {
				return
			}
			seen[s.title] = true
			out = append(out, s)
		}
		for _, k := range s.keys {
			visit(k.shape)
		}
		visit(s.elem)
		for _, a := range s.alts {
			visit(a)
		}
	}
	visit(language)
	visit(sibling)
	return out
}

func writeSection(b *strings.Builder, s *shape) {
	fmt.Fprintf(b, "\n## %s\n\n%s\n", s.title, s.about)
	if choices := s.choices(); len(choices) > 0 {
		fmt.Fprintf(b, "\nExactly one of: `%s`.\n", strings.Join(choices, "`, `"))
	}
	b.WriteString("\n| key | value | default | meaning |\n|---|---|---|---|\n")
	for _, k := range s.keys {
		dflt := k.dflt
		if k.need {
			dflt = "must be given"
		}
		fmt.Fprintf(b, "| `%s` | %s | %s | %s |\n", k.name, cell(k.valueWords()), cell(dflt), cell(k.meaning))
	}
}

// valueWords says what stands behind a key, with a link to its own section.
func (k key) valueWords() string {
	s := k.shape
	switch s.kind {
	case mappingShape:
		return "[" + s.title + "](#" + slug(s.title) + ")"
	case namedShape:
		return "NAME: " + key{shape: s.elem}.valueWords()
	case listShape:
		return "list of " + key{shape: s.elem}.valueWords()
	case unionShape:
		var alts []string
		for _, a := range s.alts {
			alts = append(alts, key{shape: a}.valueWords())
		}
		return strings.Join(alts, ", or ")
	case claimShape:
		return "[claims](#claims)"
	case anyShape:
		return "mapping from [paths](#paths) to values"
	}
	return s.rangeWords()
}

func cell(s string) string { return strings.ReplaceAll(s, "|", "\\|") }
