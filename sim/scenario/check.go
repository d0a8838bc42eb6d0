package scenario

import (
	"fmt"
	"regexp"
	"strings"
)

// checker holds a tree against the table.
type checker struct {
	fs *findings
}

// almostPercentile is what was meant as a percentile.
var almostPercentile = regexp.MustCompile(`^[pP][0-9N]`)

var nameRule = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)

// check returns nil when the node does not fit; the finding is noted.
func (c *checker) check(n *node, s *shape, path string) *value {
	if n.refused {
		return nil
	}
	if n.null && s.kind != anyShape {
		c.fs.fault(n.pos, path, "give it a value, or leave the key out", "%s has no value; expected %s", c.called(path), s.describe())
		return nil
	}
	fit := s.fits(n.kind)
	if fit == nil {
		c.misfit(n, s, path)
		return nil
	}
	switch fit.kind {
	case mappingShape:
		return c.mapping(n, fit, path)
	case namedShape:
		return c.named(n, fit, path)
	case listShape:
		return c.list(n, fit, path)
	case anyShape:
		return &value{node: n, path: path}
	}
	v := &value{node: n, path: path}
	if !c.scalar(v, fit) {
		return nil
	}
	return v
}

func (c *checker) called(path string) string {
	if path == "" {
		return "the scenario"
	}
	return "'" + lastPart(path) + "'"
}

func lastPart(path string) string {
	for i := strings.LastIndexByte(path, '.'); i >= 0; i = strings.LastIndexByte(path[:i], '.') {
		if i+1 < len(path) && path[i+1] >= '0' && path[i+1] <= '9' {
			continue // p99.9
		}
		return path[i+1:]
	}
	return path
}

func (c *checker) misfit(n *node, s *shape, path string) {
	found := n.kind.String()
	if n.kind == scalarNode {
		found = "'" + clip(n.text) + "'"
	}
	hint := ""
	if s.example != "" && s.kind != mappingShape {
		hint = "for example " + s.example
	}
	if keys := s.keyNames(); len(keys) > 0 {
		hint = "its keys: " + strings.Join(keys, ", ")
	}
	c.fs.fault(n.pos, path, hint, "%s must be %s; found %s", c.called(path), s.describe(), found)
}

// describe says in words what may stand there.
func (s *shape) describe() string {
	switch s.kind {
	case mappingShape:
		return s.name + " (a mapping)"
	case listShape:
		return "a list (lines that begin with '- ')"
	}
	return s.name
}

func clip(s string) string {
	const most = 60
	if len(s) > 8*most {
		s = strings.ToValidUTF8(s[:8*most], "")
	}
	r := []rune(s)
	if len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

func (c *checker) mapping(n *node, s *shape, path string) *value {
	v := &value{node: n, path: path}
	for i, name := range n.keys {
		k := s.key(name)
		if k == nil {
			if path == "" && strings.HasPrefix(name, "x-") {
				continue // anchors have a home there
			}
			v.broken = true
			c.fs.fault(n.keyPos[i], join(path, clip(name)), s.stray(name), "unknown key '%s' in %s", clip(name), s.name)
			continue
		}
		f := c.check(n.items[i], k.shape, join(path, name))
		if f == nil || f.broken {
			v.broken = true
		}
		if f != nil {
			v.names, v.fields = append(v.names, name), append(v.fields, f)
		}
	}
	c.required(v, s, path)
	return v
}

// stray is the hint for a key that this mapping does not have.
func (s *shape) stray(name string) string {
	switch {
	case s == language && name == "set":
		return "'set' belongs to a scenario that extends another"
	case s == sibling && language.key(name) != nil:
		return "a scenario that extends another says what differs under 'set', as path: value"
	case s.own(percentileKey) != nil && almostPercentile.MatchString(name):
		return "a percentile is p50, p99 or p99.9: above p0, below p100, at most 6 digits behind the point"
	}
	return meant(name, "known keys", s.keyNames())
}

func (c *checker) required(v *value, s *shape, path string) {
	for _, k := range s.keys {
		if k.need && v.node.find(k.name) < 0 {
			c.fs.fault(v.node.pos, path, fmt.Sprintf("%s: %s", k.name, k.meaning), "%s needs the key '%s'", s.name, k.name)
			v.broken = true
		}
	}
	choices := s.choices()
	if len(choices) == 0 {
		return
	}
	var given []string
	for _, name := range choices {
		if at := s.own(name).in(v.node); at != "" {
			given = append(given, at)
		}
	}
	if len(given) == 1 {
		return
	}
	if len(given) == 0 && v.broken {
		return // most likely the misspelt key that was told already
	}
	v.broken = true
	if len(given) == 0 {
		c.fs.fault(v.node.pos, path, "", "%s needs exactly one of: %s", s.name, strings.Join(choices, ", "))
		return
	}
	c.fs.fault(v.at(given[1]), join(path, given[1]), "make two of it, or leave one out", "%s has both '%s' and '%s'; exactly one of them is allowed", s.name, given[0], given[1])
}

func (c *checker) named(n *node, s *shape, path string) *value {
	v := &value{node: n, path: path}
	for i, name := range n.keys {
		if !nameRule.MatchString(name) {
			c.fs.fault(n.keyPos[i], join(path, clip(name)), "a name begins with a letter and has letters, digits, '-' and '_' only, at most 64", "'%s' is not a name", clip(name))
			v.broken = true
			continue
		}
		f := c.check(n.items[i], s.elem, join(path, name))
		if f == nil {
			// The name is known all the same, so that references to it are not faults too.
			f = &value{node: n.items[i], path: join(path, name), broken: true}
		}
		v.broken = v.broken || f.broken
		v.names, v.fields = append(v.names, name), append(v.fields, f)
	}
	return v
}

func (c *checker) list(n *node, s *shape, path string) *value {
	v := &value{node: n, path: path}
	if len(n.items) < s.least {
		plural := "s"
		if s.least == 1 {
			plural = ""
		}
		c.fs.fault(n.pos, path, "", "%s must have at least %d item%s", c.called(path), s.least, plural)
		v.broken = true
	}
	for i, item := range n.items {
		f := c.check(item, s.elem, fmt.Sprintf("%s[%d]", path, i))
		if f == nil {
			v.broken = true
			f = &value{node: item, path: fmt.Sprintf("%s[%d]", path, i), broken: true}
		}
		v.broken = v.broken || f.broken
		v.items = append(v.items, f)
	}
	return v
}
