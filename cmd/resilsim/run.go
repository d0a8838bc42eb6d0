package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/resilsim/resilsim/reports"
	"github.com/resilsim/resilsim/sim/experiment"
	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/scenario"
)

// runFlags is what `resilsim run` was told.
type runFlags struct {
	seed     decimal
	seeds    decimal
	set      []string
	duration time.Duration
	control  bool
	out      string
	exports  []string
	json     bool
}

// run is `resilsim run`: what happens?
func (a *app) run() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run FILE|NAME",
		Short: "Run a scenario: verdict, timeline, figure",
		Long: `Run a scenario, a file or one that ships, and print what happened.

A scenario with faults is also run without them (and without operators), to know
whether it was healthy before. If it was not, that is an expectation that was not
met (status 99), the first of them; not with --control=false, and not when the file
itself expects verdict == overloaded. With --seeds each seed has a control run of its
own, because near the edge one seed may be healthy and another not.

What --set, --seed and --duration change stands in the result, under scenario.differs.
--out does not overwrite a file that the scenario was read from, nor a scenario.yaml
without the result.json of a run beside it. Same scenario, same seed: the same digest.`,
		Example: `  resilsim run metastable-retry-storm --out out
  resilsim run my-service.yaml --set pipelines.api-client.retry.maxAttempts=1
  resilsim run my-service.yaml --seeds 20
  resilsim run my-service.yaml --json | jq .verdict`,
		Args:              one,
		ValidArgsFunction: completeStory,
		RunE: func(cmd *cobra.Command, args []string) error {
			opt := scenario.Options{Set: f.set}
			if cmd.Flags().Changed("seed") {
				opt.Seed = (*uint64)(&f.seed)
			}
			if cmd.Flags().Changed("duration") {
				opt.Duration = &f.duration
			}
			return a.runStory(cmd.Context(), args[0], opt, f)
		},
	}
	flags := cmd.Flags()
	f.seeds = 1
	flags.Var(&f.seed, "seed", "seed of every draw, `N`; default: the scenario's")
	flags.Var(&f.seeds, "seeds", "run `N` seeds from --seed on, in parallel, and count verdicts")
	flags.StringArrayVar(&f.set, "set", nil, "change one setting, `PATH=VALUE`; may be repeated")
	flags.DurationVar(&f.duration, "duration", 0, "simulated time, `TIME`; default: the scenario's")
	flags.BoolVar(&f.control, "control", true, "also run without faults and operators, when there are faults")
	flags.StringVar(&f.out, "out", "", "write the result directory `DIR`")
	flags.StringArrayVarP(&f.exports, "output", "o", nil, "write `FORMAT=FILE` (json, csv, svg, png; - is standard output); may be repeated")
	flags.BoolVar(&f.json, "json", false, "short for -o json=-")
	return cmd
}

// runStory does everything that can fail cheaply before it runs.
func (a *app) runStory(ctx context.Context, arg string, opt scenario.Options, f runFlags) error {
	if f.seeds < 1 || f.seeds > maxSeeds {
		return badInput("--seeds %d is out of range: at least 1 and at most %d", f.seeds, maxSeeds)
	}
	if f.json {
		f.exports = append(f.exports, "json=-")
	}
	exports, err := parseExports(f.exports)
	if err != nil {
		return err
	}
	if err := distinct(f.out, exports); err != nil {
		return err
	}
	believed, err := a.believe(ctx, arg, opt, a.err)
	if err != nil {
		return err
	}
	sc := believed.sc
	if err := spare(believed.files, f.out, exports); err != nil {
		return err
	}
	undo, err := prepare(f.out, exports)
	if err != nil {
		return err
	}
	r, err := a.simulate(ctx, sc, f)
	if err != nil {
		return errors.Join(a.explainFailure(ctx, err), undo())
	}
	return a.tell(ctx, r, f.out, exports)
}

func (a *app) simulate(ctx context.Context, sc *scenario.Scenario, f runFlags) (*result.Result, error) {
	bar := a.newBar()
	defer bar.clear()
	opt := experiment.Options{
		Seed: sc.Seed, Control: f.control, Progress: bar.update,
		Version: version(), Spec: scenario.Marshal(sc),
	}
	if f.seeds > 1 {
		return experiment.Replicate(ctx, sc, int(f.seeds), opt)
	}
	return experiment.Run(ctx, sc, opt)
}

// explainFailure gives a run that did not end in a result its exit status.
func (a *app) explainFailure(ctx context.Context, err error) error {
	var restless *experiment.NotSteady
	switch {
	case errors.As(err, &restless):
		return badInput("%w\n  hint: the system is not healthy before anything fails; lower the load or raise the capacity", err)
	case ctx.Err() != nil:
		return &ending{Interrupted, errors.New("interrupted before anything was finished")}
	default:
		return failed(err)
	}
}

// tell writes what was asked for and says how it ended.
func (a *app) tell(ctx context.Context, r *result.Result, out string, exports []export) error {
	if out != "" {
		if err := writeDir(out, r); err != nil {
			return err
		}
	}
	summary := true
	for _, e := range exports {
		if err := a.deliver(ctx, e, r); err != nil {
			return err
		}
		summary = summary && e.file != stdout
	}
	if summary {
		opt := reports.SummaryOptions{Colour: a.colour(a.global), Files: written(out, exports)}
		if err := reports.Summary(a.out, r, opt); err != nil {
			return err
		}
	}
	switch {
	case r.Partial:
		return &ending{Interrupted, fmt.Errorf("interrupted at %s of simulated time; what was finished is marked partial",
			seconds(r.DurationS))}
	case !met(r):
		return silent(ExpectationMissed)
	}
	return nil
}

// met reports whether every expectation held, in every replication.
func met(r *result.Result) bool {
	for _, claim := range r.Expectations {
		if !claim.Held {
			return false
		}
	}
	for _, one := range r.Replications {
		if !one.ExpectationsHeld {
			return false
		}
	}
	return true
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}
