package reports

import (
	"fmt"
	"image/color"
	"io"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/vgimg"
)

// PNG writes the figure as an image at the resolution of its options. The
// pixels depend on the processor's rounding; the SVG text does not.
func (f *Figure) PNG(w io.Writer) error {
	s := &f.scene
	c := vgimg.NewWith(vgimg.UseWH(vg.Length(s.w), vg.Length(s.h)), vgimg.UseDPI(f.dpi),
		vgimg.UseBackgroundColor(white))
	b := &pngBrush{canvas: c, h: s.h}
	for _, draw := range s.inks {
		draw(b)
	}
	if _, err := (vgimg.PngCanvas{Canvas: c}).WriteTo(w); err != nil {
		return fmt.Errorf("reports: write png: %w", err)
	}
	return nil
}

type pngBrush struct {
	canvas *vgimg.Canvas
	h      float64
}

func (b *pngBrush) at(p point) vg.Point {
	return vg.Point{X: vg.Length(p.x), Y: vg.Length(b.h - p.y)}
}

func (b *pngBrush) path(pts []point) vg.Path {
	p := make(vg.Path, 0, len(pts)+1)
	for i, at := range pts {
		if i == 0 {
			p.Move(b.at(at))
		} else {
			p.Line(b.at(at))
		}
	}
	return p
}

func (b *pngBrush) area(pts []point, fill color.NRGBA) {
	p := b.path(pts)
	p.Close()
	b.canvas.SetColor(fill)
	b.canvas.Fill(p)
}

// strokePoints is how many points are drawn at once: the rasteriser's time
// grows with the square of the crossings in a row of pixels.
const strokePoints = 48

func (b *pngBrush) line(pts []point, p pen) {
	b.canvas.SetColor(p.colour)
	b.canvas.SetLineWidth(vg.Length(p.width))
	for _, piece := range dashes(pts, p.dash) {
		for len(piece) > 1 {
			n := min(strokePoints, len(piece))
			b.canvas.Stroke(b.path(piece[:n]))
			piece = piece[n-1:]
		}
	}
}

func (b *pngBrush) disc(at point, radius float64, fill color.NRGBA) {
	var p vg.Path
	c := b.at(at)
	p.Move(vg.Point{X: c.X + vg.Length(radius), Y: c.Y})
	p.Arc(c, vg.Length(radius), 0, 2*math.Pi)
	p.Close()
	b.canvas.SetColor(fill)
	b.canvas.Fill(p)
}

func (b *pngBrush) label(l label) {
	b.canvas.SetColor(l.style.colour)
	b.canvas.FillString(face(l.style), b.at(point{l.box.x0, l.at.y}), l.text)
}

// dashes cuts a line into the pieces that a dash pattern leaves visible; the
// line itself without a pattern.
func dashes(pts []point, pattern []float64) [][]point {
	if len(pattern) == 0 {
		return [][]point{pts}
	}
	var out [][]point
	k, left := 0, pattern[0]
	piece := []point{pts[0]}
	for i := 1; i < len(pts); i++ {
		from, to := pts[i-1], pts[i]
		length := math.Hypot(to.x-from.x, to.y-from.y)
		for length > left {
			cut := point{from.x + (to.x-from.x)*left/length, from.y + (to.y-from.y)*left/length}
			if k%2 == 0 {
				out = append(out, append(piece, cut))
			}
			from, length = cut, length-left
			k++
			left, piece = pattern[k%len(pattern)], []point{cut}
		}
		left -= length
		piece = append(piece, to)
	}
	if k%2 == 0 {
		out = append(out, piece)
	}
	return out
}
