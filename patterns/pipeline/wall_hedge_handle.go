package pipeline

import "github.com/resilsim/resilsim/patterns/hedge"

// HedgeSnapshot is what a hedge shows now.
type HedgeSnapshot struct {
	// Name is that of the policy.
	Name string
	hedge.Snapshot
	// Budgeted: it has a budget, in which there is Balance; see budget.Budget.Balance.
	Budgeted bool
	Balance  float64
}

// Hedges returns the state of the pipeline's hedge, if it has one.
func (p *Pipeline) Hedges() []HedgeSnapshot {
	var all []HedgeSnapshot
	for _, i := range p.stages(kindHedge) {
		all = append(all, p.hedge(i))
	}
	return all
}

// Hedge returns the state of the hedge of the policy with that name.
func (p *Pipeline) Hedge(name string) (h HedgeSnapshot, ok bool) {
	i, ok := p.named(name, kindHedge)
	if !ok {
		return h, false
	}
	return p.hedge(i), true
}

func (p *Pipeline) hedge(i int8) (h HedgeSnapshot) {
	p.locked(i, func(s *stage) {
		h = HedgeSnapshot{Name: p.name(i), Snapshot: p.fleet.hedges[0].Snapshot(), Budgeted: s.purse >= 0}
		if h.Budgeted {
			h.Balance = p.fleet.budget(0, s).Balance(p.now())
		}
	})
	return h
}
