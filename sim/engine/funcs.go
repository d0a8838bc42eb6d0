package engine

import "time"

// Func schedules a call of f. It is the slow convenience for what happens a few
// times in a run: it stores a closure, where At stores three numbers.
func (e *Engine) Func(t time.Duration, f func()) {
	if f == nil {
		panic("engine: a scheduled function is not nil")
	}
	key := e.admit(t, 0)
	e.agenda.push(entry{at: uint64(t), key: key, arg: e.funcs.keep(f)})
}

// funcs is the component behind Func; the argument of its events is the place
// of the function. Places are reused, last freed first.
type funcs struct {
	kept []func()
	free []uint64
}

func (fs *funcs) keep(f func()) uint64 {
	if n := len(fs.free); n > 0 {
		place := fs.free[n-1]
		fs.free = fs.free[:n-1]
		fs.kept[place] = f
		return place
	}
	fs.kept = append(fs.kept, f)
	return uint64(len(fs.kept) - 1)
}

func (fs *funcs) Handle(_ time.Duration, place uint64) {
	f := fs.kept[place]
	fs.kept[place] = nil
	fs.free = append(fs.free, place)
	f()
}
