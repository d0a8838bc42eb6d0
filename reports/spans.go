package reports

import (
	"math"
	"sort"

	"github.com/resilsim/resilsim/sim/result"
)

// shade colours the windows of a run behind the data of one panel.
func shade(s *scene, f *field, windows []result.Window) {
	for _, w := range windows {
		if b, ok := f.window(w); ok {
			s.area(b.corners(), windowTint(w.Kind).shade)
		}
	}
}

// window is the part of the frame within a window; false when there is none.
func (f *field) window(w result.Window) (box, bool) {
	if math.IsNaN(w.FromS) || math.IsNaN(w.ToS) || w.ToS <= w.FromS || w.ToS <= 0 || w.FromS >= f.total {
		return box{}, false
	}
	b := box{f.x(w.FromS), f.frame.y0, f.x(w.ToS), f.frame.y1}
	b.x1 = math.Max(b.x1, b.x0+0.8)
	return b, true
}

// At most spanNames windows, the longest ones, are named, in up to spanRows rows at the top of the first panel.
const (
	spanRows   = 3
	spanNames  = 12
	spanHeight = 11.0
	// spanBeside is how wide a label may be that stands beside its window.
	spanBeside = 60.0
)

var spanStyle = style{7.4, true, inkDark}

// spanName is a window's name at its place.
type spanName struct {
	label label
	row   int
}

// nameSpans finds a place for the name of each window: its full label in the
// middle of the window, else its kind there, else beside its edges a short label or
// the kind, each in the first row that is free. No name is crossed by a rule. Colour
// ties a name to its window. A name that has been said (a rescue bears that of its
// operator), or has no place, is left out.
func nameSpans(f *field, windows []result.Window, markers []marker) []spanName {
	order := make([]int, len(windows))
	for i := range order {
		order[i] = i
	}
	sort.SliceStable(order, func(a, b int) bool {
		wa, wb := windows[order[a]], windows[order[b]]
		return wa.ToS-wa.FromS > wb.ToS-wb.FromS
	})
	var out []spanName
	said := map[string]bool{}
	for _, i := range order {
		w := windows[i]
		b, ok := f.window(w)
		text := clean(w.Label)
		if text == "" {
			text = clean(w.Kind)
		}
		if !ok || said[text] || len(out) == spanNames {
			continue
		}
		if n, ok := placeSpan(f, spanPlace{b, clearOf(markers, b), markers}, w, text, out); ok {
			said[text] = true
			out = append(out, n)
		}
	}
	return out
}

// clearOf is the widest part of a window that no rule crosses.
func clearOf(markers []marker, b box) box {
	best, from := box{}, b.x0
	xs := []float64{}
	for _, g := range markers {
		if g.x > b.x0 && g.x < b.x1 {
			xs = append(xs, g.x)
		}
	}
	for _, x := range append(xs, b.x1) {
		if x-from > best.wide() {
			best = box{from, b.y0, x, b.y1}
		}
		from = x
	}
	return best
}

// spanPlace is a window, its part that no rule crosses, and the rules.
type spanPlace struct {
	whole, clear box
	markers      []marker
}

// crossed reports whether a rule passes through a name.
func (p spanPlace) crossed(name box) bool {
	for _, g := range p.markers {
		if g.x > name.x0-1 && g.x < name.x1+1 {
			return true
		}
	}
	return false
}

// placeSpan tries the places for one name.
func placeSpan(f *field, at spanPlace, w result.Window, text string, placed []spanName) (spanName, bool) {
	b, middle := at.whole, (at.clear.x0+at.clear.x1)/2
	st := spanStyle
	st.colour = windowTint(w.Kind).ink
	candidates := []label{
		{text: text, at: point{middle, 0}, anchor: 0.5},
		{text: clean(w.Kind), at: point{middle, 0}, anchor: 0.5},
		{text: text, at: point{b.x1 + 3, 0}},
		{text: clean(w.Kind), at: point{b.x1 + 3, 0}},
		{text: clean(w.Kind), at: point{b.x0 - 3, 0}, anchor: 1},
	}
	for i, l := range candidates {
		for row := range spanRows {
			l.style = st
			l.at.y = f.frame.y0 + float64(row+1)*spanHeight - 1
			is := boxOf(l)
			if i < 2 && is.wide() > at.clear.wide()-3 || is.x0 < f.frame.x0+1 || is.x1 > f.frame.x1-1 {
				continue
			}
			if i >= 2 && is.wide() > spanBeside || at.crossed(is) || meetsName(is, placed) {
				continue
			}
			return spanName{l, row}, true
		}
	}
	return spanName{}, false
}

func meetsName(b box, placed []spanName) bool {
	b.x0, b.x1 = b.x0-4, b.x1+4
	for _, p := range placed {
		if boxOf(p.label).hits(b) {
			return true
		}
	}
	return false
}
