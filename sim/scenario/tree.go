package scenario

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// nodeKind is what YAML knows: a scalar, a list, a mapping.
type nodeKind uint8

const (
	scalarNode nodeKind = iota
	listNode
	mappingNode
)

func (k nodeKind) String() string {
	return [...]string{"a single value", "a list", "a mapping"}[k]
}

// node is a YAML value with aliases and merge keys resolved. Every value has
// its own node, so that setting one path never changes another.
type node struct {
	kind nodeKind
	text string
	// quoted: written as a string (in quotes or as a block), so never a number.
	quoted bool
	null   bool
	// refused: what stood here was told already; it is neither there nor missing.
	refused bool
	pos     pos
	// keys and keyPos are parallel to items in a mapping.
	keys   []string
	keyPos []pos
	items  []*node
}

func (n *node) find(key string) int {
	if n != nil && n.kind == mappingNode {
		for i, k := range n.keys {
			if k == key {
				return i
			}
		}
	}
	return -1
}

func (n *node) child(key string) *node {
	if i := n.find(key); i >= 0 {
		return n.items[i]
	}
	return nil
}

func (n *node) put(key string, at pos, item *node) {
	if i := n.find(key); i >= 0 {
		n.items[i], n.keyPos[i] = item, at
		return
	}
	n.keys, n.keyPos, n.items = append(n.keys, key), append(n.keyPos, at), append(n.items, item)
}

func (n *node) removeAt(i int) {
	n.items = append(n.items[:i:i], n.items[i+1:]...)
	if n.kind == mappingNode {
		n.keys = append(n.keys[:i:i], n.keys[i+1:]...)
		n.keyPos = append(n.keyPos[:i:i], n.keyPos[i+1:]...)
	}
}

// parse reads exactly one YAML document.
func parse(src *source, text []byte, fs *findings) *node {
	if !checkText(src, text, fs) {
		return nil
	}
	dec := yaml.NewDecoder(bytes.NewReader(text))
	var doc, second yaml.Node
	err := decode(dec, &doc)
	if errors.Is(err, io.EOF) || (err == nil && len(doc.Content) == 0) {
		fs.fault(pos{src: src}, "", "a scenario begins with 'version: 1'; 'resilsim init' writes one to start from", "the file is empty")
		return nil
	}
	if err != nil {
		syntaxFault(src, err, fs)
		return nil
	}
	if err := decode(dec, &second); !errors.Is(err, io.EOF) {
		at := pos{src: src, line: max(second.Line, 1), col: max(second.Column, 1)}
		if err != nil {
			syntaxFault(src, err, fs)
			return nil
		}
		fs.fault(at, "", "put each scenario in a file of its own", "a second document begins here; a scenario is exactly one")
		return nil
	}
	g := grower{src: src, fs: fs, open: map[*yaml.Node]bool{}}
	root := g.grow(doc.Content[0], 1)
	if g.full || (root != nil && root.refused) {
		return nil
	}
	return root
}

var errParser = errors.New("this cannot be read as YAML")

// decode guards against a panic of the parser: whatever a file holds, the
// answer is a finding.
func decode(dec *yaml.Decoder, into *yaml.Node) (err error) {
	defer func() {
		if recover() != nil {
			err = errParser
		}
	}()
	return dec.Decode(into)
}

var yamlLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)

func syntaxFault(src *source, err error, fs *findings) {
	text := err.Error()
	at := pos{src: src, line: 1, col: 1}
	if m := yamlLine.FindStringSubmatch(text); m != nil {
		if n, e := strconv.Atoi(m[1]); e == nil {
			at.line = n
		}
		text = text[len(m[0]):]
	}
	if at.line > len(src.lines) {
		at.line = len(src.lines)
	}
	line := src.line(at.line)
	at.col = 1 + width(line) - width(strings.TrimLeft(line, " \t"))
	at.width = max(1, width(strings.TrimSpace(line)))
	hint := ""
	switch {
	case strings.Contains(line, "\t"):
		hint = "YAML is indented with spaces, not with tabs"
	case strings.Contains(text, "did not find expected") || strings.Contains(text, "mapping values"):
		hint = "look at the indentation and at the colons and brackets of this line and the one before"
	}
	fs.fault(at, "", hint, "not valid YAML: %s", text)
}
