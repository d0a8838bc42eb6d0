package reports

import (
	"fmt"
	"image/color"
	"math"
	"slices"
	"sort"

	"github.com/resilsim/resilsim/sim/result"
)

// Limits of the event lane: more numbers than this are not looked up by anyone.
const (
	markersMax  = 12
	laneRows    = 7
	laneRow     = 14.0
	discRadius  = 6.2
	markerWidth = 190.0
	markerGap   = 10.0
)

// marker is one numbered event in the lane above the panels. Row 0 is lowest.
type marker struct {
	t      float64
	x      float64
	text   string
	number int
	row    int
	left   bool
	colour color.NRGBA
}

// extent is from the far edge of the circle to the end of the text.
func (g *marker) extent() (x0, x1 float64) {
	w := discRadius + 3 + textWidth(g.text, eventStyle)
	if g.left {
		return g.x - w, g.x + discRadius
	}
	return g.x - discRadius, g.x + w
}

// covers reports whether the text of g stands over x.
func (g *marker) covers(x float64) bool {
	x0, x1 := g.extent()
	if g.left {
		return x > x0-2 && x < g.x-discRadius
	}
	return x > g.x+discRadius && x < x1+2
}

// clash reports whether two markers cannot stand in their rows: their texts meet,
// or the rule that falls from the higher one would cross the lower one's text.
func clash(a, b *marker) bool {
	a0, a1 := a.extent()
	b0, b1 := b.extent()
	if a.row == b.row && a0 < b1+markerGap && b0 < a1+markerGap {
		return true
	}
	return a.row < b.row && a.covers(b.x) || b.row < a.row && b.covers(a.x)
}

// rank orders sources by how much a reader needs them when there are too many.
func rank(source string) int {
	switch source {
	case "fault", "verdict":
		return 0
	case "operator":
		return 1
	case "detector":
		return 2
	case "pattern":
		return 3
	default:
		return 4
	}
}

// pickEvents takes the markers of a timeline that a figure can number, in order
// of time, and says how many it left out.
func pickEvents(timeline []result.Event, total float64) (picked []markedEvent, left int) {
	for _, e := range markedOf(timeline, total) {
		if finite(e.TS) && e.TS >= 0 && e.TS <= total {
			picked = append(picked, e)
		}
	}
	sort.SliceStable(picked, func(a, b int) bool { return rank(picked[a].Source) < rank(picked[b].Source) })
	if len(picked) > markersMax {
		left = len(picked) - markersMax
		picked = picked[:markersMax]
	}
	sort.SliceStable(picked, func(a, b int) bool { return picked[a].TS < picked[b].TS })
	return picked, left
}

// placeMarkers gives each event a row and a side. When there is no room for all,
// it leaves out, one by one, the last of those that a reader needs least, and
// counts them.
func placeMarkers(events []markedEvent, f *field, canvas box) (placed []marker, rows, left int) {
	for {
		placed, ok := tryMarkers(events, f, canvas)
		if ok {
			for _, g := range placed {
				rows = max(rows, g.row+1)
			}
			return placed, rows, left
		}
		events = withoutLeast(events)
		left++
	}
}

// tryMarkers places from the last to the first, so that the circles fall like
// stairs in order of time; false when one of them has no place.
func tryMarkers(events []markedEvent, f *field, canvas box) ([]marker, bool) {
	placed := make([]marker, 0, len(events))
	for i := len(events) - 1; i >= 0; i-- {
		e := events[i]
		text := instant(e.TS, f.total) + " " + clean(e.What)
		text = shorten(text, eventStyle, markerWidth-textWidth(e.more, eventStyle)/2) + e.more // how many more is not cut
		g := marker{number: i + 1, t: e.TS, x: f.x(e.TS), text: text, colour: eventColour(&e.Event)}
		if !seat(&g, placed, canvas) {
			return nil, false
		}
		placed = append(placed, g)
	}
	slices.Reverse(placed)
	return placed, true
}

// withoutLeast is the list without the last of its least needed events.
func withoutLeast(events []markedEvent) []markedEvent {
	least := 0
	for i, e := range events {
		if rank(e.Source) >= rank(events[least].Source) {
			least = i
		}
	}
	return slices.Concat(events[:least], events[least+1:])
}

// seat finds the lowest row for a marker, text to the right if it can be.
func seat(g *marker, placed []marker, canvas box) bool {
	for _, g.left = range []bool{false, true} {
		if x0, x1 := g.extent(); x0 < canvas.x0 || x1 > canvas.x1 {
			continue
		}
		for g.row = 0; g.row < laneRows; g.row++ {
			if fits(g, placed) {
				return true
			}
		}
	}
	return false
}

func fits(g *marker, placed []marker) bool {
	for i := range placed {
		if clash(g, &placed[i]) {
			return false
		}
	}
	return true
}

// rules draws the thin lines that fall from the circles through all panels.
func rules(s *scene, markers []marker, base, bottom float64) {
	for i, g := range markers {
		if covered(g, markers[:i]) {
			continue
		}
		s.line([]point{{g.x, rowY(g.row, base)}, {g.x, bottom}}, pen{g.colour, 0.8, []float64{3, 2}})
	}
}

// covered reports whether a higher marker's rule already passes at the same x.
func covered(g marker, others []marker) bool {
	for _, o := range others {
		if math.Abs(o.x-g.x) < 0.5 && o.row > g.row {
			return true
		}
	}
	return false
}

func rowY(row int, base float64) float64 { return base - (float64(row)+0.5)*laneRow }

// drawMarkers draws circles, numbers and words; base is the lane's lower edge.
func drawMarkers(s *scene, markers []marker, base float64) {
	for _, g := range markers {
		y := rowY(g.row, base)
		s.disc(point{g.x, y}, discRadius+1, white)
		s.disc(point{g.x, y}, discRadius, g.colour)
		s.text(label{text: fmt.Sprint(g.number), style: numberStyle, at: point{g.x, y + 2.8}, anchor: 0.5})
		l := label{text: g.text, style: eventStyle, at: point{g.x + discRadius + 3, y + 2.8}}
		if g.left {
			l.at.x, l.anchor = g.x-discRadius-3, 1
		}
		s.plated(l)
	}
}

// laneBar draws the windows as a coloured bar under the lane, shorter windows
// over longer ones.
func laneBar(s *scene, f *field, windows []result.Window, y float64) {
	byLength := append([]result.Window{}, windows...)
	sort.SliceStable(byLength, func(a, b int) bool {
		return byLength[a].ToS-byLength[a].FromS > byLength[b].ToS-byLength[b].FromS
	})
	for _, w := range byLength {
		if b, ok := f.window(w); ok {
			s.line([]point{{b.x0, y}, {math.Max(b.x1, b.x0+1), y}}, pen{windowTint(w.Kind).bar, 2, nil})
		}
	}
}
