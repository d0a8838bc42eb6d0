package scenario

// Class is a class of a fleet's requests.
type Class struct {
	Name string
	// Weight against the other classes of the fleet: how often a request is of it.
	Weight float64
	// Priority in [0,63]; higher is more important.
	Priority int
	// Idempotent: it does no harm to carry such a request out twice. Calls of a class
	// that is not are retried only after failures in which nothing was done.
	Idempotent bool
}
