package reports

import (
	"image/color"
	"strings"
	"unicode"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/vg"
)

// style is how text is written; size in points.
type style struct {
	size   float64
	bold   bool
	colour color.NRGBA
}

// The styles of a figure.
var (
	titleStyle    = style{15, true, inkDark}
	subtitleStyle = style{8.6, false, inkSoft}
	panelStyle    = style{9, true, inkDark}
	tickStyle     = style{8, false, inkSoft}
	nameStyle     = style{8.2, false, inkDark}
	factStyle     = style{7.2, false, inkSoft}
	levelStyle    = style{7.2, false, inkSoft}
	eventStyle    = style{8, false, inkDark}
	numberStyle   = style{7.8, true, white}
	footerStyle   = style{7, false, inkSoft}
)

// Share of the size that text reaches above and below its baseline. Liberation
// Sans has capitals of 0.73 and descenders of 0.21.
const (
	ascent  = 0.76
	descent = 0.22
)

// face looks a style's font up in Liberation Sans, which comes with the
// library. A bold weight has the number 3 there.
func face(st style) font.Face {
	want := font.Font{Typeface: "Liberation", Variant: "Sans"}
	if st.bold {
		want.Weight = 3
	}
	for _, f := range liberation.Collection() {
		if f.Font == want {
			f.Font.Size = vg.Length(st.size)
			return f
		}
	}
	panic("reports: Liberation Sans is not in the collection of fonts")
}

// textWidth in points.
func textWidth(text string, st style) float64 {
	f := face(st)
	return float64(f.Width(text))
}

// boxOf is the space that a label fills.
func boxOf(l label) box {
	w := textWidth(l.text, l.style)
	x := l.at.x - w*l.anchor
	return box{x, l.at.y - ascent*l.style.size, x + w, l.at.y + descent*l.style.size}
}

// clean makes any text fit for one line of XML: spaces instead of breaks, and
// no control characters.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "?")
	drop := func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), r == 0xfffe, r == 0xffff:
			return -1
		}
		return r
	}
	return strings.Join(strings.Fields(strings.Map(drop, text)), " ")
}

// shorten cuts text to a width, with an ellipsis; "" where not even three
// letters have room.
func shorten(text string, st style, width float64) string {
	if textWidth(text, st) <= width {
		return text
	}
	runes := []rune(text)
	if len(runes) > 400 {
		runes = runes[:400]
	}
	lo, hi := 0, len(runes)
	for lo < hi {
		mid := (lo + hi + 1) / 2
		if textWidth(string(runes[:mid])+"…", st) <= width {
			lo = mid
		} else {
			hi = mid - 1
		}
	}
	if lo < 3 {
		return ""
	}
	return strings.TrimRight(string(runes[:lo]), " ,;:-") + "…"
}

// wrapSentence breaks a headline that needs two lines after a semicolon or a colon
// where both parts have room, else like wrap.
func wrapSentence(text string, st style, width float64) []string {
	if textWidth(text, st) <= width {
		return []string{text}
	}
	for _, mark := range []string{"; ", ": "} {
		if first, second, found := strings.Cut(text, mark); found {
			first += mark[:1]
			if textWidth(first, st) <= width && textWidth(second, st) <= width {
				return []string{first, second}
			}
		}
	}
	return wrap(text, st, width, 2)
}

// wrap breaks text into at most n lines of a width; the last is shortened.
func wrap(text string, st style, width float64, n int) []string {
	var lines []string
	words := strings.Fields(text)
	for len(words) > 0 && len(lines) < n-1 {
		k := 1
		for k < len(words) && textWidth(strings.Join(words[:k+1], " "), st) <= width {
			k++
		}
		lines = append(lines, shorten(strings.Join(words[:k], " "), st, width))
		words = words[k:]
	}
	if len(words) > 0 {
		lines = append(lines, shorten(strings.Join(words, " "), st, width))
	}
	return lines
}
