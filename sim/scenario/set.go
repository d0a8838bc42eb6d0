package scenario

import (
	"strings"
)

// setter puts one value at one path of a tree.
type setter struct {
	fs    *findings
	at    pos // of the path's first character
	steps []pathStep
	item  *node // nil or null: take the setting away
}

// setText applies "path=value" as the command line gives it, and returns what it
// read; the item is nil when that is not of this form.
func setText(root *node, flag, text string, fs *findings) (path string, item *node) {
	src := &source{name: flag, lines: strings.Split(text, "\n")}
	at := pos{src: src, line: 1, col: 1, width: width(text)}
	path, val, found := strings.Cut(text, "=")
	if !found {
		fs.fault(at, "", "for example callers.checkout.instances=10", "'%s' is not of the form path=value", clip(text))
		return path, nil
	}
	item = &node{null: true, pos: at}
	if strings.TrimSpace(val) != "" {
		// Padding keeps the columns: the value stands where it stands in the argument.
		padded := strings.Repeat(" ", width(path)+1) + val
		if item = parse(src, []byte(padded), fs); item == nil {
			return path, nil
		}
	}
	path = strings.TrimSpace(path)
	setPath(root, path, at, item, fs)
	return path, item
}

// setPath applies one path; at is where the path itself is written.
func setPath(root *node, path string, at pos, item *node, fs *findings) {
	steps, offset, why := parsePath(path)
	if why != "" {
		fs.fault(at.within(offset, max(1, width(path)-offset)), path, "paths look like pipelines.payments-client.retry.maxAttempts", "'%s' is not a path: %s", clip(path), why)
		return
	}
	s := setter{fs: fs, at: at, steps: steps, item: item}
	s.walk(root, language, 0)
}

func (s *setter) pos(i int) pos { return s.at.within(s.steps[i].offset, s.steps[i].length) }

// prefix writes the path up to and without step i.
func (s *setter) prefix(i int) string {
	out := ""
	for _, st := range s.steps[:i] {
		if st.item {
			out += st.String()
		} else {
			out = join(out, st.name)
		}
	}
	return out
}

func (s *setter) fault(i int, hint, format string, args ...any) {
	s.fs.fault(s.pos(i), s.prefix(i+1), hint, format, args...)
}

func (s *setter) last(i int) bool { return i == len(s.steps)-1 }

func (s *setter) removes() bool { return s.item == nil || s.item.null }

// walk goes from n, which has the given shape, along step i.
func (s *setter) walk(n *node, sh *shape, i int) {
	if n.kind == scalarNode {
		if !s.open(n, sh, i) {
			return
		}
	}
	s.lengthen(n, sh, i)
	fit := sh.fits(n.kind)
	if fit == nil {
		s.fault(i, "", "what stands at '%s' is %s, not %s", s.prefix(i), n.kind, sh.name)
		return
	}
	st := s.steps[i]
	switch {
	case fit.kind == listShape && st.item:
		s.index(n, fit, i)
	case fit.kind == listShape:
		s.byKind(n, fit, i)
	case st.item && sh.kind == unionShape && sh.lift != "" && n.child(sh.lift) != nil:
		s.walk(n.child(sh.lift), fit.key(sh.lift).shape, i)
	case st.item:
		s.fault(i, "", "'%s' is not a list", s.prefix(i))
	case fit.kind == namedShape:
		s.named(n, fit, i)
	case fit.kind == mappingShape:
		s.key(n, sh, fit, i)
	default:
		s.fault(i, "", "there is nothing to set below '%s'", s.prefix(i))
	}
}

// open turns a lone scalar into the mapping it is short for, so that a path can
// lead into it: `timeout: 1s` becomes {timeoutDuration: 1s}.
func (s *setter) open(n *node, sh *shape, i int) bool {
	target := sh.fits(mappingNode)
	if s.steps[i].item || (target == nil && n.null) {
		target = sh.fits(listNode)
	}
	if target == nil || (!n.null && sh.lift == "") {
		s.fault(i, "", "'%s' is a single value; there is nothing below it", s.prefix(i))
		return false
	}
	old := *n
	*n = node{kind: target.nodeKind(), pos: old.pos}
	if !old.null && target.kind == mappingShape {
		n.put(sh.lift, old.pos, &old)
	}
	return true
}

// lengthen turns a list into the mapping it is short for when the path names a
// key of that mapping: a pipeline's list becomes {policies: list} for `shared`.
func (s *setter) lengthen(n *node, sh *shape, i int) {
	long := sh.fits(mappingNode)
	if n.kind != listNode || s.steps[i].item || long == nil || sh.lift == "" || long.key(s.steps[i].name) == nil {
		return
	}
	old := *n
	*n = node{kind: mappingNode, pos: old.pos}
	n.put(sh.lift, old.pos, &old)
}

func (s *setter) key(n *node, sh, fit *shape, i int) {
	name := s.steps[i].name
	k := fit.key(name)
	if k == nil {
		if lifted := fit.key(sh.lift); lifted != nil && lifted.shape.kind == listShape && n.child(sh.lift) != nil {
			s.walk(n.child(sh.lift), lifted.shape, i)
			return
		}
		s.fault(i, meant(name, "known keys", fit.keyNames()), "unknown key '%s' in %s", clip(name), fit.name)
		return
	}
	if k.choice && !(s.last(i) && s.removes()) {
		for _, other := range fit.choices() {
			o := fit.own(other)
			for at := o.in(n); at != "" && !o.is(name); at = o.in(n) {
				n.removeAt(n.find(at))
			}
		}
	}
	s.into(n, name, k.shape, i)
}

// into puts the value under a key, or goes on below it.
func (s *setter) into(n *node, name string, sh *shape, i int) {
	if s.last(i) {
		if !s.removes() {
			n.put(name, s.pos(i), s.item)
		} else if at := n.find(name); at >= 0 {
			n.removeAt(at)
		}
		return
	}
	if n.child(name) == nil {
		if s.removes() {
			return
		}
		n.put(name, s.pos(i), &node{null: true, pos: s.pos(i)})
	}
	s.walk(n.child(name), sh, i+1)
}

func (s *setter) named(n *node, fit *shape, i int) {
	name := s.steps[i].name
	if n.find(name) < 0 && !(s.last(i) && !s.removes()) {
		s.fault(i, meant(name, "there are", n.keys), "there is no '%s' in %s", clip(name), s.prefix(i))
		return
	}
	s.into(n, name, fit.elem, i)
}
