package httpguard

import (
	"net/http"
	"strconv"
	"testing"
	"time"
)

var noon = time.Date(2025, 3, 4, 12, 0, 0, 0, time.UTC)

// TestRetryAfterIsRead: each form of the RFC, and what is none.
func TestRetryAfterIsRead(t *testing.T) {
	later := noon.Add(90 * time.Second)
	for _, c := range []struct {
		text, date string
		after      time.Duration
		ok         bool
	}{
		{"", "", 0, false},
		{"0", "", 0, true},
		{"120", "", 2 * time.Minute, true},
		{" 7 ", "", 7 * time.Second, true},
		{"-1", "", 0, false},
		{"+1", "", 0, false},
		{"1.5", "", 0, false},
		{"1s", "", 0, false},
		{"soon", "", 0, false},
		{"99999999999", "", longest, true},
		{"99999999999999999999999", "", longest, true},
		{later.Format(http.TimeFormat), "", 90 * time.Second, true},
		{later.Format(time.RFC850), "", 90 * time.Second, true},
		{later.Format(time.ANSIC), "", 90 * time.Second, true},
		{noon.Add(-time.Hour).Format(http.TimeFormat), "", 0, true},
		{later.Format(http.TimeFormat), noon.Add(time.Minute).Format(http.TimeFormat), 30 * time.Second, true},
		{later.Format(http.TimeFormat), "yesterday", 90 * time.Second, true},
	} {
		h := http.Header{"Retry-After": {c.text}, "Date": {c.date}}
		if after, ok := RetryAfter(h, noon); after != c.after || ok != c.ok {
			t.Errorf("%q, date %q: %v %v, want %v %v", c.text, c.date, after, ok, c.after, c.ok)
		}
	}
	if _, ok := RetryAfter(http.Header{}, noon); ok {
		t.Error("a hint without a header")
	}
}

// TestSecondsAreRoundedUp: a caller that keeps to the header never comes early.
func TestSecondsAreRoundedUp(t *testing.T) {
	for d, want := range map[time.Duration]string{0: "0", 1: "1", time.Second: "1", time.Second + 1: "2", longest: "9223372037"} {
		if got := seconds(d); got != want {
			t.Errorf("%v: %s, want %s", d, got, want)
		}
	}
}

// TestDeadlineFormats: the words on the wire in both formats, and what is none.
func TestDeadlineFormats(t *testing.T) {
	for _, c := range []struct {
		f    DeadlineFormat
		left time.Duration
		text string
	}{
		{Milliseconds, -time.Second, "0"},
		{Milliseconds, 1500*time.Millisecond + 999, "1500"},
		{"", time.Hour, "3600000"},
		{GRPCTimeout, 0, "0n"},
		{GRPCTimeout, 99999999, "99999999n"},
		{GRPCTimeout, 100 * time.Millisecond, "100000u"},
		{GRPCTimeout, 99 * time.Second, "99000000u"},
		{GRPCTimeout, 100 * time.Second, "100000m"},
		{GRPCTimeout, 30 * time.Hour, "108000S"},
		{GRPCTimeout, 30000 * time.Hour, "1800000M"},
		{GRPCTimeout, longest, "2562047H"},
	} {
		if got := c.f.Format(c.left); got != c.text {
			t.Errorf("%s %v: %s, want %s", c.f, c.left, got, c.text)
		}
	}
	for text, f := range map[string]DeadlineFormat{
		"": "", "-5": "", "1.5": "", "12ms": Milliseconds, "5": GRPCTimeout, "m": GRPCTimeout, "5x": GRPCTimeout,
		"-5m": GRPCTimeout, "123456789m": GRPCTimeout, " ": GRPCTimeout,
	} {
		if d, ok := f.Parse(text); ok {
			t.Errorf("%s %q was read as %v", f, text, d)
		}
	}
	if d, ok := GRPCTimeout.Parse("99999999H"); !ok || d != longest {
		t.Error(d, ok)
	}
}

// FuzzRetryAfter: no text makes it panic, answer below 0, or say ok of what is
// neither digits nor a date; and digits are what strconv makes of them.
func FuzzRetryAfter(f *testing.F) {
	for _, s := range []string{"", "0", "12", "9223372037", "Tue, 04 Mar 2025 12:00:01 GMT", "Tuesday, 04-Mar-25 12:00:01 GMT", "1e3", "٣"} {
		f.Add(s, "")
		f.Add(s, s)
	}
	f.Fuzz(func(t *testing.T, text, date string) {
		h := http.Header{"Retry-After": {text}, "Date": {date}}
		after, ok := RetryAfter(h, noon)
		if after < 0 || !ok && after != 0 {
			t.Fatalf("%q: %v %v", text, after, ok)
		}
		if n, err := strconv.ParseUint(text, 10, 32); err == nil && after != time.Duration(n)*time.Second {
			t.Fatalf("%q: %v", text, after)
		}
		if ok {
			back, ok := RetryAfter(http.Header{"Retry-After": {seconds(after)}}, noon)
			if !ok || back < after && back != longest {
				t.Fatalf("%q: %v comes back as %v", text, after, back)
			}
		}
	})
}

// FuzzDeadline: what is read can be written, and never becomes longer by it, nor
// shorter by more than the unit.
func FuzzDeadline(f *testing.F) {
	for _, s := range []string{"", "0", "1500", "1500m", "99999999H", "1n", "x"} {
		f.Add(s, int64(len(s))*12345678)
	}
	f.Fuzz(func(t *testing.T, text string, ns int64) {
		for _, format := range []DeadlineFormat{Milliseconds, GRPCTimeout} {
			if d, ok := format.Parse(text); d < 0 || !ok && d != 0 && format == GRPCTimeout {
				t.Fatalf("%s %q: %v %v", format, text, d, ok)
			}
			left := max(0, time.Duration(ns))
			d, ok := format.Parse(format.Format(left))
			if !ok || d > left || left-d >= time.Millisecond && left-d > left/1e6 {
				t.Fatalf("%s: %v becomes %v", format, left, d)
			}
		}
	})
}
