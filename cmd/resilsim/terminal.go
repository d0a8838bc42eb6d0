package main

import (
	"io"
	"os"
	"strconv"

	"golang.org/x/term"
)

// terminal is everything the command knows about where it runs.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	getenv   func(string) string
	// outIsTTY and errIsTTY: somebody is looking.
	outIsTTY, errIsTTY bool
}

func systemTerminal() terminal {
	return terminal{
		in: os.Stdin, out: os.Stdout, err: os.Stderr, getenv: os.Getenv,
		outIsTTY: term.IsTerminal(int(os.Stdout.Fd())),
		errIsTTY: term.IsTerminal(int(os.Stderr.Fd())),
	}
}

// global holds the flags that every subcommand has.
type global struct {
	noColor bool
	quiet   bool
}

// fromEnv takes what the flags did not say from RESILSIM_QUIET and RESILSIM_NO_COLOR.
func (g *global) fromEnv(t terminal, changed func(flag string) bool) error {
	for _, f := range []struct {
		flag, variable string
		value          *bool
	}{{"quiet", "RESILSIM_QUIET", &g.quiet}, {"no-color", "RESILSIM_NO_COLOR", &g.noColor}} {
		text := t.getenv(f.variable)
		if text == "" || changed(f.flag) {
			continue
		}
		on, err := strconv.ParseBool(text)
		if err != nil {
			return badInput("%s=%s: write 1 or 0", f.variable, text)
		}
		*f.value = on
	}
	return nil
}

// colour reports whether standard output may carry escape sequences.
func (t terminal) colour(g global) bool {
	return t.outIsTTY && !g.noColor && t.getenv("NO_COLOR") == "" && t.getenv("TERM") != "dumb"
}

// progress reports whether a bar may be drawn on standard error.
func (t terminal) progress(g global) bool {
	return t.errIsTTY && !g.quiet && t.getenv("TERM") != "dumb"
}
