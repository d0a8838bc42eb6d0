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
	var b strings.Builder
	within, name := "", word
	if i := strings.LastIndexByte(word, '.'); i >= 0 {
		if _, metric := find("", word); !metric {
			within, name = strings.TrimRight(word[:i], "]0123456789+["), word[i+1:]
		}
	}
	for _, s := range sections() {
		explainSection(&b, s, within, name)
	}
	for _, m := range result.Catalogue() {
		if m.Name == word {
			fmt.Fprintf(&b, "%s (metric of %s, unit %s)\n  %s\n", m.Name, m.Kind, m.Unit, sentence(m.Meaning))
		}
	}
	if contains(verdictWords, word) {
		fmt.Fprintf(&b, "%s (verdict)\n  %s\n", word, verdictMeanings[word])
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

func explainSection(b *strings.Builder, s *shape, within, name string) {
	if within == "" && plainWord(s.title) == plainWord(name) {
		fmt.Fprintf(b, "%s\n  %s\n  keys: %s\n", s.title, s.about, strings.Join(s.keyNames(), ", "))
	}
	for _, k := range s.keys {
		if k.name == name && (within == "" || strings.HasSuffix(plainWord(within), plainWord(s.title)) || within == s.title) {
			explainKey(b, s, k)
		}
		if within == "" && k.shape.kind == wordShape && contains(k.shape.words, name) {
			fmt.Fprintf(b, "%s (a word for '%s' in %s)\n  %s\n", name, k.name, s.name, sentence(k.meaning))
		}
	}
}

func explainKey(b *strings.Builder, s *shape, k key) {
	fmt.Fprintf(b, "%s (in %s)\n  %s\n", k.name, s.name, sentence(k.meaning))
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
		fmt.Fprintf(b, "  example: %s: %s\n", k.name, k.shape.example)
	}
	if k.elsewhere != "" {
		fmt.Fprintf(b, "  elsewhere: %s\n", k.elsewhere)
	}
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
