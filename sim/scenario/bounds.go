package scenario

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// bounded holds a quantity against the range of its shape.
func (v *value) bounded(s *shape) *complaint {
	if s.hi == 0 || (v.word != "" && s.kind == countShape) {
		return nil
	}
	if (v.num > s.lo || v.num == s.lo && !s.above) && (v.num < s.hi || v.num == s.hi && !s.below) {
		return nil
	}
	hint := ""
	if s.kind == shareShape && v.num > 1 && v.num <= 100 && !strings.HasSuffix(v.node.text, "%") {
		hint = fmt.Sprintf("write %s%% or %s", v.node.text, decimal(v.num/100))
	}
	return complain(hint, "'%s' is out of range: %s must be %s", clip(v.node.text), "'"+lastPart(v.path)+"'", s.bounds())
}

// bounds says the range in words.
func (s *shape) bounds() string {
	low := "at least " + s.quantity(s.lo)
	if s.above {
		low = "above " + s.quantity(s.lo)
	}
	if s.lo == s.hi {
		return s.quantity(s.lo)
	}
	if s.hi >= unlimited {
		return low
	}
	if s.below {
		return low + " and below " + s.quantity(s.hi)
	}
	return low + " and at most " + s.quantity(s.hi)
}

func (s *shape) quantity(x float64) string {
	switch s.kind {
	case durationShape:
		return span2text(time.Duration(x * float64(time.Second)))
	case rateShape:
		return decimal(x) + "/s"
	case shareShape:
		return decimal(x*100) + "%"
	}
	return decimal(x)
}

// span2text writes a duration without the zero parts at its end: 1h, not 1h0m0s.
func span2text(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = s[:len(s)-2]
	}
	if strings.HasSuffix(s, "h0m") {
		s = s[:len(s)-2]
	}
	return s
}

// decimal writes a number for a message: exact to nine places, no exponent.
func decimal(x float64) string {
	return strconv.FormatFloat(math.Round(x*1e9)/1e9, 'f', -1, 64)
}

// doubtful warns of what is allowed but seldom meant.
func (c *checker) doubtful(v *value, s *shape) {
	text := v.node.text
	if strings.HasSuffix(text, "%") {
		return
	}
	switch {
	case s.kind == percentShape && v.num <= 1 && strings.Contains(text, "."):
		c.fs.warn(v.node.pos, v.path, fmt.Sprintf("this key is in percent, as in resilience4j; for %s of 1 write %s", text, decimal(v.num*100)),
			"%s means %s %%", text, text)
	case s.kind == shareShape && v.num > 1:
		c.fs.warn(v.node.pos, v.path, fmt.Sprintf("for %s %% write %s%%", text, text), "%s means %s %%", text, decimal(v.num*100))
	}
}
