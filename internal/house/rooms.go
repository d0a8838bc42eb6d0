package house

import "strings"

// Room says what the packages below a directory may import, besides the
// standard library and the packages of the same room.
type Room struct {
	// Dir is relative to the root; everything below it is the room.
	Dir string
	// Looks are the rooms it may look into.
	Looks []string
	// Doors are import paths of outside libraries, each with all below it.
	Doors []string
	// TestLooks and TestDoors are further ones for files of go test.
	TestLooks []string
	TestDoors []string
}

const (
	gonumStat = "gonum.org/v1/gonum"
	gonumPlot = "gonum.org/v1/plot"
	yaml      = "gopkg.in/yaml.v3"
	hdr       = "github.com/HdrHistogram/hdrhistogram-go"
)

// Rooms is the plan of the house, from the inside out: nothing looks outward.
// Each outside library has one door; gonum's statistics have two, because the
// shapes of randomness are fitted and tested with the same functions that the
// conclusions are drawn with.
var Rooms = []Room{
	{Dir: "internal/exact"},
	{Dir: "internal/house"},
	{Dir: "patterns", Looks: []string{"internal/exact"}},
	{Dir: "sim/engine", Looks: []string{"internal/exact"}},
	{Dir: "sim/dist", Looks: []string{"sim/engine", "internal/exact"}, Doors: []string{gonumStat}},
	{Dir: "sim/result"},
	{
		Dir:       "sim/models",
		Looks:     []string{"sim/engine", "sim/dist", "patterns", "internal/exact"},
		TestDoors: []string{gonumStat},
	},
	{
		Dir:       "sim/scenario",
		Looks:     []string{"patterns", "sim/dist", "sim/result", "sim/engine", "internal/exact"},
		Doors:     []string{yaml},
		TestLooks: []string{"scenarios"},
	},
	// A probe speaks of reasons and of breaker events, which are words of patterns/.
	{Dir: "sim/record", Looks: []string{"sim/models", "sim/result", "patterns"}, Doors: []string{hdr}},
	{
		Dir:       "sim/world",
		Looks:     []string{"sim/scenario", "sim/engine", "sim/models", "patterns", "sim/dist", "internal/exact"},
		TestLooks: []string{"scenarios"},
	},
	{Dir: "sim/stats", Looks: []string{"sim/result"}, Doors: []string{gonumStat}},
	{
		Dir: "sim/experiment",
		Looks: []string{"sim/world", "sim/record", "sim/result", "sim/stats", "sim/scenario", "sim/models",
			"sim/engine"},
		TestLooks: []string{"scenarios", "sim/dist", "patterns"},
	},
	{Dir: "reports", Looks: []string{"sim/result", "sim/stats"}, Doors: []string{gonumPlot}},
	{Dir: "scenarios", TestLooks: []string{"sim/scenario", "sim/experiment", "sim/result"}},
	{
		Dir:   "cmd/resilsim",
		Looks: []string{"sim/experiment", "reports", "sim/scenario", "scenarios", "sim/result"},
		Doors: []string{"github.com/spf13/cobra", "github.com/spf13/pflag",
			"github.com/schollz/progressbar/v3", "golang.org/x/term"},
		TestDoors: []string{"github.com/rogpeppe/go-internal/testscript"},
	},
	// Modules of their own: what they stand in between is no dependency of the house.
	{
		Dir: "adapters/grpcguard", Looks: []string{"patterns"},
		Doors: []string{"google.golang.org/grpc", "google.golang.org/protobuf", "google.golang.org/genproto"},
	},
	{
		Dir: "adapters/otelguard", Looks: []string{"patterns"},
		Doors:     []string{"go.opentelemetry.io/otel", "go.opentelemetry.io/otel/metric", "go.opentelemetry.io/otel/trace"},
		TestDoors: []string{"go.opentelemetry.io/otel/sdk"},
	},
	{Dir: "adapters/promguard", Looks: []string{"patterns"}, Doors: []string{"github.com/prometheus/client_golang"}},
	// A module of its own: its peers are no dependencies of the house.
	{
		Dir: "benchmarks", Looks: []string{"patterns"},
		TestDoors: []string{"github.com/failsafe-go/failsafe-go", "github.com/sony/gobreaker/v2",
			"github.com/eapache/go-resiliency", "github.com/afex/hystrix-go", "golang.org/x/sync", "golang.org/x/time"},
	},
}

// roomOf returns the room of a directory, nil when the plan has none.
func roomOf(dir string) *Room {
	for i := range Rooms {
		if within(dir, Rooms[i].Dir) {
			return &Rooms[i]
		}
	}
	return nil
}

// within reports whether a path is root or lies below it.
func within(p, root string) bool {
	return p == root || strings.HasPrefix(p, root+"/")
}

// withinAny reports whether a path is one of the roots or lies below one.
func withinAny(p string, roots []string) bool {
	for _, r := range roots {
		if within(p, r) {
			return true
		}
	}
	return false
}

// wall reports whether a file may touch the wall clock: in patterns/ the files
// whose names begin with "wall", tests of them included; and adapters/, where the
// libraries in between have goroutines of their own.
func wall(f *File) bool {
	return within(f.Dir(), "adapters") ||
		within(f.Dir(), "patterns") && strings.HasPrefix(f.Path[strings.LastIndex(f.Path, "/")+1:], "wall")
}
