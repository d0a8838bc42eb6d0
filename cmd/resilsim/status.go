package main

import (
	"errors"
	"fmt"
)

// Status is an exit status of the command.
type Status int

// The exit statuses. ExpectationMissed is k6's, which scripts know; it keeps "my
// system would fail" apart from "my file is wrong".
const (
	Done              Status = 0
	Failed            Status = 1
	BadInput          Status = 2
	ExpectationMissed Status = 99
	Interrupted       Status = 130
)

var statusMeanings = []struct {
	Status  Status
	Meaning string
}{
	{Done, "done, and every expectation was met"},
	{Failed, "internal error, or a file could not be read or written"},
	{BadInput, "bad usage, bad scenario, or no steady state before the first fault"},
	{ExpectationMissed, "the run is complete and an expectation was not met"},
	{Interrupted, "interrupted; what was finished is written and marked partial"},
}

// ending is an error that knows its exit status. An empty text prints nothing:
// everything was said already.
type ending struct {
	status Status
	err    error
}

func (e *ending) Error() string {
	if e.err == nil {
		return ""
	}
	return e.err.Error()
}

func (e *ending) Unwrap() error { return e.err }

// silent ends with a status and without a word.
func silent(s Status) error { return &ending{status: s} }

// badInput is a mistake of the caller: usage or scenario.
func badInput(format string, args ...any) error {
	return &ending{BadInput, fmt.Errorf(format, args...)}
}

// failed is anything that is not the caller's mistake.
func failed(err error) error {
	var e *ending
	if err == nil || errors.As(err, &e) {
		return err
	}
	return &ending{Failed, err}
}

// statusOf maps an error of the command tree to its exit status. What carries
// no status comes from the parser of the command line.
func statusOf(err error) Status {
	var e *ending
	switch {
	case err == nil:
		return Done
	case errors.As(err, &e):
		return e.status
	default:
		return BadInput
	}
}
