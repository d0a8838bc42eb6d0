package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/resilsim/resilsim/sim/result"
)

// writable finds out whether path can be written, and leaves no trace. What is
// written in place is believed: to open a device or a FIFO may do something already.
func writable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s cannot be written: it is a directory", path)
	}
	if result.InPlace(path) {
		return nil
	}
	place, err := result.Resolve(path)
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, reason(err))
	}
	f, err := os.CreateTemp(filepath.Dir(place), ".resilsim-*")
	if err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, reason(err))
	}
	return errors.Join(f.Close(), os.Remove(f.Name()))
}

// reason takes the name of a temporary file, which means nothing to a reader,
// out of an error.
func reason(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
