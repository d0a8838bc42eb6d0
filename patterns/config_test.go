package patterns_test

import (
	"encoding/json"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

// inFile is what a service's configuration file has of these types.
type inFile struct {
	Rate patterns.Percent  `json:"rate"`
	Wait patterns.Duration `json:"wait"`
}

// TestPercentageInJSONIsANumberOrAString: all ways to write it give the same value; null
// and an absent key leave what was there.
func TestPercentageInJSONIsANumberOrAString(t *testing.T) {
	for text, want := range map[string]float64{
		`{"rate": 50}`: 50, `{"rate": "50"}`: 50, `{"rate": "50%"}`: 50, `{"rate": " 50 % "}`: 50, `{"rate": 5e1}`: 50,
		`{"rate": 12.5}`: 12.5, `{"rate": "12.5%"}`: 12.5, `{"rate": 0}`: 0, `{"rate": 100}`: 100, `{"rate": 0.001}`: 0.001,
		`{"rate": "\u0035\u0030"}`: 50, `{"rate": null}`: 7, `{}`: 7,
	} {
		s := inFile{Rate: patterns.PercentOf(7)}
		if err := json.Unmarshal([]byte(text), &s); err != nil || s.Rate.Float() != want {
			t.Errorf("%s: %v, %v", text, s.Rate, err)
		}
	}
}

// TestWhatIsNoPercentageIsToldAsItWasWritten: the error has what was found and what is
// allowed, the value stays.
func TestWhatIsNoPercentageIsToldAsItWasWritten(t *testing.T) {
	for text, found := range map[string]string{
		`101`: "101", `-1`: "-1", `1e300`: "1e300", `"half"`: "half", `""`: "", `"50%%"`: "50%%", `"NaN"`: "NaN", `"Inf"`: "Inf", `true`: "true",
		`[50]`: "[50]", `{"of": 50}`: `{"of": 50}`, `"` + strings.Repeat("9", 100) + `"`: strings.Repeat("9", 60) + "...",
	} {
		s := inFile{Rate: patterns.PercentOf(7)}
		err := json.Unmarshal([]byte(`{"rate": `+text+`}`), &s)
		if want := "'" + found + "' is not a percentage from 0 to 100"; err == nil || err.Error() != want || s.Rate != patterns.PercentOf(7) {
			t.Errorf("%s: %v and %v, want %s", text, s.Rate, err, want)
		}
	}
}

// TestDurationInJSONHasAUnit: a string with a unit, or 0. A number tells how to write it.
func TestDurationInJSONHasAUnit(t *testing.T) {
	for text, want := range map[string]time.Duration{
		`"250ms"`: 250 * time.Millisecond, `" 1m30s "`: 90 * time.Second, `"0"`: 0, `0`: 0, `"-1s"`: -time.Second, `null`: 7,
	} {
		s := inFile{Wait: 7}
		if err := json.Unmarshal([]byte(`{"wait": `+text+`}`), &s); err != nil || s.Wait.Std() != want {
			t.Errorf("%s: %v, %v", text, s.Wait, err)
		}
	}
	for text, want := range map[string]string{
		`250`: "'250' is not a duration: write '250s' or '250ms'", `"250"`: "'250' is not a duration: write '250s' or '250ms'",
		`1.5`: "'1.5' is not a duration: write '1.5s' or '1.5ms'", `"soon"`: "'soon' is not a duration: write 250ms, 2s, 1m30s or 1h",
		`true`: "'true' is not a duration: write 250ms, 2s, 1m30s or 1h", `"10 minutes"`: "'10 minutes' is not a duration: write 250ms, 2s, 1m30s or 1h",
		`""`: "'' is not a duration: write 250ms, 2s, 1m30s or 1h",
	} {
		s := inFile{Wait: 7}
		if err := json.Unmarshal([]byte(`{"wait": `+text+`}`), &s); err == nil || err.Error() != want || s.Wait != 7 {
			t.Errorf("%s: %v and %v, want %s", text, s.Wait, err, want)
		}
	}
}

// TestStringsOfJSONAreCheckedByWhoeverAsks: a string that is none, as only a direct caller can give.
func TestStringsOfJSONAreCheckedByWhoeverAsks(t *testing.T) {
	var p patterns.Percent
	var d patterns.Duration
	if p.UnmarshalJSON([]byte(`"50`)) == nil || d.UnmarshalJSON([]byte(`"1s`)) == nil || p.UnmarshalJSON(nil) == nil || d.UnmarshalJSON(nil) == nil {
		t.Errorf("%v %v", p, d)
	}
}

// FuzzPercentagesAndDurationsComeBack: what can be read is written so that it reads as
// the same value, as JSON and as text.
func FuzzPercentagesAndDurationsComeBack(f *testing.F) {
	for _, seed := range []string{"50", `"50%"`, "12.3456", "1e-3", `"1h2m3.004s"`, `"250ms"`, "0", "null", `"-1ns"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var p, q patterns.Percent
		if json.Unmarshal(text, &p) == nil {
			again, err := json.Marshal(p)
			if err != nil || json.Unmarshal(again, &q) != nil || q != p || p.Float() < 0 || p.Float() > 100 || math.IsNaN(p.Float()) {
				t.Errorf("%s: %v, again %s: %v, %v", text, p, again, q, err)
			}
		}
		var d, e patterns.Duration
		if json.Unmarshal(text, &d) == nil {
			again, err := json.Marshal(d)
			if err != nil || json.Unmarshal(again, &e) != nil || e != d {
				t.Errorf("%s: %v, again %s: %v, %v", text, d, again, e, err)
			}
		}
	})
}
