package main

import (
	"github.com/spf13/cobra"

	"github.com/resilsim/resilsim/sim/scenario"
)

// explain is `resilsim explain`: what does this word mean?
func (a *app) explain() *cobra.Command {
	return &cobra.Command{
		Use:   "explain WORD",
		Short: "Explain a key of a scenario, a part of it, a metric or a verdict",
		Example: `  resilsim explain scenario
  resilsim explain retry
  resilsim explain maxAttempts
  resilsim explain amplification
  resilsim explain metastable`,
		Args: one,
		RunE: func(_ *cobra.Command, args []string) error {
			text, known := scenario.Explain(args[0])
			if known {
				return printf(a.out, "%s", text)
			}
			if text != "" {
				text = ": " + text
			}
			return badInput("nothing here is called '%s'%s\n  hint: `resilsim explain scenario` lists the keys of a file; each of them, a part like retry, a metric and a verdict is a word too", args[0], text)
		},
	}
}
