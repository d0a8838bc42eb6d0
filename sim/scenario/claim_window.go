package scenario

import (
	"strings"
	"time"
)

// bases are the moments that a window may be anchored to.
var bases = []string{"start", "end", "trigger", "trigger.end", "recovery"}

// window reads [FROM, TO].
func (c *claimant) window(e *Expectation, s *scanner) *slip {
	s.space()
	open := s.at
	rest := s.rest()
	if !strings.HasPrefix(rest, "[") {
		return &slip{open, max(1, width(rest)), "a window is [FROM, TO]", "for example during [7m, 30m] or during [trigger.end + 2m, end]"}
	}
	end := strings.IndexByte(rest, ']')
	if end < 0 {
		return &slip{open, width(rest), "']' is missing", ""}
	}
	inner := rest[1:end]
	s.at = open + width(rest[:end+1])
	from, to, two := strings.Cut(inner, ",")
	if !two || strings.Contains(to, ",") {
		return &slip{open, width(inner) + 2, "a window has two ends: [FROM, TO]", "for example [7m, 30m]"}
	}
	var bad *slip
	if e.From, bad = c.anchor(from, open+1); bad != nil {
		return bad
	}
	if e.To, bad = c.anchor(to, open+2+width(from)); bad != nil {
		return bad
	}
	whole := &slip{offset: open, width: width(inner) + 2}
	if e.From.Base == e.To.Base && e.From.Offset >= e.To.Offset {
		whole.message = "the window is empty: it ends before it begins"
		return whole
	}
	if e.From.Base == "start" && c.run > 0 && e.From.Offset >= c.run {
		whole.message = "the window begins at " + span2text(e.From.Offset) + ", but the run ends at " + span2text(c.run)
		return whole
	}
	return nil
}

// anchor reads 7m, trigger, trigger.end + 2m, end - 60s.
func (c *claimant) anchor(text string, at int) (Anchor, *slip) {
	lead := width(text) - width(strings.TrimLeft(text, " \t\n"))
	trimmed := strings.TrimSpace(text)
	bad := &slip{offset: at + lead, width: max(1, width(trimmed))}
	if trimmed == "" {
		bad.message, bad.hint = "an instant is missing", "for example 7m or trigger.end + 2m"
		return Anchor{}, bad
	}
	name, offset, sign := trimmed, "", time.Duration(0)
	if i := strings.IndexAny(trimmed, "+-"); i > 0 {
		name, offset, sign = strings.TrimSpace(trimmed[:i]), strings.TrimSpace(trimmed[i+1:]), 1
		if trimmed[i] == '-' {
			sign = -1
		}
	}
	a := Anchor{Base: name}
	if !contains(bases, name) {
		d, no := readDuration(name)
		if no != nil || sign != 0 || d < 0 {
			bad.message = "'" + clip(trimmed) + "' is not an instant"
			bad.hint = meant(name, "an instant is a time since the start (7m), or one of these, with an offset if need be", bases)
			return a, bad
		}
		return Anchor{Base: "start", Offset: d}, nil
	}
	if sign != 0 {
		d, no := readDuration(offset)
		if no != nil {
			bad.message, bad.hint = no.message, no.hint
			return a, bad
		}
		a.Offset = sign * d
	}
	return a, c.allowed(a, bad)
}

// allowed refuses an anchor that this scenario does not have.
func (c *claimant) allowed(a Anchor, bad *slip) *slip {
	if strings.HasPrefix(a.Base, "trigger") || a.Base == "recovery" {
		if !c.faults {
			bad.message = "'" + a.Base + "' needs a fault, and this scenario has none"
			return bad
		}
		if c.steady && a.Base != "trigger" {
			bad.message = "'" + a.Base + "' is not known before the first fault"
			return bad
		}
	}
	return nil
}
