package reports

import "strings"

// about is what the scenario says of itself; nothing once --set has changed it,
// because the sentence may then be false.
func (v *view) about() string {
	if len(v.r.Scenario.Changed) > 0 {
		return ""
	}
	return clean(v.r.Scenario.About)
}

// changes are the settings that --set changed; empty when there are none.
func (v *view) changes() string {
	if len(v.r.Scenario.Changed) == 0 {
		return ""
	}
	return "with " + clean(strings.Join(v.r.Scenario.Changed, ", "))
}
