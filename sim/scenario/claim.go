package scenario

import (
	"strings"
	"time"

	"github.com/resilsim/resilsim/sim/result"
)

// claimant reads claims against what the scenario has: its fleets and services
// are the scopes, the catalogue of sim/result the metrics.
type claimant struct {
	fleets, services []string
	// breakers tells for each fleet whether its calls go through one.
	breakers []bool
	faults   bool
	steady   bool
	run      time.Duration
}

// slip is what is wrong with a claim, and where in its text.
type slip struct {
	offset, width int
	message, hint string
}

var (
	aggregates   = []string{"mean", "min", "max", "last", "p50", "p95", "p99"}
	operators    = []string{">=", "<=", "==", "!=", ">", "<"}
	verdictWords = []string{string(result.Stable), string(result.Recovered), string(result.Rescued), string(result.Metastable), string(result.Overloaded), string(result.Undecided)}
)

// claims reads a list of claims of the file.
func (b *builder) claims(key string) []Expectation {
	c := claimant{fleets: b.names("callers"), services: b.names("services"), faults: len(b.sc.Faults) > 0, steady: key == "steadyState", run: b.sc.Duration}
	for i := range b.sc.Callers {
		v := b.root.get("callers").fields[i]
		p := b.root.get("pipelines")
		c.breakers = append(c.breakers, b.guarded(i) || v.broken || (p != nil && p.broken))
	}
	var out []Expectation
	for _, v := range b.root.list(key) {
		if v.broken || v.node == nil {
			continue
		}
		e, bad := c.read(v.word)
		if bad != nil {
			b.fs.fault(v.node.inside(bad.offset, bad.width), v.path, bad.hint, "%s", bad.message)
			continue
		}
		e.Line, e.Col = v.node.pos.line, v.node.pos.col
		out = append(out, e)
	}
	return out
}

// guarded reports whether a fleet's own calls go through a circuit breaker.
func (b *builder) guarded(fleet int) bool {
	for _, s := range b.sc.Callers[fleet].Do {
		if s.Call >= 0 && s.Through >= 0 && b.has(s.Through, func(p Policy) bool { return p.CircuitBreaker != nil }) {
			return true
		}
	}
	return false
}

// inside is the position of a part of a text that stands on one line.
func (n *node) inside(offset, wide int) pos {
	if n.pos.width < width(n.text) {
		return n.pos
	}
	if n.quoted {
		offset++
	}
	return n.pos.within(offset, max(wide, 1))
}

// scanner walks over the text of a claim, in characters.
type scanner struct {
	text []rune
	at   int
}

func (s *scanner) space() {
	for s.at < len(s.text) && (s.text[s.at] == ' ' || s.text[s.at] == '\t' || s.text[s.at] == '\n') {
		s.at++
	}
}

// word returns the next run of letters, "" at a symbol or at the end.
func (s *scanner) word() (string, int) {
	s.space()
	start := s.at
	for s.at < len(s.text) && !strings.ContainsRune(" \t\n[]<>=!,", s.text[s.at]) {
		s.at++
	}
	return string(s.text[start:s.at]), start
}

func (s *scanner) rest() string { return string(s.text[s.at:]) }

func (s *scanner) operator() (string, bool) {
	s.space()
	for _, op := range operators {
		if strings.HasPrefix(s.rest(), op) {
			s.at += len(op)
			return op, true
		}
	}
	return "", false
}

// read reads one claim.
func (c *claimant) read(text string) (Expectation, *slip) {
	e := Expectation{Text: text, From: Anchor{Base: "start"}, To: Anchor{Base: "end"}}
	if c.steady && c.faults {
		e.To.Base = "trigger"
	}
	s := &scanner{text: []rune(text)}
	subject, start := s.word()
	if subject == "" {
		return e, &slip{start, len(s.text) - start, "a claim begins with a metric", "for example checkout.goodput_share >= 99%"}
	}
	metric, bad := c.subject(&e, subject, start)
	if bad != nil {
		return e, bad
	}
	if bad = c.qualify(&e, s, metric); bad != nil {
		return e, bad
	}
	opAt := s.at
	op, ok := s.operator()
	if !ok {
		return e, &slip{opAt, max(1, len(s.text)-opAt), "an operator is missing", "one of >= <= > < == !="}
	}
	e.Op = op
	s.space()
	if s.at == len(s.text) {
		return e, &slip{opAt, len(s.text) - opAt, "the bound is missing", "for example " + boundExample(metric.Unit)}
	}
	bound := strings.TrimSpace(s.rest())
	return e, c.bound(&e, metric, bound, &slip{offset: s.at, width: width(bound)})
}

// qualify reads what may stand between metric and operator.
func (c *claimant) qualify(e *Expectation, s *scanner, m result.Metric) *slip {
	word, at := s.word()
	if word != "" && word != "during" {
		if !contains(aggregates, word) {
			return &slip{at, width(word), "'" + clip(word) + "' is not an aggregate", meant(word, "allowed", append([]string{"during"}, aggregates...))}
		}
		if m.Combine == "run" {
			return &slip{at, width(word), "'" + m.Name + "' is one value for the whole run; it has no '" + word + "'", ""}
		}
		e.Aggregate = word
		word, at = s.word()
	}
	if word == "" {
		return nil
	}
	if word != "during" {
		return &slip{at, width(word), "expected 'during' or an operator, found '" + clip(word) + "'", ""}
	}
	if m.Combine == "run" {
		return &slip{at, width(word), "'" + m.Name + "' is one value for the whole run; it has no window", ""}
	}
	return c.window(e, s)
}

func boundExample(unit string) string {
	switch unit {
	case "/s":
		return "1000/s"
	case "ms":
		return "200ms"
	case "s":
		return "40m"
	case "share":
		return "99%"
	case "word":
		return "rescued"
	}
	return "4.5"
}

func (c *claimant) bound(e *Expectation, m result.Metric, text string, s *slip) *slip {
	var bad *complaint
	switch m.Unit {
	case "word":
		if e.Op != "==" && e.Op != "!=" {
			s.message, s.hint = "a verdict is compared with == or !=", ""
			return s
		}
		if e.Word = text; !contains(verdictWords, text) {
			s.message, s.hint = "'"+clip(text)+"' is not a verdict", meant(text, "allowed", verdictWords)
			return s
		}
	case "/s":
		e.Bound, bad = readRate(text, false)
	case "ms", "s":
		var d time.Duration
		d, bad = readDuration(text)
		e.Bound = d.Seconds()
		if m.Unit == "ms" {
			e.Bound = float64(d) / float64(time.Millisecond)
		}
	case "share":
		if e.Bound, bad = readShare(text); bad == nil && (e.Bound < 0 || e.Bound > 1) {
			bad = complain("write 99% or 0.99", "'%s' is out of range: a share is at least 0%% and at most 100%%", clip(text))
		}
	default:
		if e.Bound, bad = readNumber(text); bad != nil {
			bad.hint = "'" + m.Name + "' is a plain number, for example 4.5"
		}
	}
	if bad != nil {
		s.message, s.hint = bad.message, bad.hint
		return s
	}
	return nil
}
