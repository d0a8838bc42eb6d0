package reports

import (
	"fmt"
	"math"
)

// Room around and between the panels, in points.
const (
	marginX    = 14.0
	marginTop  = 12.0
	tickGutter = 34.0
	legendRoom = 134.0
	panelGap   = 27.0
	titleLine  = 18.0
	smallLine  = 11.5
	axisRoom   = 32.0
	footerRoom = 16.0
	laneGap    = 22.0
)

// Limits of sizes, and the share of their wanted heights that panels can have.
const (
	widthMin     = 480.0
	widthMax     = 4000.0
	shrinkMin    = 0.6
	stretchMax   = 1.5
	widthWanted  = 756.0
	heightWanted = 630.0
	dpiWanted    = 110
	heightsMax   = 4000.0
	dpiMin       = 36
	dpiMax       = 600
	spanStripGap = 3.0
)

// header is what stands above the event lane.
type header struct{ title, subtitle []string }

func (h header) height() float64 {
	return marginTop + titleLine*float64(len(h.title)) + smallLine*float64(len(h.subtitle)) + 5
}

// layout holds where everything stands.
type layout struct {
	w, h   float64
	header header
	// lane is the lower edge of the event lane.
	lane   float64
	frames []box
}

// arrange stacks the panels under header and lane. A height of zero takes what
// the panels want, and not less than a page looks well with; another one stretches or shrinks them.
func arrange(opt Options, head header, rows int, panels []panel) (*layout, error) {
	l := &layout{w: opt.Width, header: head}
	l.lane = head.height() + float64(rows)*laneRow + 4
	fixed := l.lane + laneGap + panelGap*float64(len(panels)-1) + axisRoom + footerRoom
	wanted := 0.0
	for _, p := range panels {
		wanted += p.height
	}
	factor := math.Min(math.Max(1, (heightWanted-fixed)/wanted), stretchMax)
	if opt.Height > 0 {
		factor = (opt.Height - fixed) / wanted
	}
	if factor < shrinkMin {
		least := math.Ceil(fixed + shrinkMin*wanted)
		return nil, fmt.Errorf("reports: height %g points is too small for %d panels, at least %g", opt.Height, len(panels), least)
	}
	y := l.lane + laneGap
	for _, p := range panels {
		high := p.height * factor
		l.frames = append(l.frames, box{marginX + tickGutter, y, l.w - legendRoom, y + high})
		y += high + panelGap
	}
	l.h = math.Ceil(y - panelGap + axisRoom + footerRoom)
	return l, nil
}

// gutter is the room for a panel's legend.
func (l *layout) gutter(i int) box {
	f := l.frames[i]
	return box{f.x1 + 12, f.y0, l.w - 6, f.y1}
}

// bottom of the last panel.
func (l *layout) bottom() float64 { return l.frames[len(l.frames)-1].y1 }
