package scenario

import (
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// subject reads [SCOPE.]METRIC. A metric without a scope is that of the first
// fleet, of the only service, or of the run.
func (c *claimant) subject(e *Expectation, text string, at int) (result.Metric, *slip) {
	kind, scope, name, bad := c.split(text, at)
	if bad != nil {
		return result.Metric{}, bad
	}
	nameAt := at + width(text) - width(name)
	m, known := find(kind, name)
	if !known {
		return m, c.unknown(kind, scope, name, nameAt)
	}
	e.Metric = m.Name
	if scope == "" && m.Kind == result.Callers && len(c.fleets) > 0 {
		scope = c.fleets[0]
	}
	if scope == "" && m.Kind == result.Services {
		if len(c.services) != 1 {
			return m, &slip{at, width(text), "'" + name + "' is recorded for each service: say which", "for example " + example(c.services) + "." + name}
		}
		scope = c.services[0]
	}
	if m.Kind != result.Run && scope != "" {
		e.Scope = string(m.Kind) + "." + scope
	}
	if c.steady && m.Kind == result.Run {
		return m, &slip{at, width(text), "'" + name + "' is not known before the first fault", ""}
	}
	if strings.HasPrefix(m.Name, "breaker") {
		for i, f := range c.fleets {
			if f == scope && !c.breakers[i] {
				return m, &slip{at, width(text), "the calls of '" + f + "' go through no circuit breaker", ""}
			}
		}
	}
	return m, nil
}

func example(names []string) string {
	if len(names) == 0 {
		return "payments"
	}
	return names[0]
}

// split separates the scope from the metric, whose name may hold a dot too.
func (c *claimant) split(text string, at int) (kind result.ScopeKind, scope, name string, bad *slip) {
	head, rest, dotted := strings.Cut(text, ".")
	if !dotted {
		return "", "", text, nil
	}
	type section struct {
		kind  result.ScopeKind
		names []string
	}
	sections := []section{{result.Callers, c.fleets}, {result.Services, c.services}}
	for _, sec := range sections {
		if head == string(sec.kind) {
			return c.qualified(sec.kind, sec.names, text, at)
		}
	}
	for _, sec := range sections {
		if contains(sec.names, head) {
			return sec.kind, head, rest, nil
		}
	}
	if _, known := find("", text); known {
		return "", "", text, nil
	}
	all := append(append([]string{}, c.fleets...), c.services...)
	return "", "", "", &slip{at, width(head), "there is no fleet or service '" + clip(head) + "'", meant(head, "there are", all)}
}

// qualified reads callers.NAME.METRIC or services.NAME.METRIC.
func (c *claimant) qualified(kind result.ScopeKind, names []string, text string, at int) (result.ScopeKind, string, string, *slip) {
	rest := strings.TrimPrefix(text, string(kind)+".")
	scope, name, dotted := strings.Cut(rest, ".")
	if !dotted {
		return "", "", "", &slip{at, width(text), "the metric is missing", "for example " + text + ".goodput"}
	}
	if !contains(names, scope) {
		where := at + width(string(kind)) + 1
		return "", "", "", &slip{where, width(scope), "there is no '" + clip(scope) + "' in " + string(kind), meant(scope, "there are", names)}
	}
	return kind, scope, name, nil
}

// find looks a metric up in the catalogue; an empty kind is any.
func find(kind result.ScopeKind, name string) (result.Metric, bool) {
	for _, m := range result.Catalogue() {
		if m.Name == name && (kind == "" || m.Kind == kind) {
			return m, true
		}
	}
	return result.Metric{}, false
}

func (c *claimant) unknown(kind result.ScopeKind, scope, name string, at int) *slip {
	s := &slip{offset: at, width: width(name)}
	if m, elsewhere := find("", name); elsewhere {
		s.message = "'" + name + "' is recorded for " + kindWord(m.Kind) + ", and '" + scope + "' is one of the " + string(kind)
		return s
	}
	var names []string
	for _, m := range result.Catalogue() {
		if kind == "" || m.Kind == kind {
			names = append(names, m.Name)
		}
	}
	s.message, s.hint = "there is no metric '"+clip(name)+"'", meant(name, "metrics", names)
	return s
}

func kindWord(k result.ScopeKind) string {
	if k == result.Run {
		return "the run as a whole"
	}
	return string(k)
}
