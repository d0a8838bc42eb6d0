package scenario

import "regexp"

// shape says what may stand in a place of the file. The shapes of all places
// together are the language: reading, suggestions, --set, the JSON Schema, the
// reference page and explain all walk this one table.
type shape struct {
	// name of the shape in a message, with its article: "a duration".
	name string
	// title of its section in the reference and key of its schema; only mappings.
	title string
	about string
	kind  shapeKind
	// keys of a mapping, in the order of the reference.
	keys []key
	// elem of a list or of a mapping from names.
	elem *shape
	// alts of a union; at most one for each kind of YAML node.
	alts []*shape
	// lift is the key that a lone scalar in a union stands for.
	lift string
	// words of an enumeration.
	words []string
	// target of a reference: callers, pipelines, services.
	target []string
	// lo and hi bound a quantity; above excludes lo itself, below hi. Durations in seconds.
	lo, hi       float64
	above, below bool
	// bare: a number without '/s' is a rate too, per second.
	bare bool
	// named: the text is a name, of letters, digits, '-' and '_'.
	named bool
	// least number of items of a list.
	least int
	// example of a value.
	example string
}

type shapeKind uint8

const (
	anyShape     shapeKind = iota
	mappingShape           // fixed keys
	namedShape             // NAME: elem
	listShape              // - elem
	unionShape             // one of alts, by the kind of YAML node
	durationShape
	rateShape
	shareShape
	percentShape
	countShape
	numberShape
	switchShape
	wordShape
	textShape
	refShape
	windowShape // a number of calls, or a duration
	claimShape
)

// key is one setting of a mapping.
type key struct {
	name  string
	shape *shape
	// need: must be given.
	need bool
	// choice: exactly one of the choices of a mapping must be given.
	choice  bool
	dflt    string
	meaning string
	// pattern: the key stands for all whose names match; its own name is what they
	// are called.
	pattern *regexp.Regexp
	// elsewhere is what other systems call it, and how that differs.
	elsewhere string
}

func (s *shape) key(name string) *key {
	for i := range s.keys {
		if s.keys[i].is(name) {
			return &s.keys[i]
		}
	}
	return nil
}

// own returns the key that the table calls so.
func (s *shape) own(name string) *key {
	for i := range s.keys {
		if s.keys[i].name == name {
			return &s.keys[i]
		}
	}
	return nil
}

// is reports whether a key of the file is this one.
func (k *key) is(name string) bool {
	if k.pattern == nil {
		return k.name == name
	}
	return k.pattern.MatchString(name)
}

func (s *shape) keyNames() []string {
	names := make([]string, len(s.keys))
	for i, k := range s.keys {
		names[i] = k.name
	}
	return names
}

func (s *shape) choices() []string {
	var names []string
	for _, k := range s.keys {
		if k.choice {
			names = append(names, k.name)
		}
	}
	return names
}

// fits returns the alternative that a node of this kind is read as, or nil.
func (s *shape) fits(k nodeKind) *shape {
	if s.kind == unionShape {
		for _, a := range s.alts {
			if a.nodeKind() == k {
				return a
			}
		}
		return nil
	}
	if s.kind == anyShape || s.nodeKind() == k {
		return s
	}
	return nil
}

func (s *shape) nodeKind() nodeKind {
	switch s.kind {
	case mappingShape, namedShape:
		return mappingNode
	case listShape:
		return listNode
	}
	return scalarNode
}

// unlimited stands for "no upper bound".
const unlimited = 1e18

func span(lo, hi float64) *shape {
	return &shape{kind: durationShape, name: "a duration", lo: lo, hi: hi, example: "30s"}
}

// maxSpanS is the longest duration a scenario may hold: 1000 hours, so that no
// sum of instants overflows.
const maxSpanS = 3_600_000

func duration() *shape { return span(0, maxSpanS) }

func positiveDuration() *shape {
	s := span(0, maxSpanS)
	s.above = true
	return s
}

func rate() *shape {
	return &shape{kind: rateShape, name: "a rate", lo: 0, hi: 1e9, example: "800/s"}
}

func share() *shape {
	return &shape{kind: shareShape, name: "a share", lo: 0, hi: 1, example: "50%"}
}

func positiveShare() *shape {
	s := share()
	s.above = true
	return s
}

func percent() *shape {
	return &shape{kind: percentShape, name: "a percentage", lo: 0, hi: 100, above: true, example: "50"}
}

func count(lo, hi float64) *shape {
	return &shape{kind: countShape, name: "a whole number", lo: lo, hi: hi, example: "3"}
}

func number(lo, hi float64) *shape {
	return &shape{kind: numberShape, name: "a number", lo: lo, hi: hi, example: "1.5"}
}

func toggle() *shape { return &shape{kind: switchShape, name: "true or false", example: "true"} }

func text(name, example string) *shape {
	return &shape{kind: textShape, name: name, example: example}
}

func oneWord(words ...string) *shape {
	return &shape{kind: wordShape, name: "one of the words", words: words, example: words[0]}
}

func ref(targets ...string) *shape {
	name := map[string]string{"services": "the name of a service", "pipelines": "the name of a pipeline", "callers": "the name of a fleet of callers"}[targets[0]]
	if len(targets) > 1 {
		name = "the name of a fleet or a service"
	}
	return &shape{kind: refShape, name: name, target: targets, example: "payments"}
}

func listOf(elem *shape, least int) *shape {
	return &shape{kind: listShape, name: "a list", elem: elem, least: least}
}

func namedOf(elem *shape) *shape {
	return &shape{kind: namedShape, name: "a mapping from names", elem: elem}
}

func union(name string, alts ...*shape) *shape {
	return &shape{kind: unionShape, name: name, alts: alts}
}

// in returns the first name by which a key stands in a mapping, empty when it does not.
func (k *key) in(n *node) string {
	for _, name := range n.keys {
		if k.is(name) {
			return name
		}
	}
	return ""
}
