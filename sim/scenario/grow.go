package scenario

import (
	"gopkg.in/yaml.v3"
	"strings"
)

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
		p.width = max(1, width(n.Value[:min(len(n.Value), MaxText)]))
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			p.width += 2
		}
		if n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0 || strings.Contains(n.Value[:min(len(n.Value), MaxText)], "\n") {
			p.width = 1
		}
	}
	return p
}

// grow returns nil when a limit is passed. A node that is refused for another
// reason keeps its place, so that what is around it is still looked at.
func (g *grower) grow(n *yaml.Node, depth int) *node {
	if !g.admit(n, depth) {
		return g.refused(n)
	}
	if n.Kind == yaml.AliasNode {
		if g.open[n.Alias] {
			g.fs.fault(g.at(n), "", "", "alias '*%s' contains itself", n.Value)
			return g.refused(n)
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

func (g *grower) refused(n *yaml.Node) *node {
	if g.full {
		return nil
	}
	return &node{refused: true, pos: g.at(n)}
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
		if p.refused {
			continue
		}
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
