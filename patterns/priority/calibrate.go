package priority

import "github.com/resilsim/resilsim/patterns"

// roll makes the interval of now the running one and sets the thresholds from the
// one before it. After a gap that one had no calls. It returns now, but never less
// than an instant seen before.
func (s *Shedder) roll(now patterns.Instant) patterns.Instant {
	s.seen = max(s.seen, now)
	running := int64(s.seen) / s.settings.interval
	if running <= s.running {
		return s.seen
	}
	s.ended, s.now = s.now, s.ended
	s.now.reset()
	if running > s.running+1 {
		s.ended.reset()
	}
	s.running = running
	s.calibrate()
	return s.seen
}

func (c *counts) reset() {
	if c.total > 0 {
		clear(c.byLevel)
		c.total = 0
	}
}

// calibrate sets the thresholds by the formula of the package comment.
func (s *Shedder) calibrate() {
	clear(s.bounds)
	if s.share == 0 || s.ended.total < s.settings.least {
		return
	}
	admit := (1 - s.share) * float64(s.ended.total)
	spare := admit
	for class := range s.bounds {
		spare -= s.kept(class, admit)
	}
	for class := len(s.bounds) - 1; class >= 0; class-- {
		kept := s.kept(class, admit)
		n := float64(s.calls(class))
		more := max(0, min(n-kept, spare))
		spare -= more
		switch {
		case n == 0 && (spare > 0 || float64(s.settings.guaranteed[class]*admit) > 0):
			// Nobody came, and whoever comes now would have had room.
		case n-kept-more >= n:
			s.bounds[class].level = int32(s.settings.levels)
		default:
			s.cut(class, n-kept-more)
		}
	}
}

// calls returns how many calls of a class the ended interval had.
func (s *Shedder) calls(class int) (n int64) {
	for _, k := range s.levelsOf(class) {
		n += int64(k)
	}
	return n
}

// kept is what a class has of the admitted calls by its guarantee.
func (s *Shedder) kept(class int, admit float64) float64 {
	g := s.settings.guaranteed[class]
	if g == 0 {
		return 0
	}
	return min(float64(s.calls(class)), float64(g*admit))
}

// speck is less than any share of a call that matters and more than rounding makes.
const speck = 1e-9

// cut sets a class's threshold so that so many of its calls are shed, but not all.
func (s *Shedder) cut(class int, shed float64) {
	b := &s.bounds[class]
	for _, k := range s.levelsOf(class) {
		n := float64(k)
		switch {
		case shed <= speck:
			return // a level without calls right above those that are shed is not shed
		case n > shed:
			b.part = shed / n
			return
		}
		shed -= n
		b.level++
	}
}

func (s *Shedder) levelsOf(class int) []uint32 {
	n := s.settings.levels
	return s.ended.byLevel[class*n : (class+1)*n]
}
