package main

import (
	"strings"

	"github.com/spf13/cobra"
)

func noMore(cmd *cobra.Command, args []string) error     { return count(cmd, args, 0, 0) }
func one(cmd *cobra.Command, args []string) error        { return count(cmd, args, 1, 1) }
func atMostOne(cmd *cobra.Command, args []string) error  { return count(cmd, args, 0, 1) }
func atLeastOne(cmd *cobra.Command, args []string) error { return count(cmd, args, 1, 1<<20) }

// count checks the number of arguments and says what was expected in the words
// of the usage line.
func count(cmd *cobra.Command, args []string, least, most int) error {
	switch {
	case len(args) < least:
		_, wanted, _ := strings.Cut(cmd.Use, " ")
		return badInput("%s is missing\n  usage: %s", strings.TrimSuffix(wanted, "..."), cmd.UseLine())
	case len(args) > most && cmd.HasSubCommands():
		return unknownCommand(cmd, args)
	case len(args) > most:
		return badInput("'%s' is one too many\n  usage: %s", args[most], cmd.UseLine())
	}
	return nil
}

// completeShipped offers the names of shipped scenarios, once.
func completeShipped(_ *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return startingWith(begun, shipped()), cobra.ShellCompDirectiveNoFileComp
}

// completeStory offers shipped scenarios and files, once.
func completeStory(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completeStories(cmd, args, begun)
}

// completeStories offers shipped scenarios and files, again and again.
func completeStories(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
	return startingWith(begun, shipped()), cobra.ShellCompDirectiveDefault
}

// completeFlag offers fixed words as the value of a flag.
func completeFlag(cmd *cobra.Command, flag string, words ...string) {
	offer := func(_ *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		return startingWith(begun, words), cobra.ShellCompDirectiveNoFileComp
	}
	if err := cmd.RegisterFlagCompletionFunc(flag, offer); err != nil {
		panic("a completion for a flag that does not exist: " + flag)
	}
}

func startingWith(begun string, words []string) []string {
	var out []string
	for _, w := range words {
		if strings.HasPrefix(w, begun) {
			out = append(out, w)
		}
	}
	return out
}
