// Package reports answers: what does a result look like to a person?
//
// Each report is a pure function of results: figures, Markdown, HTML. The seed,
// the scenario and the version stand in the footer, so that what is seen can be
// run again.
package reports
