package main

import (
	"os"

	"github.com/resilsim/resilsim/cmd/resilsim/interrupt"
)

func main() {
	ctx, stop := interrupt.Context()
	status := execute(ctx, os.Args[1:], systemTerminal())
	stop()
	os.Exit(int(status))
}
