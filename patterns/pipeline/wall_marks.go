package pipeline

import "context"

// marks are what a context says of the calls that are made with it.
type marks struct {
	once  bool
	level int
}

type marksKey struct{}

func marksOf(ctx context.Context) marks {
	m, _ := ctx.Value(marksKey{}).(marks)
	return m
}

// NonIdempotent marks the calls made with a context: Do does not repeat one that may
// have been carried out, as after a timeout, unless the retry's retryAmbiguous says so,
// and never hedges it.
func NonIdempotent(ctx context.Context) context.Context {
	m := marksOf(ctx)
	m.once = true
	return context.WithValue(ctx, marksKey{}, m)
}

// WithLevel gives the calls made with a context a level, which a bulkhead looks at whose
// order is priority: higher is served first. Without one it is 0, the lowest.
func WithLevel(ctx context.Context, level int) context.Context {
	m := marksOf(ctx)
	m.level = level
	return context.WithValue(ctx, marksKey{}, m)
}
