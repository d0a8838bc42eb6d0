package scenario

import (
	"strings"
)

// verify holds the parts of a scenario against each other.
func (b *builder) verify() {
	if v := b.root.get("callers"); v != nil && len(v.names) == 0 && !v.broken {
		b.fs.fault(v.node.pos, "callers", "", "'callers' is empty: nobody would call anybody")
	}
	if v := b.root.get("services"); v != nil && len(v.names) == 0 && !v.broken {
		b.fs.fault(v.node.pos, "services", "", "'services' is empty: there is nobody to call")
	}
	b.distinctNames()
	b.cached()
	b.cycles()
	b.fallbacks()
	if b.root.get("duration") != nil {
		b.instants()
	}
	b.overlaps()
	b.forced()
	b.actions()
	b.surges()
}

// distinctNames: a fleet and a service of the same name could not be told apart
// in a link or a claim.
func (b *builder) distinctNames() {
	fleets := b.names("callers")
	if v := b.root.get("services"); v != nil {
		for i, name := range v.names {
			if contains(fleets, name) {
				b.fs.fault(v.node.keyPos[i], join("services", name), "", "'%s' is the name of a fleet of callers already", name)
			}
		}
	}
}

// calls lists the services that a handler may call, fallbacks included.
func (b *builder) calls(do []Step) []int {
	var out []int
	for _, s := range do {
		if s.Call < 0 {
			continue
		}
		out = append(out, s.Call)
		if s.Through < 0 || s.Through >= len(b.sc.Pipelines) {
			continue
		}
		out = append(out, b.fallbackCalls(s.Through, map[int]bool{})...)
	}
	return out
}

// fallbackCalls lists the services that the fallbacks of a pipeline may call.
func (b *builder) fallbackCalls(pipeline int, seen map[int]bool) []int {
	if pipeline < 0 || seen[pipeline] {
		return nil
	}
	seen[pipeline] = true
	var out []int
	for _, p := range b.sc.Pipelines[pipeline].Policies {
		if p.Fallback == nil {
			continue
		}
		for _, s := range p.Fallback.Steps {
			if s.Call >= 0 {
				out = append(append(out, s.Call), b.fallbackCalls(s.Through, seen)...)
			}
		}
	}
	return out
}

// cycles refuses services that call each other in a circle: their workers would
// wait for each other, and a request would never end.
func (b *builder) cycles() {
	state := make([]int, len(b.sc.Services)) // 0 not seen, 1 on the way, 2 done
	var way []int
	var visit func(s int)
	visit = func(s int) {
		state[s], way = 1, append(way, s)
		for _, next := range b.calls(b.sc.Services[s].Do) {
			if state[next] == 0 {
				visit(next)
			} else if state[next] == 1 {
				b.cycle(way, next)
			}
		}
		state[s], way = 2, way[:len(way)-1]
	}
	for s := range b.sc.Services {
		if state[s] == 0 {
			visit(s)
		}
	}
}

func (b *builder) cycle(way []int, back int) {
	for i, s := range way {
		if s == back {
			way = way[i:]
			break
		}
	}
	var names []string
	for _, s := range way {
		names = append(names, b.sc.Services[s].Name)
	}
	v := b.root.get("services").fields[way[len(way)-1]]
	b.fs.fault(v.at("do"), join(v.path, "do"), "", "services call each other in a circle: %s, %s", strings.Join(names, ", "), names[0])
}

// fallbacks refuses a rung that asks the very service that just failed, and
// pipelines whose fallbacks go through each other.
func (b *builder) fallbacks() {
	users := make([][]int, len(b.sc.Pipelines))
	note := func(do []Step) {
		for _, s := range do {
			if s.Call >= 0 && s.Through >= 0 {
				users[s.Through] = append(users[s.Through], s.Call)
			}
		}
	}
	for _, f := range b.sc.Callers {
		note(f.Do)
	}
	for _, s := range b.sc.Services {
		note(s.Do)
	}
	for i := range b.sc.Pipelines {
		b.rungs(i, func(step FallbackStep, v *value) {
			for _, target := range users[i] {
				if target == step.Call {
					b.fs.fault(v.at("call"), v.path, "", "this fallback asks '%s', the service that the pipeline's own call goes to", b.sc.Services[target].Name)
					return
				}
			}
			if step.Through >= 0 && b.reaches(step.Through, i, map[int]bool{}) {
				b.fs.fault(v.at("through"), v.path, "", "the fallbacks of '%s' and '%s' go through each other", b.sc.Pipelines[i].Name, b.sc.Pipelines[step.Through].Name)
			}
		})
	}
}

// rungs visits the fallback steps of a pipeline that are calls.
func (b *builder) rungs(pipeline int, f func(step FallbackStep, v *value)) {
	for j, p := range b.sc.Pipelines[pipeline].Policies {
		if p.Fallback == nil {
			continue
		}
		list := b.policyValue(pipeline, j).get("fallback").list("steps")
		for k, s := range p.Fallback.Steps {
			if s.Call >= 0 {
				f(s, list[k])
			}
		}
	}
}

func (b *builder) policyValue(pipeline, i int) *value {
	v := b.root.get("pipelines").fields[pipeline]
	if v.node.kind == mappingNode {
		return v.list("policies")[i]
	}
	return v.items[i]
}

func (b *builder) reaches(from, to int, seen map[int]bool) bool {
	if from == to {
		return true
	}
	if seen[from] {
		return false
	}
	seen[from] = true
	for _, p := range b.sc.Pipelines[from].Policies {
		if p.Fallback == nil {
			continue
		}
		for _, s := range p.Fallback.Steps {
			if s.Through >= 0 && b.reaches(s.Through, to, seen) {
				return true
			}
		}
	}
	return false
}

var arrivalsTable = arrivalsShape()
