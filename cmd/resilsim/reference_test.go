package main

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/scenario"
)

const generated = "<!-- Written by the tests of cmd/resilsim from the code: go test ./cmd/resilsim -update -->\n\n"

// TestCommandPage writes docs/reference/command.md from the tree of commands and
// holds the page in the tree against it.
func TestCommandPage(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(generated + "# The command\n\n")
	root := (&app{}).root()
	fmt.Fprintf(&b, "```\n%s```\n\nEvery subcommand also has\n\n```\n%s```\n", "resilsim SUBCOMMAND ...\n", root.PersistentFlags().FlagUsages())
	for _, sub := range root.Commands() {
		commandSection(&b, sub)
	}
	b.WriteString("\n## completion\n\n`resilsim completion bash|zsh|fish|powershell` prints a script for your shell; it completes the names of\nthe shipped scenarios too. `resilsim completion bash --help` says where to put it.\n")
	b.WriteString("\n## Exit status\n\n| status | means |\n|---:|---|\n")
	for _, s := range statusMeanings {
		fmt.Fprintf(&b, "| %d | %s |\n", s.Status, s.Meaning)
	}
	b.WriteString(`
## Streams and environment

What was asked for goes to standard output; progress, warnings and errors go to standard error. Progress
is drawn on a terminal only.

| variable | means |
|---|---|
| ` + "`NO_COLOR`" + ` | not empty: no colours |
| ` + "`TERM=dumb`" + ` | no colours, no progress |
| ` + "`RESILSIM_NO_COLOR=1`" + ` | as ` + "`--no-color`" + ` |
| ` + "`RESILSIM_QUIET=1`" + ` | as ` + "`--quiet`" + ` |
`)
	golden(t, "../../docs/reference/command.md", b.Bytes())
}

func commandSection(b *bytes.Buffer, cmd *cobra.Command) {
	if !cmd.IsAvailableCommand() || cmd.Name() == "help" || cmd.Name() == "completion" {
		return
	}
	fmt.Fprintf(b, "\n## %s\n\n", strings.TrimPrefix(cmd.CommandPath(), "resilsim "))
	text := cmd.Long
	if text == "" {
		text = cmd.Short + "."
	}
	fmt.Fprintf(b, "%s\n\n```\n%s\n", text, cmd.UseLine())
	if flags := cmd.LocalNonPersistentFlags().FlagUsages(); flags != "" {
		fmt.Fprintf(b, "\n%s", flags)
	}
	if cmd.Example != "" {
		fmt.Fprintf(b, "\nexamples:\n%s\n", cmd.Example)
	}
	b.WriteString("```\n")
	for _, sub := range cmd.Commands() {
		commandSection(b, sub)
	}
}

// TestResultsPage writes docs/reference/results.md from the catalogue of metrics
// and the type of a result, and holds the page in the tree against it.
func TestResultsPage(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(generated + resultsIntroduction)
	b.WriteString("\n## result.json\n\n`resilsim schema result` prints its JSON Schema. Units stand at the end of the names; what does not\nexist is `null`.\n\n| key | holds |\n|---|---|\n")
	for _, f := range reflect.VisibleFields(reflect.TypeFor[result.Result]()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" {
			continue
		}
		meaning := resultKeys[name]
		if meaning == "" {
			t.Errorf("result.json has a key that the page does not explain: %s", name)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", name, meaning)
	}
	b.WriteString("\n### Verdicts\n\n| verdict | means |\n|---|---|\n")
	for _, v := range verdicts {
		text, known := scenario.Explain(string(v))
		_, meaning, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if !known || meaning == "" {
			t.Errorf("no explanation of the verdict %s", v)
		}
		fmt.Fprintf(&b, "| `%s` | %s |\n", v, strings.TrimSpace(meaning))
	}
	b.WriteString(seriesIntroduction)
	for _, m := range result.Catalogue() {
		if m.Kind != result.Run {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", m.ColumnName(), m.Kind, m.Unit, meaningOf(m))
		}
	}
	b.WriteString("\n`expect` and `steadyState` of a scenario claim the same metrics, by their name without the unit, and these of\nthe whole run:\n\n| metric | unit | meaning |\n|---|---|---|\n")
	for _, m := range result.Catalogue() {
		if m.Kind == result.Run {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", m.Name, m.Unit, m.Meaning)
		}
	}
	b.WriteString(rowsIntroduction)
	golden(t, "../../docs/reference/results.md", b.Bytes())
}

func meaningOf(m result.Metric) string {
	if m.Num == "" {
		return m.Meaning
	}
	return fmt.Sprintf("%s (%s / %s)", m.Meaning, m.Num, m.Den)
}

const resultsIntroduction = `# Results

` + "`resilsim run SCENARIO --out DIR`" + ` writes a directory. Each file is whole or absent.

| file | holds |
|---|---|
| ` + "`result.json`" + ` | verdict, expectations, accounts, latency, timeline: everything but the curves |
| ` + "`series.csv`" + ` | the curves: one row for each interval and scope |
| ` + "`events.csv`" + ` | the timeline |
| ` + "`histograms.csv`" + ` | latency of answered calls: counts per interval and bucket |
| ` + "`scenario.yaml`" + ` | the scenario as it was understood, with every default; runs again to the same bytes |
| ` + "`figure.svg`, `figure.png`" + ` | the figure |

The CSV files are RFC 4180 with a header. An empty cell means that there is no value: the 99th percentile of an
interval in which nothing was answered is not zero.
`

const seriesIntroduction = `
## series.csv

` + "`t_s`" + ` is the beginning of the interval in seconds, ` + "`scope`" + ` is ` + "`callers.NAME` or `services.NAME`" + `. A column of
the other kind of scope is empty.

| column | scope | unit | meaning |
|---|---|---|---|
`

const rowsIntroduction = `
## events.csv

| column | unit | meaning |
|---|---|---|
| ` + "`t_s`" + ` | s | when |
| ` + "`source`" + ` | | fault, operator, pattern, service, detector or verdict |
| ` + "`subject`" + ` | | what it happened to, as a scope |
| ` + "`what`" + ` | | what happened |
| ` + "`detail`" + ` | | with values; may be empty |
| ` + "`marker`" + ` | | true for the few events that the figure numbers |

## histograms.csv

| column | unit | meaning |
|---|---|---|
| ` + "`t_s`" + ` | s | beginning of the interval |
| ` + "`scope`" + ` | | whose calls |
| ` + "`le_ms`" + ` | ms | latency was at most this, and above the row before |
| ` + "`count`" + ` | count | answered calls |
`

// resultKeys explains the keys of result.json.
var resultKeys = map[string]string{
	"schemaVersion": "version of this format; it grows when a reader would misunderstand",
	"tool":          "version of resilsim and of Go",
	"scenario":      "name, seed, what it extends, what it and the command line set (`differs`), which of that `--set` did (`changed`), SHA-256 of its text",
	"digest":        "hash over all executed events: same scenario and seed, same digest",
	"events":        "number of executed events",
	"partial":       "true when the run was interrupted",
	"duration_s":    "simulated time",
	"interval_s":    "length of the intervals of the curves",
	"verdict":       "the verdict, its sentence, and the figures that decided it",
	"control":       "the same run without faults and operators: was it healthy before? Absent without faults and with `--control=false`",
	"steadyState":   "what had to hold before the first fault, with what was found",
	"expectations":  "what the scenario claims, with what was found; before them, only when it did not hold, `healthy without the trigger`",
	"accounts":      "sent = answered + degraded + failed + refused + abandoned + in flight, at every boundary, with reasons and wasted work",
	"classes":       "the same accounts for the classes of fleets that have some, by callers.NAME.CLASS; absent without classes",
	"latency":       "quantiles of whole calls as their callers saw them (`call`) and of attempts (`attempt`)",
	"timeline":      "what happened, in order",
	"windows":       "the spans that the figure shades",
	"scopes":        "fleets and services with their instances, timeouts, limits and capacity",
	"replications":  "the short form of each run with the expectations that it did not meet (`failed`), with `--seeds`",
}

// TestPagesOfTheRowsNameTheColumns holds the two hand-written tables against the
// headers that the writers write.
func TestPagesOfTheRowsNameTheColumns(t *testing.T) {
	var events, histograms bytes.Buffer
	if err := result.WriteEventsCSV(&events, nil); err != nil {
		t.Fatal(err)
	}
	if err := result.WriteHistogramsCSV(&histograms, nil); err != nil {
		t.Fatal(err)
	}
	header := strings.TrimSpace(events.String()) + "," + strings.TrimSpace(histograms.String())
	var page []string
	for _, line := range strings.Split(rowsIntroduction, "\n") {
		if rest, ok := strings.CutPrefix(line, "| `"); ok {
			name, _, _ := strings.Cut(rest, "`")
			page = append(page, name)
		}
	}
	if got := strings.Join(page, ","); got != header {
		t.Errorf("the page lists %s, the files have %s", got, header)
	}
}
