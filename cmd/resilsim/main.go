package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// A second signal ends the process at once, whatever it is doing.
	context.AfterFunc(ctx, stop)
	status := execute(ctx, os.Args[1:], systemTerminal())
	stop()
	os.Exit(int(status))
}
