package pipeline

import (
	"sync"
	"sync/atomic"
)

// locks holds one mutex per stage and pipeline. It is nil in a simulation,
// which has one goroutine and takes no locks.
type locks [][]sync.Mutex

func newLocks(f *Fleet) locks {
	l := make(locks, f.n)
	for i := range l {
		l[i] = make([]sync.Mutex, len(f.plan.stages))
	}
	return l
}

func (l locks) lock(instance int32, stage int8) {
	if l != nil {
		l[instance][stage].Lock()
	}
}

func (l locks) unlock(instance int32, stage int8) {
	if l != nil {
		l[instance][stage].Unlock()
	}
}

// flag is an operator's switch, on unless it was turned off. The zero value is on.
type flag struct{ off atomic.Bool }

func (f *flag) set(on bool) { f.off.Store(!on) }

func (f *flag) on() bool { return !f.off.Load() }
