package reports

import (
	"errors"
	"fmt"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// Options say how a figure is made. A zero value asks for what suits the result.
type Options struct {
	// Width of the figure in points (1/72 inch), 480 to 4000; 0 asks for 756.
	Width float64
	// Height in points; 0 asks for what the panels need. Less than they can be
	// shrunk to is an error.
	Height float64
	// DPI of the PNG, 36 to 600; 0 asks for 110.
	DPI int
	// Callers is the fleet shown, "callers.NAME"; "" asks for the one that the
	// verdict judged.
	Callers string
	// Service shown, "services.NAME"; "" asks for the first one that the fleet calls.
	Service string
}

func (o Options) settled() (Options, error) {
	if o.Width == 0 {
		o.Width = widthWanted
	}
	if o.DPI == 0 {
		o.DPI = dpiWanted
	}
	switch {
	case !(o.Width >= widthMin && o.Width <= widthMax):
		return o, fmt.Errorf("reports: width %g points, want %g to %g", o.Width, widthMin, widthMax)
	case !(o.Height >= 0 && o.Height <= heightsMax):
		return o, fmt.Errorf("reports: height %g points, want 0 to %g", o.Height, heightsMax)
	case o.DPI < dpiMin || o.DPI > dpiMax:
		return o, fmt.Errorf("reports: %d dpi, want %d to %d", o.DPI, dpiMin, dpiMax)
	}
	return o, nil
}

// Figure is a picture that is laid out and can be written as SVG or PNG.
type Figure struct {
	scene scene
	title string
	desc  string
	dpi   int
}

// Incident lays out the figure of one run: load, latency, breakers, queue and
// workers on one time axis, with the run's windows shaded and its marked events
// numbered. It fails for a scope that the result does not have and for a size
// that the panels do not fit into.
func Incident(r *result.Result, opt Options) (*Figure, error) {
	if r == nil {
		return nil, errors.New("reports: no result to draw")
	}
	opt, err := opt.settled()
	if err != nil {
		return nil, err
	}
	v, err := newView(r, opt)
	if err != nil {
		return nil, err
	}
	column := 72 / float64(opt.DPI)
	across := box{x0: marginX + tickGutter, x1: opt.Width - legendRoom}
	plain := v.field(across, scale{hi: 1}, column)
	events, crowd := pickEvents(r.Timeline, v.total)
	markers, rows, left := placeMarkers(events, plain, box{x0: marginX, x1: opt.Width - 6})
	panels := v.panels(spanStrip(nameSpans(plain, r.Windows, markers)))
	lay, err := arrange(opt, v.header(opt.Width), rows, panels)
	if err != nil {
		return nil, err
	}
	f := &Figure{scene: scene{w: lay.w, h: lay.h}, title: v.headline(), dpi: opt.DPI}
	f.desc = v.describe(panels, markers)
	v.compose(&f.scene, lay, panels, markers, crowd+left, column)
	return f, nil
}

// spanStrip is the room that the names of windows need in the first panel.
func spanStrip(names []spanName) float64 {
	rows := 0
	for _, n := range names {
		rows = max(rows, n.row+1)
	}
	return float64(rows)*spanHeight + spanStripGap
}

// compose draws from the back to the front: data of all panels, rules through
// them, then everything that is read.
func (v *view) compose(s *scene, lay *layout, panels []panel, markers []marker, left int, column float64) {
	var fields []*field
	for i := range panels {
		f := v.field(lay.frames[i], panels[i].value, column)
		fields = append(fields, f)
		panels[i].drawData(s, f, v.r.Windows)
	}
	laneBar(s, fields[0], v.r.Windows, lay.lane+2)
	rules(s, markers, lay.lane, lay.bottom())
	drawHeader(s, lay.header)
	drawMarkers(s, markers, lay.lane)
	for _, n := range nameSpans(fields[0], v.r.Windows, markers) {
		s.text(n.label)
	}
	for i := range panels {
		panels[i].drawText(s, fields[i], lay.gutter(i), markers)
	}
	drawTime(s, fields, v.total)
	v.footer(s, left, fields[0].dense())
}

func (v *view) headline() string {
	if t := clean(v.r.Verdict.Sentence); t != "" {
		return t
	}
	if v.r.Verdict.Word == "" {
		return "A run without a verdict"
	}
	return "Verdict: " + clean(string(v.r.Verdict.Word))
}

func (v *view) header(width float64) header {
	room := width - 2*marginX
	sub := strings.TrimRight(v.about(), ". ")
	if sub != "" {
		sub += " - "
	}
	sub += fmt.Sprintf("scenario %s, seed %d", clean(v.r.Scenario.Name), v.r.Scenario.Seed)
	if with := v.changes(); with != "" {
		sub += ", " + with
	}
	return header{wrapSentence(v.headline(), titleStyle, room), wrap(sub, subtitleStyle, room, 2)}
}

func drawHeader(s *scene, h header) {
	y := marginTop
	for _, t := range h.title {
		s.text(label{text: t, style: titleStyle, at: point{marginX, y + 12}})
		y += titleLine
	}
	for _, t := range h.subtitle {
		s.text(label{text: t, style: subtitleStyle, at: point{marginX, y + 8}})
		y += smallLine
	}
}

// drawTime puts the marks of the time axis under each panel and their words
// under the last.
func drawTime(s *scene, fields []*field, total float64) {
	last := fields[len(fields)-1]
	n := 4
	for n < 10 && last.frame.wide()/float64(n+1) > 52 {
		n++
	}
	for i, f := range fields {
		for _, t := range timeTicks(total, n) {
			long := 1.8
			if t.text != "" {
				long = 3
			}
			x := f.x(t.v)
			s.line([]point{{x, f.frame.y1}, {x, f.frame.y1 + long}}, pen{axisGrey, 0.6, nil})
			if i == len(fields)-1 {
				s.text(label{text: t.text, style: tickStyle, at: point{x, f.frame.y1 + 11.5}, anchor: 0.5})
			}
		}
	}
	mid := (last.frame.x0 + last.frame.x1) / 2
	s.text(label{text: timeTitle(total), style: tickStyle, at: point{mid, last.frame.y1 + 24}, anchor: 0.5})
}

// footer says what is needed to run this again, and how to read the picture.
func (v *view) footer(s *scene, left int, dense bool) {
	var notes []string
	if left > 0 {
		notes = append(notes, noRoom(left))
	}
	if dense {
		notes = append(notes, "line: mean, band: lowest to highest")
	}
	right := label{text: strings.Join(notes, "   "), style: footerStyle, at: point{s.w - marginX, s.h - 6}, anchor: 1}
	s.text(right)
	text := fmt.Sprintf("scenario %s   seed %d   resilsim %s   digest %s", clean(v.r.Scenario.Name), v.r.Scenario.Seed,
		clean(v.r.Tool.Version), clean(v.r.Digest))
	if v.r.Partial {
		text = "PARTIAL RUN   " + text
	}
	room := boxOf(right).x0 - marginX - 10
	s.text(label{text: shorten(text, footerStyle, room), style: footerStyle, at: point{marginX, s.h - 6}})
}

func noRoom(events int) string {
	if events == 1 {
		return "1 further marked event has no room here"
	}
	return fmt.Sprintf("%d further marked events have no room here", events)
}

// describe says in words what the picture shows, for those who cannot see it.
func (v *view) describe(panels []panel, markers []marker) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d panels over %s of simulated time.", len(panels), span(v.total))
	for _, p := range panels {
		fmt.Fprintf(&b, " %s:", p.title)
		for i, e := range p.legend {
			if i > 0 {
				b.WriteString(",")
			}
			b.WriteString(strings.TrimRight(" "+e.name+" "+e.fact, " "))
		}
		b.WriteString(".")
	}
	for _, w := range v.r.Windows[:min(len(v.r.Windows), spanNames)] {
		fmt.Fprintf(&b, " Window %s from %s to %s.", clean(w.Label), instant(w.FromS, v.total), instant(w.ToS, v.total))
	}
	for _, g := range markers {
		fmt.Fprintf(&b, " %d: %s.", g.number, g.text)
	}
	return b.String()
}
