package scenario

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// What a scenario may cost to read. A file within the limits is read in well
// under a second; one beyond them is refused before it costs anything.
const (
	// MaxBytes of one file.
	MaxBytes = 1 << 20
	// MaxNodes of one file, keys and values, with aliases counted as often as they are used.
	MaxNodes = 10_000
	// MaxDepth of nesting.
	MaxDepth = 100
	// MaxText of a single value, in bytes.
	MaxText = 1000
	// MaxFindings of each sort that are told.
	MaxFindings = 200
	// MaxExtends is the longest chain of scenarios that extend each other.
	MaxExtends = 8
	// MaxIntervals that a run may record; finer ones would be made coarser unasked.
	MaxIntervals = 4096
)

// ReadFile reads a scenario file. It refuses one that is larger than MaxBytes
// without reading it, and stops at the limit where the size is not known in
// advance (a pipe, a device). The error is *Unfit, or wraps that of the system.
//
// What is neither a regular file nor given to this process as open (/dev/stdin,
// /dev/fd/N: a shell's process substitution) is refused unopened: to open a FIFO
// waits for a writer, who may never come.
func ReadFile(path string) ([]byte, error) {
	if bad := special(path); bad != nil {
		return nil, bad
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("scenario: %w", err)
	}
	if info.IsDir() {
		return nil, unfit(path, "name a file in it", "this is a directory, not a file")
	}
	if info.Size() > MaxBytes {
		return nil, tooLarge(path, info.Size())
	}
	return ReadLimited(path, f)
}

// special refuses what may not end when it is opened or read.
func special(path string) error {
	if clean := filepath.Clean(path); clean == "/dev/stdin" || strings.HasPrefix(clean, "/dev/fd/") {
		return nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return nil // to open it says why
	}
	kind := ""
	switch mode := info.Mode(); {
	case mode.IsRegular() || mode.IsDir():
		return nil
	case mode&fs.ModeNamedPipe != 0:
		kind = "a FIFO"
	case mode&fs.ModeSocket != 0:
		kind = "a socket"
	default:
		kind = "a device"
	}
	return unfit(path, "", "this is %s, not a file", kind)
}

// ReadLimited reads all of r, at most MaxBytes; name is for the error, which is
// *Unfit or wraps that of r.
func ReadLimited(name string, r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("scenario: reading %s: %w", name, err)
	}
	if len(text) > MaxBytes {
		return nil, tooLarge(name, -1)
	}
	return text, nil
}

// Unfit is what cannot be a scenario whatever it holds: a directory, a FIFO, a device,
// a socket, or a file that is too large.
type Unfit struct{ Finding }

// Error names the file and says why.
func (u *Unfit) Error() string { return u.File + ": " + u.Message }

func unfit(name, hint, format string, args ...any) error {
	f := pos{}.finding("", hint, fmt.Sprintf(format, args...))
	f.File = harmless(name)
	return &Unfit{f}
}

func tooLarge(name string, size int64) error {
	if size < 0 {
		return unfit(name, "", "the file is larger than 1 MiB, the most a scenario may have")
	}
	return unfit(name, "", "the file has %d bytes; a scenario may have at most 1 MiB (%d)", size, MaxBytes)
}

// checkText refuses what is not text, and says where.
func checkText(src *source, text []byte, fs *findings) bool {
	if len(text) > MaxBytes {
		fs.fault(pos{src: src}, "", "", "the file has %d bytes; a scenario may have at most 1 MiB (%d)", len(text), MaxBytes)
		return false
	}
	line, col := 1, 1
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			fs.fault(pos{line: line, col: col, src: src}, "", "save the file as UTF-8", "this is not a text file: byte 0x%02x is not UTF-8", text[i])
			return false
		}
		if !printable(r) && !(r == '\ufeff' && i == 0) {
			fs.fault(pos{line: line, col: col, src: src}, "", "", "control character U+%04X is not allowed in a scenario", r)
			return false
		}
		i += size
		col++
		if r == '\n' {
			line, col = line+1, 1
		}
	}
	return true
}

// printable is the set of characters that YAML 1.2 section 5.1 allows.
func printable(r rune) bool {
	switch {
	case r == '\t' || r == '\n' || r == '\r' || r == 0x85:
		return true
	case r >= 0x20 && r <= 0x7e, r >= 0xa0 && r <= 0xd7ff, r >= 0xe000 && r < 0xfeff, r > 0xfeff && r <= 0xfffd:
		return true
	}
	return r >= 0x10000
}
