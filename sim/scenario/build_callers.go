package scenario

func (b *builder) classes(v *value) []Class {
	if v == nil {
		return nil
	}
	var list []Class
	total := 0.0
	each(v, func(name string, c *value) {
		class := Class{Name: name, Weight: c.number("weight", 1), Priority: c.count("priority", 0), Idempotent: true}
		if f := c.get("idempotent"); f != nil {
			class.Idempotent = f.flag
		}
		total += class.Weight
		list = append(list, class)
	})
	switch {
	case v.broken:
	case len(list) == 0:
		b.fs.fault(v.node.pos, v.path, "name a class, or leave the key out", "'classes' is empty")
	case len(list) > maxClasses:
		b.fs.fault(v.node.pos, v.path, "", "there are %d classes; a fleet may have at most %d", len(list), maxClasses)
	case total == 0:
		b.fs.fault(v.node.pos, v.path, "give one of them a weight above 0", "all classes have weight 0: no request could be of any")
	}
	return list
}
