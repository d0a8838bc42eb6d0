package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// Registry holds the pipelines of a fixed list of names. It is safe for concurrent
// use, and looking up a name takes no lock.
type Registry struct {
	names     []string // sorted
	instances map[string]*held
	events    *queue       // told by whoever causes them, calls of the program included
	audits    *queue       // told by transitions only
	panics    atomic.Int64 // of callbacks that nobody could be told of

	mu sync.Mutex // one transition at a time
	// pending, guarded by listing, are the closings that wait for their instant.
	listing sync.Mutex
	pending map[*held]*closing
}

// held is an instance with its pipeline.
type held struct {
	instance
	pipeline *pipeline.Pipeline
	sharedBy []string
}

// ErrUnknown is found by errors.Is in the error for a name that is not in the list.
var ErrUnknown = errors.New("registry: unknown name")

type unknown struct {
	name  string
	names []string
}

func (u unknown) Error() string {
	return fmt.Sprintf("registry: %q is not a name of this registry: %s", u.name, listed(u.names))
}

func (u unknown) Is(target error) bool { return target == ErrUnknown }

// Option changes how a registry makes its pipelines.
type Option func(*options)

type options struct {
	listen   func(name string, e pipeline.Event)
	classify func(name string) func(context.Context, error) patterns.Result
}

// WithListener has every event of every pipeline told to f, with the name of the
// instance that has the pipeline, one at a time and with no lock held: as
// pipeline.WithListener does it for one pipeline, but in one order for all.
func WithListener(f func(name string, e pipeline.Event)) Option {
	return func(o *options) { o.listen = f }
}

// WithClassifier has f choose the rule by which an instance's errors are judged; nil for
// pipeline.Classify.
func WithClassifier(f func(name string) func(context.Context, error) patterns.Result) Option {
	return func(o *options) { o.classify = f }
}

// New makes a pipeline for each name that shares none. The list is what the program
// knows, the configuration what somebody wrote: a name that only the
// configuration has is a fault of it. The error joins every fault.
func New(names []string, c Config, opts ...Option) (*Registry, error) {
	var o options
	for _, opt := range opts {
		opt(&o)
	}
	r := &Registry{instances: map[string]*held{}, events: &queue{}, audits: &queue{}, pending: map[*held]*closing{}}
	all, faults := resolve(names, c)
	for _, in := range all {
		h := &held{instance: in}
		if in.sharedWith == "" {
			p, err := pipeline.New(in.policies, o.of(r, in.name)...)
			if err != nil {
				faults.Add("instances."+in.name, "%v", err)
			}
			h.pipeline = p
		}
		r.names = append(r.names, in.name)
		r.instances[in.name] = h
	}
	if err := faults.Err(); err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	for _, in := range all {
		if in.sharedWith != "" {
			owner := r.instances[in.sharedWith]
			owner.sharedBy = append(owner.sharedBy, in.name)
			r.instances[in.name].pipeline = owner.pipeline
		}
	}
	return r, nil
}

// of returns the options of one pipeline.
func (o options) of(r *Registry, name string) (opts []pipeline.Option) {
	if o.listen != nil {
		opts = append(opts, pipeline.WithListener(func(e pipeline.Event) {
			r.events.push(func() { o.listen(name, e) })
			r.events.deliver()
		}))
	}
	if o.classify != nil {
		if f := o.classify(name); f != nil {
			opts = append(opts, pipeline.WithClassifier(f))
		}
	}
	return opts
}

// Pipeline returns the pipeline of a name: the same each time, and the same for
// names that share one. An unlisted name is ErrUnknown; nothing is made for it.
func (r *Registry) Pipeline(name string) (*pipeline.Pipeline, error) {
	h, ok := r.instances[name]
	if !ok {
		return nil, unknown{name, r.names}
	}
	return h.pipeline, nil
}

// Names returns the names, sorted.
func (r *Registry) Names() []string { return slices.Clone(r.names) }

// owner returns the instance that has the pipeline of a name.
func (r *Registry) owner(name string) (*held, bool) {
	h, ok := r.instances[name]
	if ok && h.sharedWith != "" {
		h = r.instances[h.sharedWith]
	}
	return h, ok
}

// users returns the names that use an instance's pipeline, its own first.
func (h *held) users() []string { return append([]string{h.name}, h.sharedBy...) }
