package result

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks is how many symbolic links in a row are followed, as Linux does.
const maxLinks = 40

// Resolve follows the symbolic links of a path to the file that would be written.
// That file need not exist, the directory that it lies in has to.
func Resolve(path string) (string, error) {
	for range maxLinks {
		dir, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return "", err
		}
		path = filepath.Join(dir, filepath.Base(path))
		link, err := os.Readlink(path)
		if err != nil {
			return path, nil // no link: a file, or nothing yet
		}
		if !filepath.IsAbs(link) {
			link = filepath.Join(dir, link)
		}
		path = link
	}
	return "", &fs.PathError{Op: "open", Path: path, Err: syscall.ELOOP}
}

// InPlace reports whether a path names what is written to and not replaced: a
// device, a FIFO, an open file of this process.
func InPlace(path string) bool {
	if strings.HasPrefix(filepath.Clean(path), "/dev/fd/") {
		return true
	}
	info, err := os.Stat(path)
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// staged is a file that is written but not yet in its place.
type staged struct {
	path string
	// temp lies beside path; empty when path is written in place, which then gets text.
	temp string
	text []byte
}

// stage writes a text beside its place: after that only the directory changes.
func stage(path string, text []byte) (*staged, error) {
	if InPlace(path) {
		return &staged{path: path, text: text}, nil
	}
	place, err := Resolve(path)
	if err != nil {
		return nil, cannotWrite(path, err)
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(place); err == nil {
		if info.IsDir() {
			return nil, cannotWrite(path, syscall.EISDIR)
		}
		mode = info.Mode().Perm()
	}
	f, err := os.CreateTemp(filepath.Dir(place), "."+filepath.Base(place)+".*")
	if err != nil {
		return nil, cannotWrite(path, err)
	}
	_, err = f.Write(text)
	if closing := f.Close(); err == nil {
		err = closing
	}
	if err == nil {
		err = os.Chmod(f.Name(), mode)
	}
	if err != nil {
		return nil, errors.Join(cannotWrite(path, err), os.Remove(f.Name()))
	}
	return &staged{path: place, temp: f.Name()}, nil
}

// settle puts the file into its place.
func (s *staged) settle() error {
	var err error
	if s.temp == "" {
		err = pour(s.path, s.text)
	} else if err = os.Rename(s.temp, s.path); err == nil {
		s.temp = ""
	}
	if err != nil {
		return cannotWrite(s.path, err)
	}
	return nil
}

// drop takes back what was not settled.
func (s *staged) drop() {
	if s.temp != "" {
		// The error that led here is the one to tell.
		_ = os.Remove(s.temp)
	}
}

// pour writes to what is there already.
func pour(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_TRUNC, 0)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

func cannotWrite(path string, err error) error {
	return fmt.Errorf("result: cannot write %s: %w", path, err)
}
