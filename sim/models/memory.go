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
	// Collector is the time that garbage takes for each unit of work while half of the
	// memory is in use; it grows as what is in use grows against what is free. 0: none.
	Collector float64
}

// speed is that of work while so many requests are there:
//
//	1 / (1 + collector live / free)
//
// A tracing collector visits what lives, once each time that what is free has been filled:
// its cost for each unit allocated is live / free. At least a thousandth of the memory
// counts as free.
func (m *MemoryConfig) speed(requests int) float64 {
	live := m.Base + float64(float64(requests)*m.PerRequest)
	free := max(m.Limit-live, m.Limit/1000)
	return 1 / (1 + float64(m.Collector*live)/free)
}

// room is the number of requests that there is memory for.
func (m *MemoryConfig) room() int {
	return int(min(math.Floor((m.Limit-m.Base)/m.PerRequest), 1<<40))
}

// outOfMemory kills the process of an instance.
func (g *Graph) outOfMemory(in *instance) {
	g.dies(in, "runs out of memory", in.service.cfg.Memory.Restart)
}
