package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"resilsim": main})
}

// TestScripts runs each story of testdata/script as a user would type it, in a
// directory of its own that holds the scenarios of testdata/scenarios.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		Setup:         func(env *testscript.Env) error { return os.CopyFS(env.WorkDir, os.DirFS("testdata/scenarios")) },
		UpdateScripts: *update,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":  exits,
			"sparse": sparse,
			"isjson": isJSON,
			"plain":  plain,
			"empty":  empty,
		},
	})
}

// exits STATUS COMMAND ARG... runs a command that has to end with this very status.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits STATUS COMMAND ARG...")
	}
	got := 0
	var ended *exec.ExitError
	if err := ts.Exec(args[1], args[2:]...); errors.As(err, &ended) {
		got = ended.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if want, err := strconv.Atoi(args[0]); err != nil || got != want {
		ts.Fatalf("exit status %d, want %s", got, args[0])
	}
}

// sparse FILE BYTES makes a file that is large to read and costs no disk.
func sparse(ts *testscript.TestScript, _ bool, args []string) {
	size, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), nil, 0o666))
	ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
}

// isjson FILE holds when the file (or stdout) is one JSON value and nothing else.
func isJSON(ts *testscript.TestScript, neg bool, args []string) {
	if json.Valid([]byte(ts.ReadFile(args[0]))) == neg {
		ts.Fatalf("%s: JSON is %v", args[0], !neg)
	}
}

// plain FILE holds when there is no escape sequence in it.
func plain(ts *testscript.TestScript, neg bool, args []string) {
	if bytes.ContainsRune([]byte(ts.ReadFile(args[0])), 0x1b) != neg {
		ts.Fatalf("%s: escape sequences: %v", args[0], !neg)
	}
}

// empty DIR holds when there is nothing in it, hidden files included.
func empty(ts *testscript.TestScript, neg bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	if (len(entries) == 0) == neg {
		ts.Fatalf("%s holds %d files: %v", filepath.Base(args[0]), len(entries), entries)
	}
}
