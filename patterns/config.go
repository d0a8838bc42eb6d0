package patterns

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Duration is a time.Duration that reads and writes itself as text ("250ms",
// "1m30s"). A bare number is refused: a setting without a unit is the commonest
// mistake in configuration files.
type Duration time.Duration

// Std returns the value as a time.Duration.
func (d Duration) Std() time.Duration { return time.Duration(d) }

// String prints the duration as time.Duration does.
func (d Duration) String() string { return time.Duration(d).String() }

// MarshalText writes the duration with its unit.
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a duration with a unit: 250ms, 2s, 1m30s, 1h.
func (d *Duration) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(string(text))
	if s != "0" {
		if _, err := strconv.ParseFloat(s, 64); err == nil {
			return fmt.Errorf("'%s' is not a duration: write '%ss' or '%sms'", clipped(s), clipped(s), clipped(s))
		}
	}
	v, err := time.ParseDuration(s)
	if err != nil {
		return fmt.Errorf("'%s' is not a duration: write 250ms, 2s, 1m30s or 1h", clipped(s))
	}
	*d = Duration(v)
	return nil
}

// UnmarshalJSON reads the same out of a string. A number is refused, 0 excepted; null
// changes nothing.
func (d *Duration) UnmarshalJSON(text []byte) error { return fromJSON(text, d.UnmarshalText) }

// Percent is a share written as resilience4j does: 50 means 50 %. It accepts
// 50, "50", "50%" and 12.5. The value is kept in thousandths of a percent, so that rates are
// compared in integers (D13) and nothing is lost to rounding.
type Percent int32

const percentUnit = 1000

// PercentOf returns p percent, for example PercentOf(50).
func PercentOf(p float64) Percent { return Percent(math.Round(p * percentUnit)) }

// Float returns the value in percent, 0 to 100.
func (p Percent) Float() float64 { return float64(p) / percentUnit }

// Reached reports whether part of total is at least p percent, in integers:
// part x 100 >= p x total. It is false for an empty total.
func (p Percent) Reached(part, total int64) bool {
	return total > 0 && part*100*percentUnit >= int64(p)*total
}

// String prints the percentage without a sign, as resilience4j writes it.
func (p Percent) String() string { return strconv.FormatFloat(p.Float(), 'f', -1, 64) }

// MarshalText writes the number alone.
func (p Percent) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads 50, 50% or 12.5.
func (p *Percent) UnmarshalText(text []byte) error {
	s := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(string(text)), "%"))
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(v) || v < 0 || v > 100 {
		return fmt.Errorf("'%s' is not a percentage from 0 to 100", clipped(string(text)))
	}
	*p = PercentOf(v)
	return nil
}

// UnmarshalJSON reads the same out of a number or a string. null changes nothing.
func (p *Percent) UnmarshalJSON(text []byte) error { return fromJSON(text, p.UnmarshalText) }

// fromJSON hands the text of a JSON value to read. What is no string comes as it is
// written, so that a fault shows what was found.
func fromJSON(text []byte, read func([]byte) error) error {
	switch {
	case string(text) == "null":
		return nil
	case len(text) == 0 || text[0] != '"':
		return read(text)
	}
	var s string
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	return read([]byte(s))
}

// clipped keeps a value that was found short enough for an error.
func clipped(s string) string {
	const most = 60
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "..."
}

// Fault is one thing wrong with a configuration: which key, and what is allowed.
type Fault struct {
	Key     string
	Message string
}

// Error joins key and message.
func (f Fault) Error() string { return f.Key + ": " + f.Message }

// Faults collects every fault of a configuration, so that all are told at once.
type Faults []Fault

// Add notes a fault of the given key.
func (fs *Faults) Add(key, format string, args ...any) {
	*fs = append(*fs, Fault{Key: key, Message: fmt.Sprintf(format, args...)})
}

// Err returns nil when there are none, else one error that joins them all.
func (fs Faults) Err() error {
	errs := make([]error, len(fs))
	for i, f := range fs {
		errs[i] = f
	}
	return errors.Join(errs...)
}
