package interrupt

import (
	"context"
	"os"
	"os/signal"
	"syscall"
)

var heard, stop = signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)

// Context ends with the first SIGINT or SIGTERM, also with one that came before
// main began. A second signal ends the process at once, whatever it is doing. The
// function stops the listening.
func Context() (context.Context, context.CancelFunc) {
	context.AfterFunc(heard, stop)
	return heard, stop
}
