package main

import (
	"os"
	"path/filepath"

	"github.com/resilsim/resilsim/sim/result"
)

// claim is a file that one part of the command line wants to write.
type claim struct {
	by    string
	where string // canonical
	info  os.FileInfo
}

// distinct refuses a command line that writes one file twice, under whatever names.
func distinct(out string, exports []export) error {
	var claims []claim
	if out != "" {
		by := "--out " + out
		claims = append(claims, newClaim(by, out))
		for _, file := range append(dataFiles(out), figureFiles(out)...) {
			claims = append(claims, newClaim(by, file))
		}
	}
	for _, e := range exports {
		if e.file == stdout {
			continue
		}
		by := "-o " + e.format + "=" + e.file
		mine := newClaim(by, e.file)
		for _, c := range claims {
			if c.same(mine) {
				return badInput("%s and %s write the same file\n  hint: give each its own", c.by, by)
			}
		}
		claims = append(claims, mine)
	}
	return nil
}

func newClaim(by, path string) claim {
	c := claim{by: by, where: canonical(path)}
	if info, err := os.Stat(path); err == nil {
		c.info = info
	}
	return c
}

func (c claim) same(d claim) bool {
	return c.where == d.where || c.info != nil && d.info != nil && os.SameFile(c.info, d.info)
}

// canonical is the one name of a file, which need not exist, nor its directory.
func canonical(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := result.Resolve(path); err == nil {
		return real
	}
	above := filepath.Dir(path)
	if above == path {
		return path
	}
	return filepath.Join(canonical(above), filepath.Base(path))
}
