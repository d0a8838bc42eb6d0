package main

import (
	"context"
	"fmt"
	"time"
)

// grace is how long somebody else has after a signal to take what was finished.
const grace = 2 * time.Second

// interruptible does what may wait for somebody else without an end (to read a pipe,
// to open a FIFO) and gives it up at a signal; after one, when the grace is over.
// What do had in hand then is left to it.
func interruptible(ctx context.Context, doing string, do func() error) error {
	done := make(chan error, 1)
	go func() { done <- do() }()
	var late <-chan time.Time
	over := ctx.Done()
	if ctx.Err() != nil {
		over, late = nil, time.After(grace)
	}
	select {
	case err := <-done:
		return err
	case <-over:
	case <-late:
	}
	return &ending{Interrupted, fmt.Errorf("interrupted %s", doing)}
}
