package reports

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/sim/result"
)

var (
	update = flag.Bool("update", false, "write the golden files anew")
	look   = flag.String("look", "", "write all figures as PNG into this directory, to be looked at")
)

func drawn(t *testing.T, r *result.Result, opt Options) *Figure {
	t.Helper()
	f, err := Incident(r, opt)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func svgOf(t *testing.T, f *Figure) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.SVG(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// The layout knows the box of each text: over all stories and several sizes no
// two boxes meet and none leaves the canvas.
func TestTextsNeverMeetNorLeaveTheCanvas(t *testing.T) {
	for _, c := range stories() {
		for _, opt := range []Options{{}, {Width: widthMin}, {Width: 1500, Height: 1200, DPI: 72}} {
			f := drawn(t, c.r, opt)
			if bad := f.scene.fault(); bad != "" {
				t.Errorf("%s, width %g: %s", c.name, opt.Width, bad)
			}
			if len(f.scene.labels) < 8 {
				t.Errorf("%s: only %d texts", c.name, len(f.scene.labels))
			}
		}
	}
}

// The check above must be able to fail: two texts at one place are found.
func TestOverlapIsFound(t *testing.T) {
	s := &scene{w: 100, h: 100}
	s.text(label{text: "one", style: tickStyle, at: point{10, 50}})
	if s.fault() != "" {
		t.Error("a lonely text is no fault")
	}
	s.text(label{text: "two", style: tickStyle, at: point{12, 54}})
	if s.fault() == "" {
		t.Error("overlap not found")
	}
	s = &scene{w: 100, h: 100}
	s.text(label{text: "one", style: tickStyle, at: point{95, 50}})
	if s.fault() == "" {
		t.Error("text outside not found")
	}
}

var badNumber = regexp.MustCompile(`NaN|Inf|#-|e[+-]\d+[ "]`)

// Every figure is XML that a strict parser reads, has words for screen readers,
// and no coordinate that is not a number.
func TestSVGIsSoundXML(t *testing.T) {
	for _, c := range stories() {
		text := svgOf(t, drawn(t, c.r, Options{}))
		for d := xml.NewDecoder(strings.NewReader(text)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Errorf("%s: %v", c.name, err)
				break
			}
		}
		for _, line := range strings.Split(text, "\n") {
			if strings.HasPrefix(line, "<path") || strings.HasPrefix(line, "<circle") {
				if bad := badNumber.FindString(line); bad != "" {
					t.Errorf("%s: %q in %.80s", c.name, bad, line)
				}
			}
		}
		for _, want := range []string{"<title id=", "<desc id=", `role="img"`, "'Liberation Sans', Arial"} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %s", c.name, want)
			}
		}
	}
}

// Drawn twice from results built twice, the bytes are the same.
func TestSameResultSameBytes(t *testing.T) {
	first, second := stories(), stories()
	for i := range first {
		if svgOf(t, drawn(t, first[i].r, Options{})) != svgOf(t, drawn(t, second[i].r, Options{})) {
			t.Errorf("%s: two drawings differ", first[i].name)
		}
	}
}

// Drawing only reads: the result is the same afterwards, NaN included.
func TestDrawingLeavesTheResultAlone(t *testing.T) {
	r, twin := notNumbers(), notNumbers()
	drawn(t, r, Options{})
	for i, c := range r.Series.Columns {
		for k, v := range c.Values {
			if w := twin.Series.Columns[i].Values[k]; v != w && (v == v || w == w) {
				t.Fatalf("%s %s [%d]: %v became %v", c.Scope, c.Metric, k, w, v)
			}
		}
	}
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs; look at the change and run go test ./reports -update", path)
	}
}

// The text of two small figures is kept, so that a change of the looks is seen.
func TestFigureGoldens(t *testing.T) {
	golden(t, "half-minute.svg", svgOf(t, drawn(t, halfMinute(), Options{})))
	golden(t, "nothing.svg", svgOf(t, drawn(t, &result.Result{}, Options{})))
}

// The PNG has the size that was asked for and is not blank.
func TestPNGHasTheSizeAskedFor(t *testing.T) {
	f := drawn(t, blip(), Options{Width: 720, Height: 648, DPI: 100})
	var b bytes.Buffer
	if err := f.PNG(&b); err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(&b)
	if err != nil {
		t.Fatal(err)
	}
	if s := img.Bounds().Size(); s.X != 1000 || s.Y != 900 {
		t.Errorf("size %v, want 1000 x 900", s)
	}
	ink := 0
	for x := range 1000 {
		if r, _, _, _ := img.At(x, 450).RGBA(); r != 0xffff {
			ink++
		}
	}
	if ink < 100 {
		t.Errorf("only %d pixels of the middle row are drawn", ink)
	}
}

// What a reader looks for is there in words: the headline, the reference
// levels, the time without goodput, the events in order.
func TestFigureSaysWhatHappened(t *testing.T) {
	text := svgOf(t, drawn(t, retryStorm(), Options{}))
	at := 0
	for _, want := range []string{"shedding 80 % of the requests ended it", "scenario retry-storm, seed 7",
		">5:00 partition", ">45:31 recovered", ">metastable: the retries are the outage<", ">0/s for 39m07s<",
		">capacity 1280/s<", ">timeout of an attempt 1 s<", ">limit 12800 = 10 s of work<", "digest 5f1c0c9be21a77d4"} {
		i := strings.Index(text[at:], want)
		if i < 0 {
			t.Errorf("%q is missing or too early", want)
			continue
		}
		at += i
	}
	if strings.Contains(text, "breakers") {
		t.Error("a panel of breakers for a fleet that has none")
	}
}

// Wrong options are errors that name what is wrong.
func TestOptionsAreChecked(t *testing.T) {
	for want, opt := range map[string]Options{
		"width": {Width: 100}, "height": {Height: -1}, "dpi": {DPI: 7}, "too small": {Height: 200},
		`"callers.nobody"`: {Callers: "callers.nobody"}, `"services.nothing"`: {Service: "services.nothing"},
	} {
		if _, err := Incident(blip(), opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want a word about %s", opt, err, want)
		}
	}
	if _, err := Incident(nil, Options{}); err == nil {
		t.Error("no result, no error")
	}
}

type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, errPipe }

var errPipe = errors.New("broken pipe")

// A writer that fails is reported, not swallowed.
func TestWriteErrorsComeBack(t *testing.T) {
	f := drawn(t, blip(), Options{})
	for name, err := range map[string]error{
		"svg": f.SVG(brokenPipe{}), "png": f.PNG(brokenPipe{}), "summary": Summary(brokenPipe{}, blip(), SummaryOptions{}),
	} {
		if !errors.Is(err, errPipe) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// No story makes the rasteriser fail. With -look the pictures are kept.
func TestEveryStoryBecomesAPNG(t *testing.T) {
	for _, c := range stories()[:20] {
		var b bytes.Buffer
		if err := drawn(t, c.r, Options{}).PNG(&b); err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
		if *look != "" {
			if err := os.WriteFile(filepath.Join(*look, c.name+".png"), b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// The figure of an hour with one interval a second.
func BenchmarkIncidentPNG(b *testing.B) {
	r := retryStorm()
	for b.Loop() {
		f, err := Incident(r, Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := f.PNG(io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
