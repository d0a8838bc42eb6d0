package httpguard

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

const longest = time.Duration(math.MaxInt64)

// RetryAfter reads a Retry-After header (RFC 9110, 10.2.3): whole seconds, or a
// date, which is taken against the response's own Date if it has one, so that the clocks
// need not agree, and against now if not. A date that has passed is 0. ok is
// false without a header, and for one that is neither.
func RetryAfter(h http.Header, now time.Time) (after time.Duration, ok bool) {
	text := strings.TrimSpace(h.Get("Retry-After"))
	if text == "" {
		return 0, false
	}
	if seconds, ok := count(text); ok {
		return times(seconds, time.Second), true
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	if date, err := http.ParseTime(h.Get("Date")); err == nil {
		now = date
	}
	return max(0, at.Sub(now)), true
}

// seconds writes a time as the whole seconds of a Retry-After, rounded up.
func seconds(d time.Duration) string {
	s := d / time.Second
	if d%time.Second > 0 {
		s++
	}
	return strconv.FormatInt(int64(s), 10)
}

// count reads digits and nothing else; what is too large is the largest.
func count(text string) (int64, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" {
		return 0, false
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		n = math.MaxInt64
	}
	return n, true
}

// times multiplies without overflowing.
func times(n int64, unit time.Duration) time.Duration {
	if n > int64(longest/unit) {
		return longest
	}
	return time.Duration(n) * unit
}

// DeadlineFormat is how the remaining time is written in a header. It is a
// duration and no date, so that the clocks need not agree; the time on the wire
// is not counted.
type DeadlineFormat string

const (
	// Milliseconds: digits, as in "X-Request-Timeout-Ms: 1500".
	Milliseconds DeadlineFormat = "milliseconds"
	// GRPCTimeout: up to eight digits and a unit of n, u, m, S, M, H, as in
	// "Grpc-Timeout: 1500m".
	GRPCTimeout DeadlineFormat = "grpc"
)

// grpcUnits from the finest on.
var grpcUnits = []struct {
	letter byte
	unit   time.Duration
}{{'n', time.Nanosecond}, {'u', time.Microsecond}, {'m', time.Millisecond}, {'S', time.Second}, {'M', time.Minute}, {'H', time.Hour}}

// check returns an error for a format that does not exist.
func (f DeadlineFormat) check() error {
	switch f {
	case "", Milliseconds, GRPCTimeout:
		return nil
	}
	return fmt.Errorf("'%s' is not milliseconds or grpc", string(f))
}

// Format writes a remaining time, rounded down; below 0 as 0.
func (f DeadlineFormat) Format(left time.Duration) string {
	left = max(0, left)
	if f != GRPCTimeout {
		return strconv.FormatInt(int64(left/time.Millisecond), 10)
	}
	i := 0
	for left/grpcUnits[i].unit >= 1e8 {
		i++
	}
	return strconv.FormatInt(int64(left/grpcUnits[i].unit), 10) + string(grpcUnits[i].letter)
}

// Parse reads a remaining time; ok is false if it is not in this format.
func (f DeadlineFormat) Parse(text string) (left time.Duration, ok bool) {
	text = strings.TrimSpace(text)
	if f != GRPCTimeout {
		n, ok := count(text)
		return times(n, time.Millisecond), ok
	}
	if len(text) < 2 || len(text) > 9 {
		return 0, false
	}
	n, ok := count(text[:len(text)-1])
	for _, u := range grpcUnits {
		if ok && text[len(text)-1] == u.letter {
			return times(n, u.unit), true
		}
	}
	return 0, false
}
