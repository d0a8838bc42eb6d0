package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// writable finds out whether path can be written, and leaves no trace.
func writable(path string) error {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s cannot be written: it is a directory", path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".resilsim-*")
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
