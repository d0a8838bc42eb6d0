package scenarios

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"sort"
	"strings"
)

//go:embed *.yaml
var files embed.FS

// ErrUnknown is returned by Read for a name that does not ship.
var ErrUnknown = errors.New("no such scenario ships with resilsim")

const suffix = ".yaml"

// List returns the names of the shipped scenarios in alphabetical order.
func List() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		panic("scenarios: the embedded folder has no root: " + err.Error())
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), suffix); ok {
			names = append(names, name)
		}
	}
	sort.Strings(names)
	return names
}

// Read returns the text of a shipped scenario by its name. The error wraps
// ErrUnknown when there is none.
func Read(name string) ([]byte, error) {
	text, err := files.ReadFile(strings.TrimSuffix(name, suffix) + suffix)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		return nil, fmt.Errorf("scenarios: %w: '%s'", ErrUnknown, name)
	}
	if err != nil {
		return nil, fmt.Errorf("scenarios: reading %s: %w", name, err)
	}
	return text, nil
}
