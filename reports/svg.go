package reports

import (
	"fmt"
	"html"
	"image/color"
	"io"
	"math"
	"strconv"
	"strings"
)

// svgFamily names the typeface and those of the same widths, so that the file
// stays small and the layout holds where Liberation is not installed.
const svgFamily = "'Liberation Sans', Arial, Helvetica, sans-serif"

// SVG writes the figure as SVG text: fonts by name, a title and a description
// for screen readers, the same bytes for the same result.
func (f *Figure) SVG(w io.Writer) error {
	s := &f.scene
	b := &svgBrush{}
	fmt.Fprintf(b, `<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title desc"`+
		` width="%spt" height="%spt" viewBox="0 0 %s %s" font-family="%s">`+"\n",
		num(s.w), num(s.h), num(s.w), num(s.h), svgFamily)
	fmt.Fprintf(b, "<title id=\"title\">%s</title>\n<desc id=\"desc\">%s</desc>\n",
		html.EscapeString(f.title), html.EscapeString(f.desc))
	b.area(box{0, 0, s.w, s.h}.corners(), white)
	for _, draw := range s.inks {
		draw(b)
	}
	b.WriteString("</svg>\n")
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("reports: write svg: %w", err)
	}
	return nil
}

type svgBrush struct{ strings.Builder }

func (b *svgBrush) area(pts []point, fill color.NRGBA) {
	fmt.Fprintf(b, `<path d="%sZ" fill="%s"%s/>`+"\n", path(pts), hex(fill), opacity("fill", fill))
}

func (b *svgBrush) line(pts []point, p pen) {
	dash := ""
	if len(p.dash) > 0 {
		var parts []string
		for _, d := range p.dash {
			parts = append(parts, num(d))
		}
		dash = ` stroke-dasharray="` + strings.Join(parts, " ") + `"`
	}
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s"%s stroke-width="%s"%s stroke-linejoin="round"/>`+"\n",
		path(pts), hex(p.colour), opacity("stroke", p.colour), num(p.width), dash)
}

func (b *svgBrush) disc(at point, radius float64, fill color.NRGBA) {
	fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="%s" fill="%s"/>`+"\n", num(at.x), num(at.y), num(radius), hex(fill))
}

func (b *svgBrush) label(l label) {
	bold, anchor := "", ""
	if l.style.bold {
		bold = ` font-weight="bold"`
	}
	switch l.anchor {
	case 0.5:
		anchor = ` text-anchor="middle"`
	case 1:
		anchor = ` text-anchor="end"`
	}
	fmt.Fprintf(b, `<text x="%s" y="%s" font-size="%s"%s%s fill="%s">%s</text>`+"\n", num(l.at.x), num(l.at.y),
		num(l.style.size), bold, anchor, hex(l.style.colour), html.EscapeString(l.text))
}

// path writes points with relative steps, which halves the file. Steps are
// taken between rounded places, so that errors do not add up.
func path(pts []point) string {
	var b strings.Builder
	var px, py float64
	for i, p := range pts {
		x, y := hundredths(p.x), hundredths(p.y)
		switch {
		case i == 0:
			b.WriteString("M" + num(x) + " " + num(y))
		case y == py:
			b.WriteString("h" + num(x-px))
		case x == px:
			b.WriteString("v" + num(y-py))
		default:
			b.WriteString("l" + num(x-px) + " " + num(y-py))
		}
		px, py = x, y
	}
	return b.String()
}

// hundredths rounds to what the eye can see, which is also coarse enough to
// hide the last digits in which processors differ.
func hundredths(v float64) float64 { return math.Round(v*100) / 100 }

func num(v float64) string {
	v = hundredths(v)
	if v == 0 {
		return "0"
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}

func hex(c color.NRGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

func opacity(what string, c color.NRGBA) string {
	if c.A == 255 {
		return ""
	}
	return fmt.Sprintf(` %s-opacity="%s"`, what, num(float64(c.A)/255))
}
