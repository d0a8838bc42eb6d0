package stats

const (
	shortWindowS        = 5
	shortWindowRequests = 200
	amplificationS      = 10
	// fewRequests: with fewer offered requests in a window a ratio says nothing about
	// the load.
	fewRequests = 10
	// relapseShare of the recovery share: a later window of the rule with less
	// goodput than that says that what came before was not a recovery.
	relapseShare = 0.5
	// slackS absorbs the rounding of sums of interval widths.
	slackS = 1e-9
)

// load holds the curves of a case as counts, summed up from the start: the sum
// over intervals i up to j, j not included, is sum[j] - sum[i].
type load struct {
	startS, endS               []float64
	offered, goodput, attempts []float64
	share, forS                float64
}

func newLoad(c *Case) *load {
	n := len(c.StartS)
	l := &load{startS: c.StartS, endS: make([]float64, n), share: c.RecoveryShare, forS: c.RecoveryForS}
	for i := range n {
		l.endS[i] = c.EndS
		if i+1 < n {
			l.endS[i] = c.StartS[i+1]
		}
	}
	l.offered, l.goodput, l.attempts = l.sums(c.Offered), l.sums(c.Goodput), l.sums(c.Attempts)
	return l
}

// sums of a rate; an absent value adds nothing.
func (l *load) sums(rate []float64) []float64 {
	out := make([]float64, len(l.startS)+1)
	for i := range l.startS {
		out[i+1] = out[i]
		if i < len(rate) && rate[i] == rate[i] {
			out[i+1] += rate[i] * (l.endS[i] - l.startS[i])
		}
	}
	return out
}

func (l *load) count() int { return len(l.startS) }

// from is the first interval that begins at or after an instant; count() if none.
func (l *load) from(tS float64) int {
	for i, start := range l.startS {
		if start >= tS-slackS {
			return i
		}
	}
	return l.count()
}

// holding is the interval that holds an instant: the last that begins at or
// before it.
func (l *load) holding(tS float64) int {
	i := l.from(tS)
	if i > 0 && (i == l.count() || l.startS[i] > tS+slackS) {
		i--
	}
	return i
}

// after is the end of the shortest window from i that is at least spanS long and
// has so many offered requests, but not longer than the rule's; false when it does
// not fit into the run.
func (l *load) after(i int, spanS, requests float64) (j int, fits bool) {
	for j = i; j < l.count(); j++ {
		long := l.endS[j] - l.startS[i]
		enough := long >= spanS-slackS && l.offered[j+1]-l.offered[i] >= requests
		if enough || long >= max(l.forS, spanS)-slackS {
			return j + 1, true
		}
	}
	return j, false
}

// short is the end of the short window from i.
func (l *load) short(i int) (j int, fits bool) {
	return l.after(i, min(shortWindowS, l.forS), shortWindowRequests)
}

// rule is the end of the recovery rule's window from i.
func (l *load) rule(i int) (j int, fits bool) { return l.after(i, l.forS, 0) }

// below reports whether goodput of a window is less than a share of offered.
func (l *load) below(i, j int, share float64) bool {
	return l.goodput[j]-l.goodput[i] < share*(l.offered[j]-l.offered[i])-slackS
}

// mean rate over a window of intervals; 0 for an empty one.
func (l *load) mean(sums []float64, i, j int) float64 {
	if i >= j {
		return 0
	}
	return (sums[j] - sums[i]) / (l.endS[j-1] - l.startS[i])
}

// peak of attempts per offered request over windows of 10 s; over the whole run
// when it is shorter, or when no window has enough requests.
func (l *load) peak() float64 {
	best := 0.0
	ratio := func(i, j int) {
		if offered := l.offered[j] - l.offered[i]; offered >= fewRequests {
			best = max(best, (l.attempts[j]-l.attempts[i])/offered)
		}
	}
	if n := l.count(); n > 0 && l.endS[n-1]-l.startS[0] < amplificationS {
		ratio(0, n)
	}
	for i, j := 0, 0; i < l.count(); i++ {
		for j < l.count() && (j <= i || l.endS[j-1]-l.startS[i] < amplificationS-slackS) {
			j++
		}
		if l.endS[j-1]-l.startS[i] >= amplificationS-slackS {
			ratio(i, j)
		}
	}
	if best == 0 && l.offered[l.count()] > 0 {
		best = l.attempts[l.count()] / l.offered[l.count()]
	}
	return best
}

// before is the start of the shortest short window that ends with interval k; that
// of the first window of the run where none fits.
func (l *load) before(k int) (i, j int) {
	for i = k; i >= 0; i-- {
		long := l.endS[k] - l.startS[i]
		enough := long >= min(shortWindowS, l.forS)-slackS && l.offered[k+1]-l.offered[i] >= shortWindowRequests
		if enough || long >= l.forS-slackS {
			return i, k + 1
		}
	}
	j, _ = l.short(0)
	return 0, j
}

// down marks the intervals of the outage. An interval with enough requests speaks
// for itself where a short window that holds it is below the share. Of the others
// one is down if the short windows that end and that begin with it both are: one
// window alone would also blame what lies beside an outage.
func (l *load) down() []bool {
	out := make([]bool, l.count())
	last, _ := l.lastShort()
	for k := range out {
		j, fits := l.short(k)
		begins := fits && l.below(k, j, l.share) || !fits && l.below(last, l.count(), l.share)
		i, j := l.before(k)
		ends := l.below(i, j, l.share)
		if l.offered[k+1]-l.offered[k] >= shortWindowRequests {
			out[k] = (begins || ends) && l.below(k, k+1, l.share)
		} else {
			out[k] = begins && ends
		}
	}
	return out
}

// lastShort is where the last short window of the run begins; 0 and false where none
// fits, so that the whole run is the window.
func (l *load) lastShort() (int, bool) {
	for i := l.count() - 1; i >= 0; i-- {
		if _, fits := l.short(i); fits {
			return i, true
		}
	}
	return 0, false
}
