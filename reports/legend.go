package reports

import "image/color"

// entry explains one curve or layer in the gutter beside its panel.
type entry struct {
	name string
	// fact is what one would read off the curve: its peak, its mean.
	fact string
	pen  pen
	// swatch, when not transparent, is shown as a small area instead of a line.
	swatch color.NRGBA
}

const (
	entryName = 10.4
	entryFact = 9.0
	keyWidth  = 13.0
)

// legendHeight is the room that entries take, with or without their facts.
func legendHeight(entries []entry, facts bool) float64 {
	h := 0.0
	for _, e := range entries {
		h += entryName
		if facts && e.fact != "" {
			h += entryFact
		}
	}
	return h
}

// drawLegend writes the entries from the top of a box down. Facts are left out
// when they have no room.
func drawLegend(s *scene, entries []entry, b box) {
	facts := legendHeight(entries, true) <= b.high()+4
	y := b.y0
	for _, e := range entries {
		mid := y + entryName/2
		if e.swatch.A > 0 {
			s.area(box{b.x0, mid - 3.6, b.x0 + keyWidth, mid + 3.6}.corners(), e.swatch)
		} else {
			key := e.pen
			key.width = max(key.width, 1.4)
			s.line([]point{{b.x0, mid}, {b.x0 + keyWidth, mid}}, key)
		}
		x := b.x0 + keyWidth + 5
		s.text(label{text: shorten(e.name, nameStyle, b.x1-x), style: nameStyle, at: point{x, mid + 2.8}})
		y += entryName
		if facts && e.fact != "" {
			s.text(label{text: shorten(e.fact, factStyle, b.x1-x), style: factStyle, at: point{x, y + 5.8}})
			y += entryFact
		}
	}
}
