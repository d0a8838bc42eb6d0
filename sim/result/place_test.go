//go:build unix

package result

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A FIFO stays a FIFO, and its reader gets the text.
func TestAFIFOIsWrittenTo(t *testing.T) {
	path := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		text, err := os.ReadFile(path)
		if err != nil {
			text = []byte(err.Error())
		}
		got <- string(text)
	}()
	if err := WriteFile(path, []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if text := <-got; text != "hello" {
		t.Errorf("read %q", text)
	}
	info, err := os.Lstat(path)
	if err != nil || info.Mode().Type() != fs.ModeNamedPipe {
		t.Errorf("it is now %v, %v", info.Mode(), err)
	}
}

// The end of a pipe that this process holds is written to by its /dev/fd name, as a
// shell's process substitution gives it.
func TestAnOpenFileIsWrittenTo(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := WriteFile("/dev/fd/"+strconv.Itoa(int(w.Fd())), []byte("hello")); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(r); string(text) != "hello" {
		t.Errorf("read %q, %v", text, err)
	}
}

// Links stay links, whether what they point at is there or not; a link in a linked
// directory is relative to the real one. A link to itself is refused.
func TestLinksAreFollowed(t *testing.T) {
	dir := t.TempDir()
	for _, err := range []error{
		os.MkdirAll(filepath.Join(dir, "real", "deep"), 0o755),
		os.Symlink(filepath.Join("real", "deep"), filepath.Join(dir, "short")),
		os.WriteFile(filepath.Join(dir, "old"), []byte("old"), 0o644),
		os.Symlink("old", filepath.Join(dir, "to-old")),
		os.Symlink("new", filepath.Join(dir, "to-new")),
		os.Symlink("to-new", filepath.Join(dir, "twice")),
		os.Symlink("../up", filepath.Join(dir, "real", "deep", "to-up")),
		os.Symlink("loop", filepath.Join(dir, "loop")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range [][2]string{{"to-old", "old"}, {"to-new", "new"}, {"twice", "new"}, {"short/to-up", "real/up"}} {
		link, file := filepath.Join(dir, c[0]), filepath.Join(dir, c[1])
		if err := WriteFile(link, []byte(c[0])); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Lstat(link); err != nil || info.Mode().Type() != fs.ModeSymlink {
			t.Errorf("%s is a link no more", c[0])
		}
		if text, err := os.ReadFile(file); string(text) != c[0] {
			t.Errorf("%s holds %q, %v", c[1], text, err)
		}
	}
	if err := WriteFile(filepath.Join(dir, "loop"), nil); err == nil {
		t.Error("a link to itself was written")
	}
}

// What a user has shut stays shut.
func TestAFileKeepsItsMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(path, []byte("old and longer"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := WriteFile(path, []byte("new")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 || info.Size() != 3 {
		t.Errorf("mode %v, %d bytes, %v", info.Mode(), info.Size(), err)
	}
}

// A set is of one run: when one file cannot be written, for want of room or as here
// because a directory is in its place, every file of the older run is as it was.
func TestAFailedWritingLeavesTheOlderRun(t *testing.T) {
	dir := t.TempDir()
	if err := WriteDir(dir, sample(), Extra{"figure.svg", []byte("old")}); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "figure.png"), 0o755); err != nil {
		t.Fatal(err)
	}
	before := texts(t, dir)
	r := sample()
	r.Digest, r.Spec = "other", []byte("other")
	if err := WriteDir(dir, r, Extra{"figure.svg", []byte("new")}, Extra{"figure.png", nil}); err == nil {
		t.Fatal("no error")
	}
	if after := texts(t, dir); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// texts is everything in a directory as one text.
func texts(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, e := range entries {
		all.WriteString("== " + e.Name() + "\n")
		if !e.IsDir() {
			text, err := os.ReadFile(filepath.Join(dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
	}
	return all.String()
}

// The mark goes first and comes last: when the writing breaks in the middle, here at
// a link to an unwritable end, there is no result.json of either run.
func TestABrokenWritingHasNoMark(t *testing.T) {
	dir := t.TempDir()
	if err := WriteDir(dir, sample()); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	if err := r.Close(); err != nil { // a pipe without a reader: every write fails
		t.Fatal(err)
	}
	series := filepath.Join(dir, SeriesFile)
	if err := os.Remove(series); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/fd/"+strconv.Itoa(int(w.Fd())), series); err != nil {
		t.Fatal(err)
	}
	if err := WriteDir(dir, sample()); err == nil {
		t.Fatal("no error")
	}
	if _, err := os.Stat(filepath.Join(dir, ResultFile)); !os.IsNotExist(err) {
		t.Errorf("result.json: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".") {
			t.Errorf("%s is left over", e.Name())
		}
	}
}
