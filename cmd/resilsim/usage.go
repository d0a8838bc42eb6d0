package main

import (
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// help is `resilsim help`: unlike cobra's own it does not answer a word that is
// no command with status 0.
func (a *app) help() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Help about a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || about == cmd.Root() && len(args) > 0 {
				return unknownCommand(cmd.Root(), args)
			}
			if len(rest) > 0 && about.HasSubCommands() {
				return unknownCommand(about, rest)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// completion lets cobra's command for the scripts of shells refuse a shell that
// it does not know.
func (a *app) completion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	for _, sub := range root.Commands() {
		if sub.Name() == "completion" {
			sub.Args = unknownCommand
			sub.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
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
		return badValue(cmd, err)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, "--"+f.Name) })
	return badInput("unknown flag '--%s'%s\n  hint: `%s --help` lists the flags", name, meant("--"+name, names), cmd.CommandPath())
}

var invalidArgument = regexp.MustCompile(`^invalid argument "(.*)" for "(?:-\w, )?(--[\w-]+)" flag: `)

// allowed says in words what a flag of each kind takes.
var allowed = map[string]string{
	"bool":     "true or false",
	"duration": "a time with its unit, like 90s or 15m",
	"decimal":  "a whole number in decimal digits, at most 18446744073709551615",
}

// badValue says what a flag takes, without the names of Go's functions.
func badValue(cmd *cobra.Command, err error) error {
	m := invalidArgument.FindStringSubmatch(err.Error())
	if m == nil {
		return badInput("%w\n  hint: `%s --help` lists the flags", err, cmd.CommandPath())
	}
	return notAValue(cmd.Flag(strings.TrimPrefix(m[2], "--")), m[2], m[1])
}
