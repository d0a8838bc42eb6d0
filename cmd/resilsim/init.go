package main

import (
	_ "embed"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"github.com/resilsim/resilsim/sim/result"
	"github.com/resilsim/resilsim/sim/scenario"
)

//go:embed template.yaml
var template string

// schemaFile is written beside a new scenario, and its first line points at it.
const schemaFile = "resilsim.schema.json"

// init is `resilsim init`: where do I start?
func (a *app) init() *cobra.Command {
	var from string
	var force bool
	cmd := &cobra.Command{
		Use:   "init [NAME]",
		Short: "Start a scenario: a commented template, or a copy of a shipped one",
		Long: `Write NAME.yaml (my-service.yaml) here and, beside it, ` + schemaFile + `, by
which editors complete and check it. A name has letters, digits, - and _. A file that
exists is not overwritten without --force.`,
		Example: `  resilsim init checkout
  resilsim init checkout --from metastable-retry-storm`,
		Args: atMostOne,
		RunE: func(_ *cobra.Command, args []string) error {
			name := "my-service"
			if from != "" {
				name = from
			}
			if len(args) > 0 {
				name = args[0]
			}
			return a.start(name, from, force)
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "copy this shipped scenario, `NAME`")
	cmd.Flags().BoolVar(&force, "force", false, "overwrite a file that exists")
	if err := cmd.RegisterFlagCompletionFunc("from", completeShipped); err != nil {
		panic("--from has no completion: " + err.Error())
	}
	return cmd
}

var (
	scenarioName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_-]{0,63}$`)
	scenarioLine = regexp.MustCompile(`(?m)^scenario:.*$`)
)

func (a *app) start(name, from string, force bool) error {
	path := name
	if !yamlFile(path) {
		path += ".yaml"
	}
	word := strings.TrimSuffix(strings.TrimSuffix(path, ".yaml"), ".yml")
	if !scenarioName.MatchString(word) {
		return badInput("'%s' is no name for a scenario\n  hint: a letter, then letters, digits, - and _, at most 64, like checkout-slow", word)
	}
	text := []byte(template)
	if from != "" {
		var err error
		if text, err = shippedText(from); err != nil {
			return err
		}
	}
	if _, err := os.Lstat(path); err == nil && !force {
		return badInput("%s exists\n  hint: choose another name, or --force to overwrite it", path)
	}
	text = scenarioLine.ReplaceAll(text, []byte("scenario: "+word))
	text = append([]byte("# yaml-language-server: $schema=./"+schemaFile+"\n"), text...)
	if err := writable(path); err != nil {
		return err
	}
	if err := result.WriteFile(schemaFile, scenario.Schema()); err != nil {
		return err
	}
	if err := result.WriteFile(path, text); err != nil {
		return err
	}
	if a.quiet {
		return nil
	}
	return printf(a.out, "wrote %s and %s\nnext: resilsim run %s\n", path, schemaFile, path)
}
