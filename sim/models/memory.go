package models

import (
	"math"
	"time"
)

// MemoryConfig bounds what requests take at an instance: when there is no room for one
// more the process is killed, loses all of them, and starts again.
type MemoryConfig struct {
	// Limit of a process, Base that it takes without requests, and PerRequest for
	// each that waits or is in service, in one unit.
	Limit, Base, PerRequest float64
	Restart                 time.Duration
}

// room is the number of requests that there is memory for.
func (m *MemoryConfig) room() int {
	return int(min(math.Floor((m.Limit-m.Base)/m.PerRequest), 1<<40))
}

// outOfMemory kills the process of an instance.
func (g *Graph) outOfMemory(in *instance) {
	g.dies(in, "runs out of memory", in.service.cfg.Memory.Restart)
}
