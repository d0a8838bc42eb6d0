package stats

// excuse takes back what looks like an outage only because requests were still in
// flight. What was lost for certain in a span is what was offered and neither
// answered nor added to those in flight. Three kinds of span may be excused by that:
//
//   - the start, before the first fault, up to the end of its bad time: a request
//     cannot be answered before its service time is over;
//   - a bad time away from faults, of so few requests that no short window is full:
//     where a service takes longer than the window, chance alone parts what is
//     answered in it from what is offered;
//   - what is down only since the last short window began, or the last two of so few
//     requests: the run ended first.
//
// Elsewhere a request that waits counts as not answered, as its caller sees it.
func (j *judgement) excuse() {
	if len(j.InFlight) != j.count() || j.count() == 0 {
		return
	}
	if end := j.startUp(); end > 0 && end < j.count() && j.startS[end] <= j.begun+slackS && !j.lost(0, end) {
		clear(j.down[:end])
	}
	j.excuseFew()
	n := j.count()
	last, _ := j.lastShort()
	tail := n
	for tail > 0 && j.down[tail-1] {
		tail--
	}
	first := last
	if tail < n && j.goodput[tail] > 0 && j.few(tail, n) && !j.nearFault(tail, n) {
		// Two windows that overlap may be bad by chance once something was answered.
		first = min(last, j.from(j.EndS-2*j.RecoveryForS))
	}
	if from := min(tail, last); tail >= first && j.below(last, n, j.share) && !j.lost(from, n) {
		clear(j.down[tail:])
		// Windows that reach the end see these requests as answered.
		j.goodput[n] += j.joined(from, n)
	}
}

// excuseFew takes back the bad times that are chance among few requests.
func (j *judgement) excuseFew() {
	for a := 0; a < j.count(); a++ {
		b := a
		for b < j.count() && j.down[b] {
			b++
		}
		if b > a && b < j.count() && j.few(a, b) && !j.nearFault(a, b) && !j.lost(a, b) {
			clear(j.down[a:b])
		}
		a = b
	}
}

// few reports whether the rate of a span, or of the rule's window with which it
// begins, is too low to fill a short window within the rule's.
func (j *judgement) few(from, to int) bool {
	end, _ := j.rule(from)
	to = max(to, end)
	return j.mean(j.offered, from, to)*j.RecoveryForS < shortWindowRequests
}

// nearFault reports whether a span overlaps a fault or the rule's window after it.
func (j *judgement) nearFault(from, to int) bool {
	for _, f := range j.Faults {
		if j.startS[from] < f.ToS+j.RecoveryForS && j.endS[to-1] > f.FromS {
			return true
		}
	}
	return false
}

// startUp is the end of the bad time before which nothing was answered; 0 if there
// is none. Good times shorter than the rule's window do not end it.
func (j *judgement) startUp() int {
	end := 0
	for i, down := range j.down {
		switch {
		case !down:
		case end == 0 && j.goodput[i] > 0, end > 0 && j.startS[i] >= j.endS[end-1]+j.RecoveryForS-slackS:
			return end
		default:
			end = i + 1
		}
	}
	return end
}

// joined is by how many the requests in flight grew; 0 where they did not.
func (j *judgement) joined(from, to int) float64 {
	if len(j.InFlight) != j.count() || from >= to {
		return 0
	}
	before := 0.0
	if from > 0 {
		before = j.InFlight[from-1]
	}
	return max(j.InFlight[to-1]-before, 0)
}

// lost reports whether more of a span's requests ended without an answer than the
// recovery share allows.
func (j *judgement) lost(from, to int) bool {
	offered := j.offered[to] - j.offered[from]
	return j.goodput[to]-j.goodput[from]+j.joined(from, to) < j.share*offered-slackS
}

// fewWait reports whether a span has so few requests that those in flight at its end
// make it look bad, and none of the others does.
func (j *judgement) fewWait(from, to int) bool {
	return j.offered[to]-j.offered[from] < fewRequests && !j.lost(from, to)
}

// unproven reports that nothing of what was judged was answered, or too little of
// what ended.
func (j *judgement) unproven() bool {
	from, n := j.judgedFrom(), j.count()
	offered, good := j.offered[n]-j.offered[from], j.answered-j.goodput[from]
	return offered > slackS && (good <= slackS || good < j.share*(offered-j.joined(from, n))-slackS)
}
