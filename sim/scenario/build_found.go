package scenario

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/resilsim/resilsim/sim/dist"
)

// errTold is the error of a law whose faults were noted where they are.
var errTold = errors.New("told")

// fitted makes the law of percentiles. v has at least one of them, and no other law.
func fitted(v *value) (dist.Dist, error) {
	var points []dist.Point
	for i, name := range v.names {
		if name == "family" {
			continue
		}
		p, err := dist.ParsePercentile(name)
		if err != nil {
			return nil, err
		}
		points = append(points, dist.Point{P: p, At: v.fields[i].dur})
	}
	f, err := dist.Fit(dist.Family(v.text("family", string(dist.PiecewiseFamily))), points)
	if err != nil {
		return nil, err
	}
	return f, nil
}

func weibull(v *value) (dist.Dist, error) {
	if v.get("scale") != nil {
		return dist.NewWeibullScale(v.duration("scale", 0), v.number("shape", 1))
	}
	return dist.NewWeibull(v.duration("mean", 0), v.number("shape", 1))
}

func pareto(v *value) (dist.Dist, error) {
	if v.get("max") != nil {
		return dist.NewParetoBounded(v.duration("min", 0), v.duration("max", 0), v.number("shape", 1))
	}
	return dist.NewPareto(v.duration("min", 0), v.number("shape", 1))
}

var units = map[string]time.Duration{"ns": time.Nanosecond, "us": time.Microsecond, "ms": time.Millisecond, "s": time.Second}

const (
	// maxValueText is how long the values of all laws may be when they are written out:
	// a resolved scenario holds them all.
	maxValueText = 900_000
	// maxFiles of values that a scenario may read.
	maxFiles = 20
)

// seenLaws are the laws of files, by file and unit, and how long the values of all
// laws are.
type seenLaws struct {
	files map[string]*dist.Empirical
	text  int
}

// seen makes the law of values, from a file or written out.
func (b *builder) seen(v *value, histogram bool) (dist.Dist, error) {
	d, err := (*dist.Empirical)(nil), error(nil)
	if v.get("file") != nil {
		d, err = b.fromFile(v, histogram)
	} else {
		d, err = b.fromPoints(v, histogram)
	}
	if err != nil {
		return nil, err
	}
	for _, text := range pointTexts(d.Points()) {
		b.seenLaws.text += len(text)
	}
	if b.seenLaws.text > maxValueText {
		return nil, fmt.Errorf("the values of all laws are longer than %d bytes when they are written out; round them", maxValueText)
	}
	return d, nil
}

func empirical(points []dist.Weighted, from string, histogram bool) (*dist.Empirical, error) {
	if histogram {
		return dist.NewHistogram(points, from)
	}
	return dist.NewEmpirical(points, from)
}

func (b *builder) fromPoints(v *value, histogram bool) (*dist.Empirical, error) {
	if v.get("unit") != nil {
		b.fs.fault(v.at("unit"), join(v.path, "unit"), "", "'unit' belongs to 'file'")
		return nil, errTold
	}
	points := b.pointList(v.list("points"))
	if points == nil {
		return nil, errTold
	}
	return empirical(points, v.text("from", ""), histogram)
}

// fromFile reads a file once, however many laws are made of it.
func (b *builder) fromFile(v *value, histogram bool) (*dist.Empirical, error) {
	file, unit := v.get("file"), v.text("unit", "")
	if unit == "" && histogram {
		b.fs.fault(v.node.pos, v.path, "the text does not say it: unit: ms, or us, ns, s", "the file of an HdrHistogram needs the key 'unit'")
		return nil, errTold
	}
	key := fmt.Sprint(histogram, unit, " ", file.word)
	if d, done := b.seenLaws.files[key]; done {
		if d == nil {
			return nil, errTold
		}
		return d, nil
	}
	if len(b.seenLaws.files) == maxFiles {
		return nil, fmt.Errorf("a scenario may have at most %d files of values", maxFiles)
	}
	if b.seenLaws.files == nil {
		b.seenLaws.files = map[string]*dist.Empirical{}
	}
	b.seenLaws.files[key] = nil
	points := b.valuesFile(file, units[unit], histogram)
	if points == nil {
		return nil, errTold
	}
	d, err := empirical(points, file.word, histogram)
	if err == nil {
		b.seenLaws.files[key] = d
	}
	return d, err
}

// valuesFile reads the file that a value names; nil when it cannot be read. Its
// faults are told at their places in it.
func (b *builder) valuesFile(v *value, unit time.Duration, histogram bool) []dist.Weighted {
	if b.data == nil {
		b.fs.fault(v.node.pos, v.path, "", "there are no files to read here: '%s'", clip(v.word))
		return nil
	}
	text, err := b.data(v.word)
	if err != nil {
		b.fs.fault(v.node.pos, v.path, "a path is relative to the scenario's file", "'%s' cannot be read: %s", clip(v.word), plainError(err))
		return nil
	}
	read := dist.ReadCSV
	if histogram {
		read = dist.ReadHdr
	}
	points, err := read(text, unit)
	var at *dist.LineError
	if errors.As(err, &at) {
		p := pos{src: newSource(b.beside(v.word), text), line: at.Line, col: at.Col, width: at.Width}
		b.fs.fault(p, v.path, at.Hint, "%s", at.Message)
		return nil
	}
	return points
}

// beside is how a report calls a file that is named relative to the scenario's.
func (b *builder) beside(name string) string {
	if src := b.root.node.pos.src; src != nil {
		return path.Join(path.Dir(filepath.ToSlash(src.name)), name)
	}
	return name
}

// pointList reads values that are written out: `20ms*3 25ms`, in one text or in many.
func (b *builder) pointList(list []*value) []dist.Weighted {
	var out []dist.Weighted
	for _, item := range list {
		for _, word := range strings.Fields(item.word) {
			p, bad := point(word)
			if bad != nil {
				b.fs.fault(item.node.pos, item.path, "write 20ms, or 20ms*3 for a weight of 3", "%s", bad.message)
				return nil
			}
			out = append(out, p)
		}
	}
	if len(out) == 0 && len(list) > 0 {
		b.fs.fault(list[0].node.pos, list[0].path, "write 20ms, or 20ms*3 for a weight of 3", "there is no value")
	}
	return out
}

func point(word string) (dist.Weighted, *complaint) {
	p := dist.Weighted{Weight: 1}
	head, weight, weighted := strings.Cut(word, "*")
	var bad *complaint
	if p.Value, bad = readDuration(head); bad != nil {
		return p, bad
	}
	if weighted {
		p.Weight, bad = readNumber(weight)
	}
	return p, bad
}

// mixture makes the law of its parts; each is reported with it, not alone.
func (b *builder) mixture(v *value) (dist.Dist, error) {
	var parts []dist.Part
	for _, p := range v.items {
		if p.broken || p.get("time") == nil {
			return nil, errTold
		}
		d, err := b.law(p.get("time"))
		if err != nil {
			return nil, err
		}
		parts = append(parts, dist.Part{Weight: p.number("weight", 1), Law: d})
	}
	m, err := dist.NewMixture(parts)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// tailMost is the share of a mean beyond the highest percentile that was given from
// which on a reader is warned: there the mean is a guess.
const tailMost = 0.5

// doubt warns of a fit whose mean lies where nothing was measured.
func (b *builder) doubt(v *value, d dist.Dist) {
	f, isFit := d.(*dist.Fitted)
	if !isFit || f.Beyond() < tailMost {
		return
	}
	met := f.Met()
	b.fs.warn(v.node.pos, v.path, "give a higher percentile, and a lower one", "%.0f %% of the mean of %s lie beyond %s, where nothing is given",
		100*f.Beyond(), f.Mean().Round(time.Microsecond), dist.PercentileName(met[len(met)-1].P))
}

// foundText writes a law of this file as the language spells it; false for others.
func foundText(d dist.Dist) (string, bool) {
	var p pairs
	switch law := d.(type) {
	case dist.Weibull, dist.Pareto:
		w := strings.Fields(d.String())
		for i := 1; i+1 < len(w); i += 2 {
			p.add(w[i], w[i+1])
		}
		return fmt.Sprintf("{%s: %s}", w[0], p), true
	case *dist.Fitted:
		for _, m := range law.Met() {
			p.span(dist.PercentileName(m.P), m.At)
		}
		p.add("family", string(law.Family()))
		return p.String(), true
	case *dist.Empirical:
		kind := "empirical"
		if law.Histogram() {
			kind = "hdrHistogram"
		}
		if law.Source() != "" {
			p.add("from", strconv.Quote(law.Source()))
		}
		p.add("points", "["+strings.Join(pointTexts(law.Points()), ", ")+"]")
		return fmt.Sprintf("{%s: %s}", kind, p), true
	case *dist.Mixture:
		var parts []string
		for _, part := range law.Parts() {
			parts = append(parts, fmt.Sprintf("{weight: %s, time: %s}", exactly(part.Weight), lawText(part.Law)))
		}
		return fmt.Sprintf("{mixture: [%s]}", strings.Join(parts, ", ")), true
	}
	return "", false
}

// pointTexts writes points in texts that are short enough to be read again.
func pointTexts(points []dist.Weighted) []string {
	const most = MaxText - 100
	var out []string
	line := ""
	for _, p := range points {
		word := p.Value.String()
		if p.Weight != 1 {
			word += "*" + strconv.FormatFloat(p.Weight, 'g', -1, 64)
		}
		if line != "" && len(line)+1+len(word) > most {
			out, line = append(out, strconv.Quote(line)), ""
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return slices.Clip(append(out, strconv.Quote(line)))
}
