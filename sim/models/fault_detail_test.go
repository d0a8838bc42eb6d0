package models

import (
	"testing"
	"time"
)

// The line of a fault says what differs from health, in numbers a person reads:
// rows of faults and their lines.
func TestTheLineOfAFaultLeavesOutWhatIsNeutral(t *testing.T) {
	const s = time.Second
	for _, row := range []struct {
		fault Fault
		want  string
	}{
		{Fault{Kind: Slow, Times: 1, Plus: 2 * s, Share: 1, For: 60 * s}, "plus 2s, for 1m0s"},
		{Fault{Kind: Slow, Times: 3, Share: 1, For: 60 * s}, "times 3, for 1m0s"},
		{Fault{Kind: Slow, Times: 3, Plus: s, Share: 0.5, For: s}, "times 3, plus 1s, 50 % of the instances, for 1s"},
		{Fault{Kind: Slow, Times: 1, Share: 1, For: s}, "for 1s"},
		{Fault{Kind: Slow, Times: 1.1 * 3, Share: 1, For: s}, "times 3.3, for 1s"},
		{Fault{Kind: Surge, Rate: 124.76999287699999, For: s}, "124.77/s, for 1s"},
		{Fault{Kind: Surge, Rate: 2e6, For: s}, "2000000/s, for 1s"},
		{Fault{Kind: Surge, Times: 2, For: s}, "times 2, for 1s"},
		{Fault{Kind: Errors, Part: 0.29, Share: 1, For: s}, "29 % of requests fail, for 1s"},
		{Fault{Kind: Freeze, Share: 1, For: s}, "for 1s"},
	} {
		if got := row.fault.detail(); got != row.want {
			t.Errorf("%+v: %q, want %q", row.fault, got, row.want)
		}
	}
}
