package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// app is one invocation of the command.
type app struct {
	terminal
	global
}

// execute runs one command line and says on standard error what went wrong.
func execute(ctx context.Context, args []string, t terminal) (status Status) {
	defer func() {
		if broken := recover(); broken != nil {
			fmt.Fprintf(t.err, "resilsim: internal error: %v\n  hint: this is a fault of resilsim; report it with the command line and `resilsim version`\n", broken)
			status = Failed
		}
	}()
	root := (&app{terminal: t}).root()
	root.SetArgs(args)
	root.SetIn(t.in)
	root.SetOut(t.out)
	root.SetErr(t.err)
	err := root.ExecuteContext(ctx)
	if err != nil && err.Error() != "" {
		fmt.Fprintf(t.err, "resilsim: %s\n", strings.TrimSpace(err.Error()))
	}
	return statusOf(err)
}

// root builds the tree of subcommands.
func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:   "resilsim",
		Short: "What happens to us when X fails?",
		Long: `What happens to us when X fails?

resilsim runs an outage in virtual time: fleets of callers drive real circuit
breakers, retries, budgets, bulkheads and timeouts. It ends in curves, a timeline
and a verdict.`,
		Example: `  resilsim scenarios
  resilsim run metastable-retry-storm --out out
  resilsim init my-service && resilsim run my-service.yaml`,
		Args:          unknownCommand,
		Version:       versionLine(),
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			return a.fromEnv(a.terminal, cmd.Flags().Changed)
		},
	}
	root.PersistentFlags().BoolVar(&a.noColor, "no-color", false, "no colours; also NO_COLOR, RESILSIM_NO_COLOR")
	root.PersistentFlags().BoolVarP(&a.quiet, "quiet", "q", false, "nothing on standard error but errors; also RESILSIM_QUIET")
	root.SetFlagErrorFunc(flagError)
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetHelpCommand(a.help())
	root.AddCommand(a.run(), a.check(), a.init(), a.schema(), a.scenarios(), a.explain(), a.version())
	a.completion(root)
	for _, sub := range root.Commands() {
		keepStatus(sub)
	}
	return root
}

// keepStatus makes an error without a status that a subcommand returns itself a
// failure; what the parser of the command line returns stays bad usage.
func keepStatus(cmd *cobra.Command) {
	if do := cmd.RunE; do != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error { return failed(do(cmd, args)) }
	}
	for _, sub := range cmd.Commands() {
		keepStatus(sub)
	}
}

// printf writes to the standard output of a subcommand.
func printf(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return err
}
