//go:build unix

package scenario

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A FIFO without a writer is refused at once, by its own name and by that of a link.
func TestAFIFOIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "fifo"), filepath.Join(dir, "link")
	if err := errors.Join(syscall.Mkfifo(path, 0o600), os.Symlink("fifo", link)); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{path, link} {
		var bad *Unfit
		if _, err := ReadFile(p); !errors.As(err, &bad) || !strings.Contains(err.Error(), "a FIFO, not a file") {
			t.Errorf("%v", err)
		}
	}
}
