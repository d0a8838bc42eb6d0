// Command resilsim answers: what does an engineer type to see an outage, judge
// it and change one setting?
//
// Each subcommand is a file of its own. All of them write to the streams they
// are given: what was asked for goes to standard output, everything else
// (progress, warnings, errors) to standard error. The exit status tells them
// apart for scripts, see Status.
package main
