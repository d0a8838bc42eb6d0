package scenario

import "strconv"

// caller writes the settings of a fleet that only some have.
func (w *yamlWriter) caller(f *Fleet) {
	if len(f.Classes) > 0 {
		w.line(2, "classes:")
	}
	for _, c := range f.Classes {
		var p pairs
		p.float("weight", c.Weight)
		p.add("priority", strconv.Itoa(c.Priority))
		p.add("idempotent", strconv.FormatBool(c.Idempotent))
		w.line(3, "%s: %s", c.Name, p)
	}
}
