package reports

import (
	"image/color"
	"math"
)

// stack is shares of a whole over time as steps, the first layer lowest. Where
// a share is not finite, nothing is drawn.
type stack struct {
	layers []layer
}

type layer struct {
	values []float64
	fill   color.NRGBA
}

// draw paints from the top layer down, each from the ground to the sum of the
// layers up to it: no seam can show between two of them.
func (k *stack) draw(s *scene, f *field) {
	tops := k.tops(f)
	for l := len(k.layers) - 1; l >= 0; l-- {
		for _, run := range stairs(tops, l, f) {
			s.area(run, k.layers[l].fill)
		}
	}
}

// tread is one step of all layers: from x0 to x1, tops as shares of the whole.
type tread struct {
	x0, x1 float64
	tops   []float64
}

// tops averages the shares within each column of pixels, or keeps each
// interval where intervals are wider, and sums them up.
func (k *stack) tops(f *field) []tread {
	n := len(f.starts)
	for _, l := range k.layers {
		n = min(n, len(l.values))
	}
	wide := f.frame.wide() * f.interval / f.total
	per := max(1, int(math.Round(f.column/math.Max(wide, 1e-9))))
	var out []tread
	for i := 0; i < n; i += per {
		end := min(i+per, n)
		t := tread{x0: f.x(f.starts[i]), x1: math.Min(f.x(f.starts[end-1])+wide, f.frame.x1)}
		sum := 0.0
		for _, l := range k.layers {
			sum += mean(l.values[i:end])
			t.tops = append(t.tops, hundredths(math.Min(sum, 1)*100)/100)
		}
		if finite(sum) {
			out = append(out, t)
		}
	}
	return out
}

// mean of the finite values; NaN of none.
func mean(values []float64) float64 {
	sum, n := 0.0, 0
	for _, v := range values {
		if finite(v) {
			sum, n = sum+v, n+1
		}
	}
	return sum / float64(n)
}

// stairs are the polygons below one layer's top, one per unbroken run in which
// the top is above the ground.
func stairs(treads []tread, l int, f *field) [][]point {
	var out [][]point
	for i := 0; i < len(treads); {
		if treads[i].tops[l] <= 0 {
			i++
			continue
		}
		first, poly := i, []point{{treads[i].x0, f.frame.y1}}
		for ; i < len(treads) && treads[i].tops[l] > 0; i++ {
			if i > first && treads[i].x0 > treads[i-1].x1+f.column/2 {
				break
			}
			y := f.y(treads[i].tops[l])
			if last := poly[len(poly)-1]; last.y != y || i == first {
				poly = append(poly, point{treads[i].x0, y})
			} else {
				poly = poly[:len(poly)-1]
			}
			poly = append(poly, point{treads[i].x1, y})
		}
		out = append(out, append(poly, point{treads[i-1].x1, f.frame.y1}))
	}
	return out
}
