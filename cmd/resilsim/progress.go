package main

import (
	"fmt"
	"time"

	"github.com/schollz/progressbar/v3"
)

// updatesEvery bounds how often the bar is drawn: looking must not cost the work.
const updatesEvery = 100 * time.Millisecond

// bar shows how far a run is. The nil bar shows nothing.
type bar struct {
	drawn *progressbar.ProgressBar
	began time.Time
	last  time.Time
}

// newBar returns nil when nobody looks.
func (a *app) newBar() *bar {
	if !a.progress(a.global) {
		return nil
	}
	drawn := progressbar.NewOptions64(1,
		progressbar.OptionSetWriter(a.err),
		progressbar.OptionSetWidth(30),
		progressbar.OptionThrottle(updatesEvery/2), // Describe draws; the Set64 after it does not draw again
		progressbar.OptionSetPredictTime(true),
		progressbar.OptionClearOnFinish(),
	)
	return &bar{drawn: drawn, began: time.Now()}
}

// update tells the bar how much of the simulated time is done.
func (b *bar) update(done, total time.Duration, events uint64) {
	if b == nil {
		return
	}
	now := time.Now()
	if now.Sub(b.last) < updatesEvery {
		return
	}
	b.last = now
	rate := float64(events) / now.Sub(b.began).Seconds()
	b.drawn.ChangeMax64(int64(total))
	b.drawn.Describe(fmt.Sprintf("%s of %s simulated, %.1f M events/s", done.Round(time.Second), total.Round(time.Second), rate/1e6))
	// A bar that cannot be drawn is no reason to stop a run.
	_ = b.drawn.Set64(int64(done))
}

// clear takes the bar off the screen.
func (b *bar) clear() {
	if b != nil {
		_ = b.drawn.Clear()
	}
}
