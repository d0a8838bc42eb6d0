package main

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
		Args:          cobra.NoArgs,
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
	root.AddCommand(a.check(), a.init(), a.schema(), a.scenarios(), a.explain(), a.version())
	for _, sub := range root.Commands() {
		keepStatus(sub)
	}
	root.Args = unknownCommand
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

// unknownCommand says which subcommand was meant.
func unknownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, sub := range cmd.Commands() {
		names = append(names, sub.Name())
	}
	return badInput("unknown command '%s'%s\n  hint: `%s --help` lists the commands", args[0], meant(args[0], names), cmd.CommandPath())
}

// flagError says which flag was meant.
func flagError(cmd *cobra.Command, err error) error {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return badInput("%w\n  hint: `%s --help` lists the flags", err, cmd.CommandPath())
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return badInput("unknown flag '--%s'%s\n  hint: `%s --help` lists the flags", name, meant("--"+name, names), cmd.CommandPath())
}

// printf writes to the standard output of a subcommand.
func printf(w io.Writer, format string, args ...any) error {
	_, err := fmt.Fprintf(w, format, args...)
	return err
}
