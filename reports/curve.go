package reports

import (
	"image/color"
	"math"
	"slices"
)

// curve is one metric over time. Values that are not finite are gaps.
type curve struct {
	values []float64
	pen    pen
	// fill below the curve; transparent for none.
	fill color.NRGBA
}

// field is where a panel's data are drawn: a frame with a time axis and a
// value axis.
type field struct {
	frame box
	// starts of the intervals and their length, seconds.
	starts   []float64
	interval float64
	total    float64
	value    scale
	// column is the width of one column of pixels in points.
	column float64
}

func (f *field) x(t float64) float64 {
	return f.frame.x0 + f.frame.wide()*math.Min(math.Max(t/f.total, 0), 1)
}

func (f *field) y(v float64) float64 { return f.frame.y1 - f.frame.high()*f.value.share(v) }

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// Intervals wider than this many points are drawn as steps: the value belongs
// to all of the interval, and a run of one interval is a line, not a dot.
const stepWidth = 7

// bandColumns is how many columns of pixels share one point of a curve with
// more intervals than that: mean as a line, lowest and highest as a band, so
// one and a half points per column of pixels, and no spike is lost.
const bandColumns = 2

// runs turns values into the connected pieces between gaps. The bands are
// there for dense data only: what the values between two points cover.
func (f *field) runs(values []float64) (lines, bands [][]point) {
	n := min(len(values), len(f.starts))
	wide := f.frame.wide() * f.interval / f.total
	switch {
	case f.dense():
		return f.envelope(values[:n])
	case wide >= stepWidth:
		return f.steps(values[:n], wide), nil
	default:
		return f.joined(values[:n], wide), nil
	}
}

// dense reports whether there is more than one interval per column of pixels.
func (f *field) dense() bool { return f.frame.wide()*f.interval < f.column*f.total }

func (f *field) steps(values []float64, wide float64) [][]point {
	var g gather
	for i, v := range values {
		if !finite(v) {
			g.gap()
			continue
		}
		x, y := f.x(f.starts[i]), f.y(v)
		g.add(point{x, y})
		g.add(point{math.Min(x+wide, f.frame.x1), y})
	}
	return g.done()
}

// joined connects the middles of the intervals; the ends of a piece are drawn
// out to the edge of their interval, so that a lonely value is seen.
func (f *field) joined(values []float64, wide float64) [][]point {
	var g gather
	for i, v := range values {
		if !finite(v) {
			g.gap()
			continue
		}
		x, y := f.x(f.starts[i]), f.y(v)
		if i == 0 || !finite(values[i-1]) {
			g.add(point{x, y})
		}
		g.add(point{math.Min(x+wide/2, f.frame.x1), y})
		if i == len(values)-1 || !finite(values[i+1]) {
			g.add(point{math.Min(x+wide, f.frame.x1), y})
		}
	}
	return g.done()
}

// envelope sums up the values of each few columns of pixels.
func (f *field) envelope(values []float64) (lines, bands [][]point) {
	var middle, low, high gather
	wide := bandColumns * f.column
	columns := int(math.Ceil(f.frame.wide() / wide))
	for c, i := 0, 0; c < columns; c++ {
		first, edge := i, f.frame.x0+float64(c+1)*wide
		for i < len(values) && (f.x(f.starts[i]) < edge || c == columns-1) {
			i++
		}
		m := mean(values[first:i])
		if !finite(m) {
			middle.gap()
			low.gap()
			high.gap()
			continue
		}
		x := math.Min(edge-wide/2, f.frame.x1)
		middle.add(point{x, f.y(m)})
		low.add(point{x, f.y(trough(values[first:i]))})
		high.add(point{x, f.y(peak(values[first:i]))})
	}
	lines, highs := middle.done(), high.done()
	for k, under := range low.done() {
		slices.Reverse(under)
		bands = append(bands, append(highs[k], under...))
	}
	return lines, bands
}

// gather collects points into pieces.
type gather struct {
	pieces [][]point
	piece  []point
}

func (g *gather) add(p point) {
	if n := len(g.piece); n == 0 || g.piece[n-1] != p {
		g.piece = append(g.piece, p)
	}
}

func (g *gather) gap() {
	switch len(g.piece) {
	case 0:
		return
	case 1:
		p := g.piece[0]
		g.piece = append(g.piece, point{p.x + 0.6, p.y})
	}
	g.pieces = append(g.pieces, g.piece)
	g.piece = nil
}

func (g *gather) done() [][]point {
	g.gap()
	return g.pieces
}

// draw puts the curve's fill, band and line on a scene.
func (c *curve) draw(s *scene, f *field) {
	lines, bands := f.runs(c.values)
	for _, run := range lines {
		last := run[len(run)-1]
		under := append(slices.Clone(run), point{last.x, f.frame.y1}, point{run[0].x, f.frame.y1})
		s.area(under, c.fill)
	}
	for _, b := range bands {
		s.area(b, faded(c.pen.colour, 0.33))
	}
	for _, run := range lines {
		s.line(run, c.pen)
	}
}
