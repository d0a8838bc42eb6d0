package scenario

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// plainNumber is what counts as a number: no leading zero (010 is 8 to some
// readers and 10 to others), no hexadecimal, no underscore, no infinity.
var plainNumber = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?$`)

// bareNumber is what a writer meant as a number without its unit.
var bareNumber = regexp.MustCompile(`^[-+]?[0-9.]+$`)

var wholeNumber = regexp.MustCompile(`^[-+]?(0|[1-9][0-9]*)$`)

// spelledSpan is a duration in shape, however long.
var spelledSpan = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?(ns|us|µs|μs|ms|s|m|h))+$`)

// complaint is why a scalar was refused.
type complaint struct{ message, hint string }

func complain(hint, format string, args ...any) *complaint {
	return &complaint{message: fmt.Sprintf(format, args...), hint: hint}
}

// scalar reads a single value; the finding is noted when it does not fit.
func (c *checker) scalar(v *value, s *shape) bool {
	n := v.node
	if len(n.text) > MaxText {
		c.fs.fault(n.pos, v.path, "", "%s is longer than %d bytes", c.called(v.path), MaxText)
		return false
	}
	bad := v.read(n, s)
	if bad == nil {
		bad = v.bounded(s)
	}
	if bad != nil {
		c.fs.fault(n.pos, v.path, bad.hint, "%s", bad.message)
		return false
	}
	c.doubtful(v, s)
	return true
}

func (v *value) read(n *node, s *shape) *complaint {
	var bad *complaint
	switch s.kind {
	case durationShape:
		v.dur, bad = readDuration(n.text)
		v.num = v.dur.Seconds()
	case rateShape:
		v.num, bad = readRate(n.text, s.bare && !n.quoted)
	case shareShape:
		v.num, bad = readShare(n.text)
	case percentShape:
		v.num, bad = readPercent(n.text)
	case countShape:
		if len(s.words) > 0 && n.text == s.words[0] {
			v.word, v.num = n.text, s.lo
			return nil
		}
		bad = v.readCount(n, s)
	case numberShape:
		if bad = unquoted(n); bad == nil {
			v.num, bad = readNumber(n.text)
		}
	case windowShape:
		bad = v.readWindow(n, s)
	case switchShape:
		v.flag, bad = readSwitch(n)
	case wordShape:
		v.word, bad = n.text, readWord(n.text, s)
	case textShape, refShape, claimShape:
		v.word = n.text
	}
	return bad
}

func unquoted(n *node) *complaint {
	if n.quoted {
		return complain("leave the quotes out", "'%s' is a text; a number is wanted", clip(n.text))
	}
	return nil
}

func readNumber(text string) (float64, *complaint) {
	if !plainNumber.MatchString(text) {
		if trimmed := strings.TrimLeft(text, "0"); trimmed != text && plainNumber.MatchString(trimmed) {
			return 0, complain("write "+trimmed, "'%s' has a leading zero, which some readers take for base 8", clip(text))
		}
		return 0, complain("", "'%s' is not a number", clip(text))
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) {
		return 0, complain("", "'%s' is too large", clip(text))
	}
	return x, nil
}

func (v *value) readCount(n *node, s *shape) *complaint {
	if bad := unquoted(n); bad != nil {
		return bad
	}
	x, bad := readNumber(n.text)
	if bad != nil {
		if len(s.words) > 0 {
			bad.hint = meant(n.text, "allowed", append([]string{"a whole number"}, s.words...))
		}
		return bad
	}
	if !wholeNumber.MatchString(n.text) && x != math.Trunc(x) {
		return complain("", "'%s' is not a whole number", clip(n.text))
	}
	v.num = x
	if u, err := strconv.ParseUint(strings.TrimPrefix(n.text, "+"), 10, 64); err == nil {
		v.whole = u
	} else if x >= 0 && x < 1<<53 {
		v.whole = uint64(x)
	} else if x > 0 {
		return complain("", "'%s' is too large", clip(n.text))
	}
	return nil
}

func (v *value) readWindow(n *node, s *shape) *complaint {
	if bareNumber.MatchString(n.text) {
		return v.readCount(n, s)
	}
	d, bad := readDuration(n.text)
	if bad != nil {
		return complain("write 100 (calls) or 10s (with slidingWindowType: TIME_BASED)", "'%s' is neither a number nor a duration", clip(n.text))
	}
	if d%time.Second != 0 {
		return complain("", "'%s' is not a whole number of seconds", clip(n.text))
	}
	v.timed, v.dur, v.num, v.whole = true, d, d.Seconds(), uint64(max(d, 0)/time.Second)
	return nil
}

func readDuration(text string) (time.Duration, *complaint) {
	if text == "0" {
		return 0, nil
	}
	if bareNumber.MatchString(text) {
		return 0, complain(fmt.Sprintf("write '%ss' or '%sms'", clip(text), clip(text)), "'%s' is not a duration: the unit is missing", clip(text))
	}
	d, err := time.ParseDuration(text)
	if err != nil && spelledSpan.MatchString(text) {
		// More than a counter of nanoseconds holds, and than any setting allows: the
		// nearest that there is will be found out of range.
		if strings.HasPrefix(text, "-") {
			return math.MinInt64, nil
		}
		return math.MaxInt64, nil
	}
	if err != nil {
		return 0, complain("write 250ms, 2s, 1m30s or 1h", "'%s' is not a duration", clip(text))
	}
	return d, nil
}

var perSecond = map[string]float64{"s": 1, "m": 60, "h": 3600}

func readRate(text string, bare bool) (float64, *complaint) {
	head, unit, found := strings.Cut(text, "/")
	if !found {
		if x, bad := readNumber(text); bad == nil {
			if bare {
				return x, nil
			}
			return 0, complain(fmt.Sprintf("write '%s/s' or '%s/m'", clip(text), clip(text)), "'%s' is not a rate: the unit is missing", clip(text))
		}
		return 0, complain("write 800/s, 50/m or 10/h", "'%s' is not a rate", clip(text))
	}
	over, known := perSecond[unit]
	x, bad := readNumber(head)
	if bad != nil || !known {
		return 0, complain("write 800/s, 50/m or 10/h", "'%s' is not a rate", clip(text))
	}
	return x / over, nil
}

func readShare(text string) (float64, *complaint) {
	if head, found := strings.CutSuffix(text, "%"); found {
		x, bad := readNumber(strings.TrimSpace(head))
		if bad != nil {
			return 0, complain("write 50% or 0.5", "'%s' is not a share", clip(text))
		}
		return x / 100, nil
	}
	x, bad := readNumber(text)
	if bad != nil {
		return 0, complain("write 50% or 0.5", "'%s' is not a share", clip(text))
	}
	return x, nil
}

func readPercent(text string) (float64, *complaint) {
	x, bad := readNumber(strings.TrimSpace(strings.TrimSuffix(text, "%")))
	if bad != nil {
		return 0, complain("write 50 or 50%", "'%s' is not a percentage", clip(text))
	}
	return x, nil
}

func readSwitch(n *node) (bool, *complaint) {
	if !n.quoted {
		switch n.text {
		case "true":
			return true, nil
		case "false":
			return false, nil
		}
	}
	switch strings.ToLower(n.text) {
	case "yes", "on", "y", "true", "1":
		return false, complain("write true", "'%s' is not true or false", clip(n.text))
	case "no", "off", "n", "false", "0":
		return false, complain("write false", "'%s' is not true or false", clip(n.text))
	}
	return false, complain("", "'%s' is not true or false", clip(n.text))
}

func readWord(text string, s *shape) *complaint {
	for _, w := range s.words {
		if w == text {
			return nil
		}
	}
	hint := meant(text, "allowed", s.words)
	if strings.HasPrefix(hint, "did you") {
		hint += " (allowed: " + strings.Join(s.words, ", ") + ")"
	}
	return complain(hint, "'%s' is not a word that is allowed here", clip(text))
}
