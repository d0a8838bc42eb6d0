package main

import (
	"context"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/resilsim/resilsim/scenarios"
	"github.com/resilsim/resilsim/sim/scenario"
)

// scenarios is `resilsim scenarios`: which incidents ship?
func (a *app) scenarios() *cobra.Command {
	cmd := &cobra.Command{
		Use:     "scenarios",
		Short:   "List and show the incidents that ship",
		Example: "  resilsim scenarios\n  resilsim scenarios show metastable-retry-storm",
		Args:    noMore,
		RunE:    func(cmd *cobra.Command, _ []string) error { return a.listScenarios(cmd.Context()) },
	}
	cmd.AddCommand(&cobra.Command{
		Use:   "list",
		Short: "List the shipped incidents: name, expected verdict, lesson",
		Args:  noMore,
		RunE:  func(cmd *cobra.Command, _ []string) error { return a.listScenarios(cmd.Context()) },
	}, &cobra.Command{
		Use:               "show NAME",
		Short:             "Print a shipped scenario",
		Example:           "  resilsim scenarios show metastable-retry-storm",
		Args:              one,
		ValidArgsFunction: completeShipped,
		RunE:              func(_ *cobra.Command, args []string) error { return a.showScenario(args[0]) },
	})
	return cmd
}

func (a *app) listScenarios(ctx context.Context) error {
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	if err := printf(w, "NAME\tVERDICT\tLESSON\n"); err != nil {
		return err
	}
	for _, name := range shipped() {
		got, err := a.load(ctx, name, scenario.Options{})
		if err != nil {
			return err
		}
		if err := got.report.Err(); err != nil {
			return err
		}
		if err := printf(w, "%s\t%s\t%s\n", name, expectedVerdict(got.sc), got.sc.About); err != nil {
			return err
		}
	}
	return w.Flush()
}

// expectedVerdict is the verdict that a scenario claims, or a dash.
func expectedVerdict(sc *scenario.Scenario) string {
	for _, e := range sc.Expect {
		if e.Metric == "verdict" && e.Op == "==" {
			return e.Word
		}
	}
	return "-"
}

func (a *app) showScenario(name string) error {
	text, err := shippedText(name)
	if err != nil {
		return err
	}
	return printf(a.out, "%s", text)
}

func shippedText(name string) ([]byte, error) {
	names := shipped()
	for _, known := range names {
		if known == name {
			return scenarios.Read(name)
		}
	}
	return nil, badInput("no shipped scenario is called '%s'%s\n  hint: `resilsim scenarios` lists them", name, meant(name, names))
}
