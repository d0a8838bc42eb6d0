package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version is `resilsim version`: what made this result?
func (a *app) version() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version, the Go version and the platform",
		Args:  noMore,
		RunE: func(*cobra.Command, []string) error {
			return printf(a.out, "%s\n", versionLine())
		},
	}
}

func versionLine() string {
	return fmt.Sprintf("resilsim %s %s %s/%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// version comes from what the Go command recorded when it built this binary.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}
