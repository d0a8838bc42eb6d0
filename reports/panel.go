package reports

import (
	"math"

	"github.com/resilsim/resilsim/sim/result"
)

// panel is one picture of the stack, before it has a place.
type panel struct {
	title  string
	height float64
	value  scale
	ticks  []tick
	curves []curve
	stack  *stack
	levels []level
	legend []entry
	// note is written where the data would be when there are none.
	note string
}

// level is a value that the data are held against: a dotted line with its name
// on it. An off level lies outside the axis: only its name is shown.
type level struct {
	v    float64
	text string
	off  bool
}

// drawData draws what lies below the rules: shading, grid, data, levels.
func (p *panel) drawData(s *scene, f *field, windows []result.Window) {
	shade(s, f, windows)
	for _, t := range p.ticks {
		if y := f.y(t.v); t.text != "" && y < f.frame.y1-1 {
			s.line([]point{{f.frame.x0, y}, {f.frame.x1, y}}, pen{gridGrey, 0.5, nil})
		}
	}
	if p.stack != nil {
		p.stack.draw(s, f)
	}
	for i := range p.curves {
		p.curves[i].draw(s, f)
	}
	for _, l := range p.levels {
		if y := f.y(l.v); !l.off {
			s.line([]point{{f.frame.x0, y}, {f.frame.x1, y}}, pen{levelGrey, 0.8, []float64{1, 2}})
		}
	}
}

// drawText draws axis, title and legend; names of levels come last, around
// what is already written.
func (p *panel) drawText(s *scene, f *field, gutter box, markers []marker) {
	b := f.frame
	s.line([]point{{b.x0, b.y0}, {b.x0, b.y1}}, pen{axisGrey, 0.6, nil})
	s.line([]point{{b.x0, b.y1}, {b.x1, b.y1}}, pen{axisGrey, 0.6, nil})
	for _, t := range p.ticks {
		y, long := f.y(t.v), 3.0
		if t.text == "" {
			long = 1.8
		}
		s.line([]point{{b.x0 - long, y}, {b.x0, y}}, pen{axisGrey, 0.6, nil})
		s.text(label{text: t.text, style: tickStyle, at: point{b.x0 - 5, y + 2.7}, anchor: 1})
	}
	title := shorten(p.title, panelStyle, b.wide())
	s.plated(label{text: title, style: panelStyle, at: point{b.x0, b.y0 - 5}})
	if p.note != "" {
		s.text(label{text: p.note, style: factStyle, at: point{(b.x0 + b.x1) / 2, (b.y0+b.y1)/2 + 2}, anchor: 0.5})
	}
	drawLegend(s, p.legend, gutter)
	for _, l := range p.levels {
		p.nameLevel(s, f, l, markers)
	}
}

// nameLevel writes a level's name above or below its line, where the fewest
// segments of curves and rules are in the way.
func (p *panel) nameLevel(s *scene, f *field, l level, markers []marker) {
	var pieces [][]point
	for _, g := range markers {
		pieces = append(pieces, []point{{g.x, f.frame.y0}, {g.x, f.frame.y1}})
	}
	for i := range p.curves {
		lines, _ := f.runs(p.curves[i].values)
		pieces = append(pieces, lines...)
	}
	best, found := math.MaxInt, label{}
	text := shorten(l.text, levelStyle, f.frame.wide()/2)
	for i := range 12 {
		c := label{text: text, style: levelStyle}
		c.at = point{f.frame.x0 + 4 + float64(i/2)/6*f.frame.wide(), f.y(l.v) - 3}
		if i%2 == 1 {
			c.at.y += 12
		}
		at := boxOf(c)
		if at.x1 > f.frame.x1-2 || at.y0 < f.frame.y0+1 || at.y1 > f.frame.y1-1 || !s.free(at) {
			continue
		}
		if n := touches(pieces, at); n < best {
			best, found = n, c
		}
		if best == 0 {
			break
		}
	}
	s.plated(found)
}

// touches counts the segments whose extent meets a box.
func touches(pieces [][]point, b box) int {
	n := 0
	for _, pts := range pieces {
		for i := 1; i < len(pts); i++ {
			a, c := pts[i-1], pts[i]
			seg := box{math.Min(a.x, c.x), math.Min(a.y, c.y) - 0.1, math.Max(a.x, c.x) + 0.1, math.Max(a.y, c.y) + 0.1}
			if seg.hits(b) {
				n++
			}
		}
	}
	return n
}

// linear gives a panel an axis from 0 that holds top with some room above it.
func (p *panel) linear(top, room float64, ticks int) {
	if !(top > 0) {
		top = 1
	}
	p.value = scale{hi: top * (1 + room)}
	p.ticks = linearTicks(p.value.hi, ticks)
}

// against adds a level at v when it lies within reach of the data, and makes
// room for it; farther away only its name is shown.
func (p *panel) against(top, v float64, text string, reach float64) float64 {
	if !finite(v) || v < 0 {
		return top
	}
	if top > 0 && v > top*reach {
		p.levels = append(p.levels, level{top, text + ", above this axis", true})
		return top
	}
	p.levels = append(p.levels, level{v, text, false})
	return math.Max(top, v)
}
