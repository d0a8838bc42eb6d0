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
	pos    pos
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
	return g.grow(doc.Content[0], 1)
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

// grower turns the parser's nodes into ours, within the limits.
type grower struct {
	src   *source
	fs    *findings
	count int
	open  map[*yaml.Node]bool
	full  bool
}

func (g *grower) at(n *yaml.Node) pos {
	p := pos{src: g.src, line: n.Line, col: n.Column, width: 1}
	if n.Kind == yaml.ScalarNode {
		p.width = max(1, width(n.Value))
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			p.width += 2
		}
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || strings.Contains(n.Value, "\n") {
			p.width = 1
		}
	}
	return p
}

// grow returns nil when the node was refused; the finding is noted.
func (g *grower) grow(n *yaml.Node, depth int) *node {
	if !g.admit(n, depth) {
		return nil
	}
	if n.Kind == yaml.AliasNode {
		if g.open[n.Alias] {
			g.fs.fault(g.at(n), "", "", "alias '*%s' contains itself", n.Value)
			return nil
		}
		return g.grow(n.Alias, depth+1)
	}
	g.open[n] = true
	defer delete(g.open, n)
	switch n.Kind {
	case yaml.MappingNode:
		return g.mapping(n, depth)
	case yaml.SequenceNode:
		out := &node{kind: listNode, pos: g.at(n)}
		for _, item := range n.Content {
			if child := g.grow(item, depth+1); child != nil {
				out.items = append(out.items, child)
			}
		}
		return out
	}
	out := &node{text: n.Value, pos: g.at(n)}
	out.quoted = n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0
	out.null = !out.quoted && n.Tag == "!!null"
	return out
}

func (g *grower) admit(n *yaml.Node, depth int) bool {
	if g.full {
		return false
	}
	g.count++
	if g.count > MaxNodes {
		g.full = true
		g.fs.fault(g.at(n), "", "", "more than %d keys and values (aliases counted as often as they are used)", MaxNodes)
		return false
	}
	if depth > MaxDepth {
		g.full = true
		g.fs.fault(g.at(n), "", "", "nested deeper than %d levels", MaxDepth)
		return false
	}
	if n.Style&yaml.TaggedStyle != 0 {
		g.fs.fault(g.at(n), "", "leave the tag out", "tag '%s' is not part of the scenario language", n.Tag)
		return false
	}
	return true
}

func (g *grower) mapping(n *yaml.Node, depth int) *node {
	out := &node{kind: mappingNode, pos: g.at(n)}
	var merges []*yaml.Node
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if !g.admit(k, depth) {
			continue
		}
		if k.Kind == yaml.ScalarNode && k.Tag == "!!merge" {
			merges = append(merges, v)
			continue
		}
		if k.Kind == yaml.AliasNode && k.Alias != nil {
			k = k.Alias
		}
		if k.Kind != yaml.ScalarNode || k.Value == "" {
			g.fs.fault(g.at(k), "", "", "a key must be a plain word")
			continue
		}
		if first := out.find(k.Value); first >= 0 {
			g.fs.fault(g.at(k), "", "", "key '%s' appears twice; it was set in line %d already", k.Value, out.keyPos[first].line)
			continue
		}
		if child := g.grow(v, depth+1); child != nil {
			out.put(k.Value, g.at(k), child)
		}
	}
	for _, m := range merges {
		g.merge(out, m, depth)
	}
	return out
}

// merge adds the keys of '<<' that the mapping does not have itself.
func (g *grower) merge(out *node, from *yaml.Node, depth int) {
	grown := g.grow(from, depth+1)
	if grown == nil {
		return
	}
	parts := []*node{grown}
	if grown.kind == listNode {
		parts = grown.items
	}
	for _, p := range parts {
		if p.kind != mappingNode {
			g.fs.fault(p.pos, "", "", "'<<' merges mappings; this is %s", p.kind)
			continue
		}
		for i, k := range p.keys {
			if out.find(k) < 0 {
				out.put(k, p.keyPos[i], p.items[i])
			}
		}
	}
}
