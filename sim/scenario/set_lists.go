package scenario

import (
	"fmt"
)

func (s *setter) index(n *node, fit *shape, i int) {
	st := s.steps[i]
	if !st.grow {
		if st.index >= len(n.items) {
			s.fault(i, "[+] appends an item", "'%s' has %s", s.prefix(i), items(len(n.items)))
			return
		}
		if !s.last(i) {
			s.walk(n.items[st.index], fit.elem, i+1)
		} else if s.removes() {
			n.removeAt(st.index)
		} else {
			n.items[st.index] = s.item
		}
		return
	}
	place := st.index
	if place < 0 {
		place = len(n.items)
	}
	if place > len(n.items) {
		s.fault(i, "", "'%s' has %s; a new one cannot stand before item %d", s.prefix(i), items(len(n.items)), place)
		return
	}
	if s.last(i) && s.removes() {
		s.fault(i, "", "a new item needs a value")
		return
	}
	fresh := s.item
	if !s.last(i) {
		fresh = &node{kind: mappingNode, pos: s.pos(i)}
	}
	n.items = append(n.items[:place:place], append([]*node{fresh}, n.items[place:]...)...)
	if !s.last(i) {
		s.walk(fresh, fit.elem, i+1)
	}
}

func items(n int) string {
	switch n {
	case 0:
		return "no items"
	case 1:
		return "1 item: [0]"
	}
	return fmt.Sprintf("%d items: [0] to [%d]", n, n-1)
}

// byKind finds the one item of a list that is of the named kind.
func (s *setter) byKind(n *node, fit *shape, i int) {
	name := s.steps[i].name
	choices := fit.elem.choices()
	if k := fit.elem.key(name); k == nil || !k.choice {
		if len(choices) == 0 {
			s.fault(i, "items are addressed as [0], [1], ...", "'%s' is a list", s.prefix(i))
			return
		}
		s.fault(i, meant(name, "kinds", choices), "'%s' is not a kind of item in '%s'", clip(name), s.prefix(i))
		return
	}
	var found []int
	for at, item := range n.items {
		if item.find(name) >= 0 {
			found = append(found, at)
		}
	}
	switch {
	case len(found) == 0:
		s.fault(i, fmt.Sprintf("%s[+].%s={...} appends one", s.prefix(i), name), "there is no '%s' in '%s'", name, s.prefix(i))
	case len(found) > 1:
		s.fault(i, fmt.Sprintf("say which: %s[%d].%s", s.prefix(i), found[0], name), "there are %d items '%s' in '%s'", len(found), name, s.prefix(i))
	case s.last(i) && s.removes():
		n.removeAt(found[0])
	case s.beside(fit.elem, name, i):
		s.walk(n.items[found[0]], fit.elem, i+1)
	default:
		s.walk(n.items[found[0]], fit.elem, i)
	}
}

// beside reports whether the step after a kind names a key that stands beside
// the kind, not inside it: faults.partition.for.
func (s *setter) beside(elem *shape, kind string, i int) bool {
	if s.last(i) || s.steps[i+1].item {
		return false
	}
	next := s.steps[i+1].name
	inner := elem.key(kind).shape.fits(mappingNode)
	outer := elem.key(next)
	return outer != nil && !outer.choice && (inner == nil || inner.key(next) == nil)
}
