package reports

import (
	"strings"
	"testing"
)

func texts(ticks []tick) string {
	var out []string
	for _, t := range ticks {
		if t.text != "" {
			out = append(out, t.text)
		}
	}
	return strings.Join(out, " ")
}

// Rows of arithmetic: round labels from half a second to a year.
func TestTimeTicksAreRound(t *testing.T) {
	for _, row := range []struct {
		total float64
		n     int
		want  string
	}{
		{0.5, 5, "0s 0.1s 0.2s 0.3s 0.4s 0.5s"},
		{30, 10, "0:00 0:05 0:10 0:15 0:20 0:25 0:30"},
		{300, 10, "0:00 0:30 1:00 1:30 2:00 2:30 3:00 3:30 4:00 4:30 5:00"},
		{3600, 6, "0:00 10:00 20:00 30:00 40:00 50:00 60:00"},
		{7200, 8, "0:00 0:15 0:30 0:45 1:00 1:15 1:30 1:45 2:00"},
		{86400, 8, "0:00 3:00 6:00 9:00 12:00 15:00 18:00 21:00 24:00"},
		{365 * 86400, 4, "0d 100d 200d 300d"},
	} {
		if got := texts(timeTicks(row.total, row.n)); got != row.want {
			t.Errorf("%g s: %s, want %s", row.total, got, row.want)
		}
	}
}

// Rows of arithmetic for both kinds of value axis.
func TestValueTicksAreRound(t *testing.T) {
	for _, row := range []struct{ got, want string }{
		{texts(linearTicks(3400, 5)), "0 1k 2k 3k"},
		{texts(linearTicks(14080, 4)), "0 5k 10k"},
		{texts(linearTicks(0.9, 5)), "0 0.2 0.4 0.6 0.8"},
		{texts(linearTicks(2.2e6, 5)), "0 500k 1M 1.5M 2M"},
		{texts(linearTicks(3e-7, 3)), "0 1e-07 2e-07 3e-07"},
		{texts(logTicks(logRange(12, 9000), 5)), "10ms 100ms 1s 10s"},
		{texts(logTicks(logRange(0.04, 0.3), 5)), "20µs 50µs 100µs 200µs 500µs"},
		{texts(logTicks(logRange(1e-3, 1e5), 5)), "1µs 100µs 10ms 1s 100s"},
	} {
		if row.got != row.want {
			t.Errorf("%s, want %s", row.got, row.want)
		}
	}
}

// Both ends of a logarithmic range hold the data, whatever their size.
func TestLogRangeHoldsItsData(t *testing.T) {
	for lo := 1e-9; lo < 1e12; lo *= 3.7 {
		for _, wide := range []float64{1, 1.01, 3, 40, 1e5} {
			if s := logRange(lo, lo*wide); s.lo > lo || s.hi < lo*wide || s.hi/s.lo < 4 {
				t.Errorf("%g to %g gives %g to %g", lo, lo*wide, s.lo, s.hi)
			}
		}
	}
}

// Rows of words: how numbers are said to a person.
func TestNumbersAsWords(t *testing.T) {
	for _, row := range []struct{ got, want string }{
		{span(0), "0 s"}, {span(0.25), "250 ms"}, {span(3.2), "3.2 s"}, {span(87), "87 s"}, {span(119), "119 s"}, {span(120), "2m00s"}, {span(154), "2m34s"},
		{span(2287), "38m07s"}, {span(3900), "1h05m"}, {instant(80, 300), "1:20"}, {instant(3723, 9000), "1:02:03"},
		{instant(0.84, 2), "0.84 s"}, {milliseconds(48.25), "48.2 ms"}, {milliseconds(0.5), "0.5 ms"},
		{milliseconds(100), "100 ms"}, {milliseconds(1250), "1.25 s"}, {milliseconds(999.9), "1 s"},
		{milliseconds(200000), "200 s"}, {amount(4220.4), "4220"}, {amount(0.25), "0.25"}, {amount(1.254e6), "1.25M"},
		{amount(999990), "1M"}, {percent(1), "100 %"}, {percent(0.9999), "> 99.9 %"}, {percent(0.9987), "99.8 %"},
		{percent(0.934), "93 %"}, {percent(0.0002), "< 0.1 %"}, {percent(0), "0 %"}, {percent(0.05), "5 %"},
		{grouped(2880000), "2,880,000"}, {grouped(999), "999"}, {grouped(1000), "1,000"},
	} {
		if row.got != row.want {
			t.Errorf("%s, want %s", row.got, row.want)
		}
	}
}

// Text is cut to its room with an ellipsis, on whole letters.
func TestTextIsCutToItsRoom(t *testing.T) {
	long := strings.Repeat("größe ", 50)
	for _, room := range []float64{30, 100, 333.3} {
		got := shorten(long, nameStyle, room)
		if w := textWidth(got, nameStyle); w > room || w < room-20 || !strings.HasSuffix(got, "…") {
			t.Errorf("room %g: %q is %g wide", room, got, w)
		}
		for _, l := range wrap(long, nameStyle, room, 3) {
			if textWidth(l, nameStyle) > room {
				t.Errorf("room %g: line %q is too wide", room, l)
			}
		}
	}
	if got := shorten("word", nameStyle, 5); got != "" {
		t.Errorf("no room gives %q, want nothing", got)
	}
	if got := clean("a\tb\nc\x07\xff <&>"); got != "a b c? <&>" {
		t.Errorf("cleaned to %q", got)
	}
}
