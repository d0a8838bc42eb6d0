package dist

import (
	"strings"
	"time"
)

// ReadHdr reads the percentile text of an HdrHistogram, as its libraries and wrk2
// print it: the columns Value, Percentile, TotalCount and 1/(1-Percentile), then
// lines with #. unit is that of the values, which the text does not say. Each line
// becomes a value and the number of samples since the line before. Lines before the
// heading and after the last column line are left out. The error is a *LineError.
func ReadHdr(text []byte, unit time.Duration) ([]Weighted, error) {
	h := hdrReader{unit: unit}
	bad := eachLine(text, h.line)
	end := field{line: max(h.last.line, 1), col: 1, text: h.last.text}
	switch {
	case bad != nil:
		return nil, bad
	case !h.heading:
		return nil, end.fault("it is what outputPercentileDistribution, hdr_percentiles_print or wrk2 --latency prints",
			"there is no line 'Value Percentile TotalCount 1/(1-Percentile)'")
	case len(h.out) == 0:
		return nil, end.fault("", "there are no percentiles below the heading")
	case h.share < 1:
		return nil, end.fault("the lines up to percentile 1.000000000000 belong to it",
			"the percentiles end at %g; the last line must be that of the longest value, at 1", h.share)
	}
	return h.out, nil
}

type hdrReader struct {
	unit    time.Duration
	heading bool
	ended   bool
	last    field
	value   time.Duration
	share   float64
	count   float64
	out     []Weighted
}

func (h *hdrReader) line(f field) *LineError {
	switch {
	case !h.heading:
		words := strings.Fields(f.text)
		h.heading = len(words) >= 3 && words[0] == "Value" && words[1] == "Percentile" && words[2] == "TotalCount"
		h.last = f
		return nil
	case h.ended:
		return nil
	case f.text[0] == '#':
		h.ended = true
		return nil
	}
	h.last = f
	return h.row(f, f.columns())
}

// columns splits a line at its spaces.
func (f field) columns() []field {
	var out []field
	for at := 0; at < len(f.text); {
		end := at
		for end < len(f.text) && !space(f.text[end]) {
			end++
		}
		if end > at {
			out = append(out, field{f.text[at:end], f.line, f.col + at})
		}
		at = end + 1
	}
	return out
}

// row is one line of percentiles. Values, percentiles and counts never fall from one
// line to the next; lines that add nothing are left out.
func (h *hdrReader) row(f field, c []field) *LineError {
	if len(c) < 3 || len(c) > 4 {
		return f.fault("", "a line has the columns Value, Percentile, TotalCount and 1/(1-Percentile); this one has %d", len(c))
	}
	value, bad := c[0].duration(h.unit)
	if bad != nil {
		return bad
	}
	share, bad := c[1].number("the percentile")
	if bad != nil {
		return bad
	}
	count, bad := c[2].number("the total count")
	if bad != nil {
		return bad
	}
	switch {
	case share > 1:
		return c[1].fault("", "the percentile is %s; it must be from 0 to 1", clip(c[1].text))
	case share < h.share:
		return c[1].fault("", "the percentile %s is below the %g before it", clip(c[1].text), h.share)
	case count > weightMax:
		return c[2].fault("", "the total count is %s; it must be at most %g", clip(c[2].text), weightMax)
	case count < h.count:
		return c[2].fault("", "the total count %s is below the %.0f before it", clip(c[2].text), h.count)
	case value < h.value:
		return c[0].fault("", "the value %s is below the one before it", clip(c[0].text))
	}
	if count > h.count {
		h.out = append(h.out, Weighted{value, count - h.count})
	}
	h.value, h.share, h.count = value, share, count
	return nil
}
