package main

import (
	"errors"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"
)

// maxSeeds bounds --seeds: each seed is a run and a line of the result.
const maxSeeds = 100_000

// decimal is the value of a flag that takes a whole number as scenarios do: 010 and
// 0x10, which some readers take for 8 and 16, are refused.
type decimal uint64

var _ pflag.Value = (*decimal)(nil)

func (d *decimal) String() string { return strconv.FormatUint(uint64(*d), 10) }

// Type is what `allowed` knows it by.
func (d *decimal) Type() string { return "decimal" }

func (d *decimal) Set(text string) error {
	if len(text) > 1 && text[0] == '0' {
		return errors.New("leading zero")
	}
	u, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return err
	}
	*d = decimal(u)
	return nil
}

var timeWithUnits = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?(ns|us|µs|μs|ms|s|m|h))+$`)

// tooLong reports whether a text is a time, but one that no counter of nanoseconds holds.
func tooLong(text string) bool {
	_, err := time.ParseDuration(text)
	return err != nil && timeWithUnits.MatchString(text)
}

// longest is what --duration may be, in words.
const longest = "1000h"

// notAValue says why a flag does not take a text.
func notAValue(flag *pflag.Flag, name, text string) error {
	if flag.Value.Type() == "duration" && tooLong(text) {
		return badInput("%s %s is out of range: at most %s", name, text, longest)
	}
	hint := ""
	if bare := strings.TrimLeft(text, "0"); flag.Value.Type() == "decimal" && bare != "" && bare != text && flag.Value.Set(bare) == nil {
		hint = "\n  hint: write " + bare
	}
	return badInput("%s takes %s, not '%s'%s", name, allowed[flag.Value.Type()], text, hint)
}
