package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/resilsim/resilsim/scenarios"
	"github.com/resilsim/resilsim/sim/scenario"
)

// story is the text of a scenario and where it came from.
type story struct {
	// name is how reports call it: the file as it was named, or NAME.yaml.
	name string
	text []byte
	// dir is where a file's own `extends` are looked for first; empty for a shipped one.
	dir string
	// files were read for it, by their paths: its own and those that it extends.
	files *[]string
}

// find reads a scenario: `-` is standard input, a word without a path or an
// ending is a shipped scenario, everything else a file.
func (a *app) find(arg string) (story, error) {
	if arg == "-" {
		text, err := scenario.ReadLimited("standard input", a.in)
		return story{name: "standard input", text: text, dir: ".", files: new([]string)}, unreadable(err)
	}
	if arg == "" {
		return story{}, badInput("the name of the scenario is empty\n  hint: `resilsim scenarios` lists what ships")
	}
	if !looksLikeFile(arg) {
		if slices.Contains(shipped(), arg) {
			text, err := scenarios.Read(arg)
			return story{name: arg + ".yaml", text: text, files: new([]string)}, failed(err)
		}
		if _, err := os.Stat(arg); err != nil {
			return story{}, badInput("there is no scenario '%s'%s\n  hint: `resilsim scenarios` lists what ships; a file is named with its ending, like ./%s.yaml",
				arg, meant(arg, shipped()), filepath.Base(arg))
		}
	}
	text, err := scenario.ReadFile(arg)
	return story{name: arg, text: text, dir: filepath.Dir(arg), files: &[]string{arg}}, unreadable(err)
}

func looksLikeFile(arg string) bool {
	return strings.ContainsAny(arg, `/\`) || yamlFile(arg)
}

func yamlFile(name string) bool {
	return strings.HasSuffix(name, ".yaml") || strings.HasSuffix(name, ".yml")
}

// unreadable tells a file that cannot be a scenario (2) from a disk that fails (1).
func unreadable(err error) error {
	var path *fs.PathError
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist) && errors.As(err, &path):
		return badInput("there is no file '%s'", path.Path)
	case errors.As(err, &path):
		return failed(err)
	default:
		return badInput("%w", err)
	}
}

// shipped lists the names of the scenarios that come with the command.
func shipped() []string { return scenarios.List() }

// resolve finds what a scenario extends: a file beside it, else a shipped one.
func (s story) resolve(name string) ([]byte, error) {
	if s.dir != "" {
		file := name
		if !yamlFile(file) {
			file += ".yaml"
		}
		path := filepath.Join(s.dir, file)
		text, err := scenario.ReadFile(path)
		if err == nil || !errors.Is(err, fs.ErrNotExist) {
			*s.files = append(*s.files, path)
			return text, err
		}
	}
	if !slices.Contains(shipped(), name) {
		return nil, badInput("no file beside this one and no shipped scenario has that name%s", meant(name, shipped()))
	}
	return scenarios.Read(name)
}

// data reads a file that a scenario names. It lies beside the scenario or below it: a
// scenario from elsewhere must not show what else is on this machine.
func (s story) data(name string) ([]byte, error) {
	if s.dir == "" {
		return nil, badInput("a scenario that ships has no files")
	}
	if !filepath.IsLocal(name) {
		return nil, badInput("it does not lie beside the scenario or below it")
	}
	path := filepath.Join(s.dir, name)
	text, err := scenario.ReadData(path)
	if err == nil {
		*s.files = append(*s.files, path)
	}
	return text, err
}

// load reads and believes a scenario. Its findings are for the caller to show; a
// file that cannot be a scenario at all is one of them.
func (a *app) load(ctx context.Context, arg string, opt scenario.Options) (loaded, error) {
	var s story
	err := interruptible(ctx, "before anything was finished", func() (err error) {
		s, err = a.find(arg)
		return err
	})
	var bad *scenario.Unfit
	if errors.As(err, &bad) {
		return loaded{report: &scenario.Report{Faults: []scenario.Finding{bad.Finding}}}, nil
	}
	if err != nil {
		return loaded{}, err
	}
	opt.Resolve, opt.Data = s.resolve, s.data
	sc, report := scenario.Load(s.name, s.text, opt)
	return loaded{sc, report, *s.files}, nil
}

// loaded is a scenario, nil when its report has faults, and the files it was read from.
type loaded struct {
	sc     *scenario.Scenario
	report *scenario.Report
	files  []string
}
