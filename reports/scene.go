package reports

import (
	"fmt"
	"image/color"
)

// point is a place on the canvas in points (1/72 inch); y grows downward.
type point struct{ x, y float64 }

// box is an upright rectangle; x0 <= x1, y0 <= y1.
type box struct{ x0, y0, x1, y1 float64 }

func (b box) wide() float64 { return b.x1 - b.x0 }
func (b box) high() float64 { return b.y1 - b.y0 }

// hits reports whether two boxes share more than an edge.
func (b box) hits(o box) bool {
	const edge = 1e-6
	return b.x0 < o.x1-edge && o.x0 < b.x1-edge && b.y0 < o.y1-edge && o.y0 < b.y1-edge
}

// inside reports whether b lies within o.
func (b box) inside(o box) bool {
	return b.x0 >= o.x0 && b.y0 >= o.y0 && b.x1 <= o.x1 && b.y1 <= o.y1
}

// corners are the polygon of the box.
func (b box) corners() []point {
	return []point{{b.x0, b.y0}, {b.x1, b.y0}, {b.x1, b.y1}, {b.x0, b.y1}}
}

// pen is how a line is drawn: width and dash lengths in points.
type pen struct {
	colour color.NRGBA
	width  float64
	dash   []float64
}

// brush puts ink on something: the SVG text or the PNG raster.
type brush interface {
	area(pts []point, fill color.NRGBA)
	line(pts []point, p pen)
	disc(at point, radius float64, fill color.NRGBA)
	label(l label)
}

// ink is one thing drawn.
type ink func(b brush)

// label is a line of text with the box that it fills.
type label struct {
	text  string
	style style
	// at is on the baseline; anchor says which part of the text is there:
	// 0 its left end, 0.5 its middle, 1 its right end.
	at     point
	anchor float64
	box    box
}

// scene is a picture as a list of things drawn, first one lowest. It keeps the
// box of each text, so that later ones can avoid it and tests can judge.
type scene struct {
	w, h   float64
	inks   []ink
	labels []label
}

func (s *scene) area(pts []point, fill color.NRGBA) {
	if len(pts) > 2 && fill.A > 0 {
		s.inks = append(s.inks, func(b brush) { b.area(pts, fill) })
	}
}

func (s *scene) line(pts []point, p pen) {
	if len(pts) > 1 && p.width > 0 && p.colour.A > 0 {
		s.inks = append(s.inks, func(b brush) { b.line(pts, p) })
	}
}

func (s *scene) disc(at point, radius float64, fill color.NRGBA) {
	s.inks = append(s.inks, func(b brush) { b.disc(at, radius, fill) })
}

// text writes a line of text. Nothing is drawn for an empty one.
func (s *scene) text(l label) {
	if l.text == "" {
		return
	}
	l.box = boxOf(l)
	s.labels = append(s.labels, l)
	s.inks = append(s.inks, func(b brush) { b.label(l) })
}

// plated writes text on a translucent plate, for places with lines beneath.
func (s *scene) plated(l label) {
	if l.text == "" {
		return
	}
	b := boxOf(l)
	b.x0, b.x1 = b.x0-1.5, b.x1+1.5
	s.area(b.corners(), plateOfText)
	s.text(l)
}

// free reports whether a box meets no text so far and is on the canvas.
func (s *scene) free(b box) bool {
	if !b.inside(box{0, 0, s.w, s.h}) {
		return false
	}
	for i := range s.labels {
		if s.labels[i].box.hits(b) {
			return false
		}
	}
	return true
}

// fault describes the first two texts that overlap, or one that leaves the
// canvas; "" when there is none.
func (s *scene) fault() string {
	for i, a := range s.labels {
		if !a.box.inside(box{0, 0, s.w, s.h}) {
			return fmt.Sprintf("%q leaves the canvas at %.1f", a.text, a.box)
		}
		for _, b := range s.labels[:i] {
			if a.box.hits(b.box) {
				return fmt.Sprintf("%q at %.1f overlaps %q at %.1f", a.text, a.box, b.text, b.box)
			}
		}
	}
	return ""
}
