package metrics

import (
	"regexp"
	"strings"
	"testing"
)

// TestNamesKeepTheRules: of each metric the name is dotted lower case, no two are alike,
// also as Prometheus writes them, pipeline and policy come first, and Help is a sentence.
func TestNamesKeepTheRules(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range All() {
		p := m.Prometheus()
		if !regexp.MustCompile(`^resilience(\.[a-z][a-z_]*)+$`).MatchString(m.Name) || seen[m.Name] || seen[p] {
			t.Errorf("%s, %s", m.Name, p)
		}
		seen[m.Name], seen[p] = true, true
		if strings.Join(m.Labels[:2], " ") != "pipeline policy" || m.Help == "" || m.Unit == "" {
			t.Errorf("%+v", m)
		}
		if (m.Kind == Counter) != strings.HasSuffix(p, "_total") {
			t.Errorf("%s is a %s", p, m.Kind)
		}
	}
}

// TestListIsACopy: who changes what All returned changes nothing.
func TestListIsACopy(t *testing.T) {
	All()[0].Name = "mine"
	if All()[0].Name == "mine" {
		t.Error("changed")
	}
}
