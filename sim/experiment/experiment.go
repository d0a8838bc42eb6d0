package experiment

import (
	"context"
	"crypto/sha256"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/scenario"
)

// Options say how a scenario is run.
type Options struct {
	// Seed of every draw, as it is: 0 is the seed 0, not the scenario's.
	Seed uint64
	// Control also runs a scenario that has faults without them and without
	// operators. When that run is not healthy, it is one more expectation, the first,
	// that did not hold; unless the scenario itself claims that it is overloaded.
	Control bool
	// Progress is told now and then how much virtual time of all runs together is
	// done, and how many events that took. Never from two goroutines at once. Nil:
	// nobody is told.
	Progress func(done, total time.Duration, events uint64)
	// Version of the program, for the result.
	Version string
	// Spec is the resolved scenario as YAML, for the result.
	Spec []byte
	// Workers is how many runs of Replicate go on at once; 0: as many as there are
	// processors to use. It never changes a result.
	Workers int
}

// NotSteady says that a scenario was refused: it did not hold what it claims for
// the time before the first fault.
type NotSteady struct {
	Seed uint64
	// Claims that failed.
	Claims []result.Claim
}

// Error lists the claims with what was found.
func (n *NotSteady) Error() string {
	var lines []string
	for _, c := range n.Claims {
		lines = append(lines, fmt.Sprintf("%s (found: %s)", c.Text, c.Actual))
	}
	return fmt.Sprintf("not steady before the first fault (seed %d): %s", n.Seed, strings.Join(lines, "; "))
}

// Run runs a scenario once and judges it. When the context ends early, what was
// simulated until then comes back as a result that is marked partial, without an
// error. The errors are *NotSteady, one that says what cannot be built, and one
// that wraps a *record.Violation of the law of accounts.
func Run(ctx context.Context, sc *scenario.Scenario, opt Options) (*result.Result, error) {
	r, _, err := run(ctx, sc, opt)
	return r, err
}

func run(ctx context.Context, sc *scenario.Scenario, opt Options) (*result.Result, float64, error) {
	control := opt.Control && len(sc.Faults) > 0
	total := sc.Duration
	if control {
		total *= 2
	}
	tell := func(done time.Duration, events uint64) {
		if opt.Progress != nil {
			opt.Progress(done, total, events)
		}
	}
	main, err := perform(ctx, sc, opt.Seed, false, tell)
	if err != nil {
		return nil, 0, err
	}
	e := newEvidence(sc, main)
	r := e.result(sc, main)
	r.Scenario.Seed = opt.Seed
	r.Tool = result.Tool{Version: opt.Version, GoVersion: runtime.Version()}
	if r.Spec = opt.Spec; len(opt.Spec) > 0 {
		r.Scenario.SHA256 = fmt.Sprintf("%x", sha256.Sum256(opt.Spec))
	}
	if control && !main.partial {
		again := func(done time.Duration, events uint64) { tell(sc.Duration+done, main.events+events) }
		r.Control, err = controlRun(ctx, sc, opt.Seed, again)
		r.Partial = r.Control == nil
		r.Expectations = append(unhealthy(sc, r.Control), r.Expectations...)
	}
	return r, e.outcome.GoodputShare, err
}

// controlRun is the scenario without faults and operators; nil when the context
// ended early.
func controlRun(ctx context.Context, sc *scenario.Scenario, seed uint64, tell teller) (*result.Control, error) {
	p, err := perform(ctx, sc, seed, true, tell)
	if err != nil || p.partial {
		return nil, err
	}
	out := newEvidence(sc, p).outcome
	return &result.Control{
		Healthy: out.Verdict.Word == result.Stable, Verdict: out.Verdict.Word,
		Digest: digest(p), GoodputShare: out.GoodputShare,
	}, nil
}

// unhealthy is the expectation that nobody writes down: without its faults the
// system is well. It is in the result when it did not hold, and when the scenario
// does not claim an overload, which is one without faults too.
func unhealthy(sc *scenario.Scenario, c *result.Control) []result.Claim {
	if c == nil || c.Healthy {
		return nil
	}
	for i := range sc.Expect {
		if x := &sc.Expect[i]; x.Metric == "verdict" && x.Op == "==" && x.Word == string(result.Overloaded) {
			return nil
		}
	}
	actual := fmt.Sprintf("no: %s, goodput %s %% of offered", c.Verdict, number(100*c.GoodputShare, 3))
	return []result.Claim{{Text: "healthy without the trigger", Actual: actual}}
}

func digest(p *pass) string { return fmt.Sprintf("%016x", p.world.Digest()) }
