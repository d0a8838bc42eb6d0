package scenario

import (
	"fmt"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// Explain says what a word of the language means: a key (maxAttempts, or with
// what it stands in: retry.maxAttempts), a part (retry), a word that may be
// chosen (blackhole), a metric (goodput_share) or a verdict. It is false for an
// unknown word, and the text is then a suggestion, which may be empty.
func Explain(word string) (string, bool) {
	var found entries
	within, name := "", word
	if i := len(word) - len(lastPart(word)) - 1; i >= 0 {
		if _, metric := find("", word); !metric {
			within, name = strings.TrimRight(word[:i], "]0123456789+["), word[i+1:]
		}
	}
	for _, s := range sections() {
		found.section(s, within, name)
	}
	b := found.text()
	for _, m := range result.Catalogue() {
		if m.Name == word {
			fmt.Fprintf(b, "%s (metric of %s, unit %s)\n  %s\n", m.Name, m.Kind, m.Unit, sentence(m.Meaning))
		}
	}
	if contains(verdictWords, word) {
		fmt.Fprintf(b, "%s (verdict)\n  %s\n", word, verdictMeanings[word])
	}
	if b.Len() > 0 {
		return b.String(), true
	}
	if c := nearest(name, vocabulary()); c != "" {
		return fmt.Sprintf("did you mean '%s'?", c), false
	}
	return "", false
}

var verdictMeanings = map[string]string{
	string(result.Stable):     "No fault took goodput below the recovery share for long.",
	string(result.Recovered):  "It healed by itself after the last fault.",
	string(result.Rescued):    "It healed after an operator acted.",
	string(result.Metastable): "The trigger is over, the offered load is below capacity, and it does not heal.",
	string(result.Overloaded): "The offered load alone exceeds capacity.",
	string(result.Undecided):  "The run ended before it could be told.",
}

// entry is one meaning of a word, in all places where it means the same.
type entry struct {
	word   string
	places []string
	body   string
}

// entries are the meanings of a word, each once, and the parts that they list.
type entries struct {
	list   []entry
	listed map[string]bool
}

func (e *entries) add(word, place, body string) {
	for i := range e.list {
		if e.list[i].word == word && e.list[i].body == body {
			e.list[i].places = append(e.list[i].places, place)
			return
		}
	}
	e.list = append(e.list, entry{word, []string{place}, body})
}

func (e *entries) text() *strings.Builder {
	b := &strings.Builder{}
	for _, x := range e.list {
		b.WriteString(x.word)
		if x.places[0] != "" {
			fmt.Fprintf(b, " (%s)", strings.Join(x.places, ", "))
		}
		fmt.Fprintf(b, "\n%s", x.body)
	}
	return b
}

// section looks for a word among the keys of one part, then at its title, unless a
// key has listed that part already.
func (e *entries) section(s *shape, within, name string) {
	for _, k := range s.keys {
		if (k.name == name || k.is(name)) && (within == "" || strings.HasSuffix(plainWord(within), plainWord(s.title)) || within == s.title) {
			if part := k.shape.part(); part != nil {
				if e.listed == nil {
					e.listed = map[string]bool{}
				}
				e.listed[part.title] = true
			}
			e.add(k.name, "in "+s.name, k.explained())
		}
		if within == "" && k.shape.kind == wordShape && contains(k.shape.words, name) {
			e.add(name, fmt.Sprintf("a word for '%s' in %s", k.name, s.name), fmt.Sprintf("  %s\n", sentence(k.meaning)))
		}
	}
	if within == "" && plainWord(s.title) == plainWord(name) && !e.listed[s.title] {
		e.add(s.title, "", fmt.Sprintf("  %s\n%s", s.about, s.keyList()))
	}
}

// part is the mapping that stands behind a key, alone, in a list or under names;
// nil when there is none.
func (s *shape) part() *shape {
	switch s.kind {
	case mappingShape:
		return s
	case listShape, namedShape:
		return s.elem.part()
	case unionShape:
		for _, a := range s.alts {
			if p := a.part(); p != nil {
				return p
			}
		}
	}
	return nil
}

// explained is all that there is to say about a key, indented.
func (k key) explained() string {
	b, part := &strings.Builder{}, k.shape.part()
	_, rest, _ := strings.Cut(k.meaning, " ")
	if part == nil || !strings.Contains(part.about, rest) {
		fmt.Fprintf(b, "  %s\n", sentence(k.meaning))
	}
	if part != nil {
		fmt.Fprintf(b, "  %s\n", part.about)
	}
	if r := k.shape.rangeWords(); r != "" {
		fmt.Fprintf(b, "  value: %s\n", r)
	}
	if k.need {
		b.WriteString("  must be given\n")
	}
	if k.dflt != "" {
		fmt.Fprintf(b, "  default: %s\n", k.dflt)
	}
	if k.shape.example != "" && k.shape.kind != mappingShape {
		name := k.name
		if k.pattern != nil {
			name = "p99"
		}
		fmt.Fprintf(b, "  example: %s: %s\n", name, k.shape.example)
	}
	if k.elsewhere != "" {
		fmt.Fprintf(b, "  elsewhere: %s\n", k.elsewhere)
	}
	if part != nil {
		b.WriteString(part.keyList())
	}
	return b.String()
}

// keyList lists the keys of a part with their defaults and meanings.
func (s *shape) keyList() string {
	b := &strings.Builder{}
	b.WriteString("  keys:\n")
	if choices := s.choices(); len(choices) > 0 {
		b.Reset()
		fmt.Fprintf(b, "  keys, exactly one of %s:\n", strings.Join(choices, ", "))
	}
	for _, k := range s.keys {
		note := ""
		switch {
		case k.need:
			note = " (must be given)"
		case k.dflt != "":
			note = " (default: " + k.dflt + ")"
		}
		fmt.Fprintf(b, "    %s%s\n%s", k.name, note, folded(k.meaning, "      "))
	}
	return b.String()
}

// foldedMax is how many columns a line of a folded text has at most.
const foldedMax = 96

// folded breaks a text into lines that begin with an indent.
func folded(text, indent string) string {
	var b strings.Builder
	line := indent
	for _, word := range strings.Fields(text) {
		if line != indent && width(line)+1+width(word) > foldedMax {
			b.WriteString(line + "\n")
			line = indent
		}
		if line != indent {
			line += " "
		}
		line += word
	}
	return b.String() + line + "\n"
}

// vocabulary is every word that Explain knows.
func vocabulary() []string {
	var out []string
	for _, s := range sections() {
		out = append(append(out, s.title), s.keyNames()...)
	}
	for _, m := range result.Catalogue() {
		out = append(out, m.Name)
	}
	return append(out, verdictWords...)
}
