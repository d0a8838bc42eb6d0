package pipeline

import "github.com/resilsim/resilsim/patterns/bulkhead"

// ResizeBulkhead gives the bulkhead of the policy with that name another number of
// slots, at least 1, while it is in use; of a pool it sets both sizes. More slots go to
// waiting calls at once. Fewer take none away: calls are let in again when fewer are
// inside. It reports whether there is such a bulkhead. A tape does not hold it.
func (p *Pipeline) ResizeBulkhead(name string, slots int) (ok bool) {
	i, ok := p.named(name, kindBulkhead)
	if !ok {
		return false
	}
	var told []Grant
	p.locked(i, func(s *stage) {
		b := p.fleet.bulkhead(0, s)
		var granted []bulkhead.Grant
		b.Resize(p.now(), slots, &granted)
		for _, d := range b.Dropped(nil) {
			told = append(told, Grant{Owner: d.Owner, Stage: int(i), Ticket: d.Ticket, Dropped: d.Reason})
		}
		for _, g := range granted {
			told = append(told, Grant{Owner: g.Owner, Stage: int(i), Ticket: g.Ticket})
		}
	})
	p.tell(told)
	return true
}
