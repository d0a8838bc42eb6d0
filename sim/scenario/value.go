package scenario

import "time"

// value is a node that fits its shape. Methods on a nil value answer with the
// default, so that builders read what is not there as what it means.
type value struct {
	node *node
	path string
	// broken: something inside was refused; what is here is not the whole.
	broken bool
	// fields of a mapping, parallel to names; items of a list.
	names  []string
	fields []*value
	items  []*value

	dur   time.Duration
	num   float64
	whole uint64
	flag  bool
	word  string
	// spelt as a duration, in a place where a number may stand too.
	timed bool
}

func (v *value) get(name string) *value {
	if v == nil {
		return nil
	}
	for i, n := range v.names {
		if n == name {
			return v.fields[i]
		}
	}
	return nil
}

// at is where the key stands, or the mapping itself when it is not there.
func (v *value) at(name string) pos {
	if v == nil {
		return pos{}
	}
	if i := v.node.find(name); i >= 0 {
		return v.node.keyPos[i]
	}
	return v.node.pos
}

func (v *value) duration(name string, dflt time.Duration) time.Duration {
	if f := v.get(name); f != nil {
		return f.dur
	}
	return dflt
}

func (v *value) number(name string, dflt float64) float64 {
	if f := v.get(name); f != nil {
		return f.num
	}
	return dflt
}

func (v *value) count(name string, dflt int) int {
	if f := v.get(name); f != nil {
		return int(f.whole)
	}
	return dflt
}

func (v *value) text(name, dflt string) string {
	if f := v.get(name); f != nil {
		return f.word
	}
	return dflt
}

func (v *value) bool(name string) bool {
	f := v.get(name)
	return f != nil && f.flag
}

func (v *value) list(name string) []*value {
	if f := v.get(name); f != nil {
		return f.items
	}
	return nil
}

// chosen returns the one choice that was given, or "" and nil.
func (v *value) chosen(s *shape) (string, *value) {
	for _, name := range s.choices() {
		if f := v.get(name); f != nil {
			return name, f
		}
	}
	return "", nil
}
