// Package reports answers: what does a result look like to a person?
//
// Each report is a pure function of results: figures, Markdown, HTML. The seed,
// the scenario and the version stand in the footer, so that what is seen can be
// run again.
//
// A figure is laid out once and written in as many forms as are wanted:
//
//	fig, err := reports.Incident(r, reports.Options{})
//	...
//	err = fig.SVG(svgFile)
//	err = fig.PNG(pngFile)
//
// Layout makes a scene: a list of areas, lines, discs and texts in points, with
// the box of each text, so that no two of them meet. Two brushes draw a scene:
// one writes SVG, whose bytes depend on the result only, the other pixels.
//
// The text for a terminal, at most SummaryWidth columns wide, is
//
//	err = reports.Summary(os.Stdout, r, reports.SummaryOptions{Colour: tty})
package reports
