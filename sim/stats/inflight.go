package stats

// excuse takes back what looks like an outage only because requests were still in
// flight. What was lost for certain in a span is what was offered and neither
// answered nor added to those in flight. Two spans may be excused by that:
//
//   - the start, before the first fault, up to the end of its bad time: a request
//     cannot be answered before its service time is over;
//   - what is down only since the last short window began: the run ended first.
//
// Elsewhere a request that waits counts as not answered, as its caller sees it.
func (j *judgement) excuse() {
	if len(j.InFlight) != j.count() || j.count() == 0 {
		return
	}
	if end := j.startUp(); end > 0 && end < j.count() && j.startS[end] <= j.begun+slackS && !j.lost(0, end) {
		clear(j.down[:end])
	}
	n := j.count()
	last, _ := j.lastShort()
	tail := n
	for tail > 0 && j.down[tail-1] {
		tail--
	}
	if tail < last || !j.below(last, n, j.share) || j.lost(last, n) {
		return
	}
	clear(j.down[tail:])
	// Windows that reach the end see these requests as answered.
	j.goodput[n] += j.joined(last, n)
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
