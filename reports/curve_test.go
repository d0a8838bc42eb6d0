package reports

import (
	"fmt"
	"math"
	"regexp"
	"testing"

	"github.com/resilsim/resilsim/sim/result"
)

func plainField(n int) *field {
	f := &field{frame: box{0, 0, 500, 100}, interval: 1, total: float64(n), value: scale{hi: 10}, column: 0.65}
	for i := range n {
		f.starts = append(f.starts, float64(i))
	}
	return f
}

func sum(pieces [][]point) int {
	n := 0
	for _, p := range pieces {
		n += len(p)
	}
	return n
}

// Whatever the length of a run, a curve and its band have at most two points
// for each column of pixels, or two for each interval where those are wider.
func TestAtMostTwoPointsPerColumn(t *testing.T) {
	for _, n := range []int{1, 2, 60, 300, 700, 800, 1000, 3600, 86400} {
		f, values := plainField(n), make([]float64, n)
		for i := range values {
			values[i] = 5 + 4*math.Sin(float64(i)*1.7)
		}
		lines, bands := f.runs(values)
		columns := 500 / 0.65
		if got, most := float64(sum(lines)+sum(bands)), 2*columns+4; got > most {
			t.Errorf("%d intervals: %g points, at most %g", n, got, most)
		}
		if sum(lines) < 2 {
			t.Errorf("%d intervals: no line", n)
		}
	}
}

// One interval in a day is above the others: the band reaches its height.
func TestSpikeOfOneIntervalSurvives(t *testing.T) {
	f, values := plainField(86400), make([]float64, 86400)
	values[54321] = 9
	_, bands := f.runs(values)
	top := math.Inf(1)
	for _, b := range bands {
		for _, p := range b {
			top = math.Min(top, p.y)
		}
	}
	if want := f.y(9); top != want {
		t.Errorf("highest point at %g, want %g", top, want)
	}
}

// Values that are absent interrupt the curve, for short runs and for long ones,
// and a lonely value between two gaps is still a line that can be seen.
func TestAbsentValuesAreGaps(t *testing.T) {
	for _, n := range []int{50, 400, 40000} {
		f, values := plainField(n), make([]float64, n)
		for i := range values {
			values[i] = 5
			if i >= n/5 && i < 2*n/5 || i > 3*n/5 && i < 4*n/5 {
				values[i] = math.NaN()
			}
		}
		for i := 2*n/5 + 1; i < 3*n/5; i++ {
			values[i] = math.Inf(1)
		}
		lines, _ := f.runs(values)
		if len(lines) != 4 {
			t.Fatalf("%d intervals: %d pieces, want 4", n, len(lines))
		}
		for _, l := range lines {
			if l[len(l)-1].x-l[0].x < 0.3 {
				t.Errorf("%d intervals: a piece of %g points cannot be seen", n, l[len(l)-1].x-l[0].x)
			}
		}
	}
}

// Layers are painted from the ground to their sums: at any x the tops do not
// fall from layer to layer, stay in the frame, and absent shares leave a hole.
func TestStackKeepsToTheFrame(t *testing.T) {
	for _, n := range []int{4, 500, 20000} {
		f := plainField(n)
		f.value.hi = 1
		a, b := make([]float64, n), make([]float64, n)
		for i := range a {
			a[i], b[i] = 0.6, 0.7
			if i >= n/2 && i < 3*n/4 {
				a[i] = math.NaN()
			}
		}
		k := stack{[]layer{{a, vermilion}, {b, yellow}}}
		treads := k.tops(f)
		for _, tr := range treads {
			if tr.tops[0] != 0.6 || tr.tops[1] != 1 {
				t.Fatalf("%d intervals: tops %v, want 0.6 and 1", n, tr.tops)
			}
		}
		polygons := stairs(treads, 1, f)
		if len(polygons) != 2 {
			t.Fatalf("%d intervals: %d polygons, want 2", n, len(polygons))
		}
		for _, pts := range polygons {
			for _, p := range pts {
				if p.x < 0 || p.x > 500 || p.y < 0 || p.y > 100 {
					t.Errorf("%v is outside the frame", p)
				}
			}
		}
	}
}

// For random sets of events: no rule crosses a text, and every marked event is
// either placed or counted.
func TestMarkersNeverClash(t *testing.T) {
	for _, c := range stories() {
		v, err := newView(c.r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		f := v.field(box{x0: 48, x1: 622}, scale{hi: 1}, 0.65)
		events, crowd := pickEvents(c.r.Timeline, v.total)
		markers, rows, left := placeMarkers(events, f, box{x0: 14, x1: 750})
		for i := range markers {
			for k := range markers {
				if crosses(markers[k], markers[i]) {
					t.Errorf("%s: the rule of %q crosses %q", c.name, markers[k].text, markers[i].text)
				}
			}
			if markers[i].number != i+1 || i > 0 && markers[i].t < markers[i-1].t {
				t.Errorf("%s: numbers do not follow time", c.name)
			}
		}
		if rows > laneRows || len(markers) > markersMax {
			t.Errorf("%s: %d rows, %d markers", c.name, rows, len(markers))
		}
		if total := len(markers) + left + crowd; total != marked(c.r, v.total) {
			t.Errorf("%s: %d events placed or counted, want %d", c.name, total, marked(c.r, v.total))
		}
	}
}

// crosses reports whether the rule below a passes through the words of b.
func crosses(a, b marker) bool {
	from, to := b.x+discRadius+3, b.x+discRadius+3+textWidth(b.text, eventStyle)
	if b.left {
		from, to = b.x-(to-b.x), b.x-(from-b.x)
	}
	return a.row > b.row && a.x > from && a.x < to
}

func marked(r *result.Result, total float64) int {
	n := 0
	for _, e := range r.Timeline {
		if e.Marker && e.TS >= 0 && e.TS <= total {
			n++
		}
	}
	return n
}

// A dash pattern cut by hand leaves the right share of a line, whatever the
// line's corners.
func TestDashesKeepTheirLength(t *testing.T) {
	pts := []point{{0, 0}, {3, 4}, {3, 104}, {50, 104}, {50, 104.5}, {50, 100}}
	shown, whole := 0.0, lengthOf(pts)
	for _, d := range dashes(pts, []float64{3, 1}) {
		shown += lengthOf(d)
	}
	if math.Abs(shown/whole-0.75) > 4/whole {
		t.Errorf("%.3f of the line is shown, want 0.75", shown/whole)
	}
}

// The relative steps of an SVG path lead back to every point, to a hundredth:
// rounding errors do not add up over a long curve.
func TestPathStepsDoNotDrift(t *testing.T) {
	var pts []point
	for i := range 5000 {
		pts = append(pts, point{float64(i) * 0.1234567, 50 + 40*math.Sin(float64(i)/7)})
	}
	var x, y float64
	steps := regexp.MustCompile(`[Mlhv][^Mlhv]+`).FindAllString(path(pts), -1)
	for i, s := range steps {
		var a, b float64
		if n, err := fmt.Sscanf(s[1:], "%g %g", &a, &b); err != nil && n == 0 {
			t.Fatalf("step %q: %v", s, err)
		}
		switch s[0] {
		case 'M':
			x, y = a, b
		case 'l':
			x, y = x+a, y+b
		case 'h':
			x += a
		case 'v':
			y += a
		}
		if math.Abs(x-pts[i].x) > 0.0051 || math.Abs(y-pts[i].y) > 0.0051 {
			t.Fatalf("step %d is at %g %g, want %v", i, x, y, pts[i])
		}
	}
	if len(steps) != len(pts) {
		t.Errorf("%d steps for %d points", len(steps), len(pts))
	}
}

func lengthOf(pts []point) float64 {
	n := 0.0
	for i := 1; i < len(pts); i++ {
		n += math.Hypot(pts[i].x-pts[i-1].x, pts[i].y-pts[i-1].y)
	}
	return n
}
