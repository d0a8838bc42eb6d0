package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resilsim/resilsim/sim/scenario"
)

// check is `resilsim check`: is this file a scenario?
func (a *app) check() *cobra.Command {
	format := string(scenario.Text)
	var set []string
	cmd := &cobra.Command{
		Use:   "check FILE|NAME...",
		Short: "Validate scenarios without running them",
		Long: `Validate scenarios without running them.

Every fault is listed with file, line and column, what was found and what is
allowed. Faults end in status 2; warnings alone in 0.

Laws of time that are found from percentiles or from a file of values are shown: their
parameters, what they have where something was asked for, and what they say beyond.`,
		Example: `  resilsim check my-service.yaml
  resilsim check --format github scenarios/*.yaml`,
		Args:              atLeastOne,
		ValidArgsFunction: completeStories,
		RunE: func(cmd *cobra.Command, args []string) error {
			style, err := styleOf(format)
			if err != nil {
				return err
			}
			return a.checkAll(cmd.Context(), args, scenario.Options{Set: set}, style)
		},
	}
	cmd.Flags().StringVar(&format, "format", format, "`text` for people, github for annotations in a workflow")
	cmd.Flags().StringArrayVar(&set, "set", nil, "check with one setting changed, `PATH=VALUE`; may be repeated")
	completeFlag(cmd, "format", string(scenario.Text), string(scenario.GitHub))
	return cmd
}

func styleOf(format string) (scenario.Style, error) {
	switch style := scenario.Style(format); style {
	case scenario.Text, scenario.GitHub:
		return style, nil
	}
	return "", badInput("--format %s%s\n  hint: text or github", format, meant(format, []string{"text", "github"}))
}

// checkAll looks at every file, however bad the ones before it were.
func (a *app) checkAll(ctx context.Context, args []string, opt scenario.Options, style scenario.Style) error {
	worst := error(nil)
	for _, arg := range args {
		got, err := a.load(ctx, arg, opt)
		if err != nil && statusOf(err) == Interrupted {
			return err
		}
		if err != nil {
			fmt.Fprintf(a.err, "resilsim: %s\n", err)
			if worst == nil || statusOf(err) == Failed {
				worst = silent(statusOf(err))
			}
			continue
		}
		report := got.report
		if err := report.Format(a.out, style); err != nil {
			return err
		}
		if len(report.Faults) > 0 && worst == nil {
			worst = silent(BadInput)
		}
		if style == scenario.Text && len(report.Faults) == 0 && !a.quiet {
			if err := printf(a.out, "%s: ok%s\n%s", arg, warnings(report), laws(report)); err != nil {
				return err
			}
		}
	}
	return worst
}

// laws says what was found from percentiles and data, by setting.
func laws(r *scenario.Report) string {
	var b strings.Builder
	for _, l := range r.Laws {
		fmt.Fprintf(&b, "  %s\n    %s\n", l.Path, strings.Join(l.Lines(), "\n    "))
	}
	return b.String()
}

func warnings(r *scenario.Report) string {
	switch n := len(r.Warnings); n {
	case 0:
		return ""
	case 1:
		return ", with 1 warning"
	default:
		return fmt.Sprintf(", with %d warnings", n)
	}
}

// believe loads a scenario for a run: faults end it, warnings go to w unless
// nobody wants them.
func (a *app) believe(ctx context.Context, arg string, opt scenario.Options, w io.Writer) (loaded, error) {
	got, err := a.load(ctx, arg, opt)
	if err != nil || got.sc != nil && a.quiet {
		return got, err
	}
	if err := got.report.Format(w, scenario.Text); err != nil {
		return got, err
	}
	if got.sc == nil {
		return got, silent(BadInput)
	}
	return got, nil
}
