package main

import (
	"github.com/spf13/cobra"

	"github.com/resilsim/resilsim/sim/scenario"
)

var schemaKinds = []string{"scenario", "result"}

// schema is `resilsim schema`: what may stand in a file.
func (a *app) schema() *cobra.Command {
	return &cobra.Command{
		Use:   "schema [scenario|result]",
		Short: "Print the JSON Schema of a scenario or of result.json",
		Long: `Print the JSON Schema (draft-07) of a scenario or of result.json.

Editors with a YAML language server complete and check scenarios by it;
` + "`resilsim init`" + ` writes it beside the file and points the file at it.`,
		Example:   "  resilsim schema > resilsim.schema.json",
		Args:      atMostOne,
		ValidArgs: schemaKinds,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || args[0] == "scenario" {
				return printf(a.out, "%s", scenario.Schema())
			}
			if args[0] != "result" {
				return badInput("there is no schema '%s'%s\n  hint: scenario or result", args[0], meant(args[0], schemaKinds))
			}
			text, err := resultSchema()
			if err != nil {
				return err
			}
			return printf(a.out, "%s", text)
		},
	}
}
