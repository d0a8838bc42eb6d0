// Package bulkhead answers: is there a slot for one more call, and if not, who is
// served next when one becomes free?
//
// A call that enters gets a ticket. It is granted a slot at once, or waits, or is
// rejected. A granted ticket must leave exactly once; a waiting one is granted
// when its turn comes, or is cancelled by its caller. A slot that becomes free
// goes to a waiting call in the same step, so that no newcomer can overtake and
// no slot lies idle while anybody waits.
//
// The core does not time the waits: the caller that waited MaxWait in vain
// cancels its ticket. If the grant came at the same instant, the grant wins:
// Cancel says false, and the call has its slot.
//
// Tickets carry a generation, so that leaving twice, or with a ticket of long
// ago, is refused and harmless.
package bulkhead
