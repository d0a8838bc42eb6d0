package scenario

// callerKeys are the settings of a fleet besides its load and what it does.
func callerKeys() []key {
	return []key{
		{name: "classes", shape: namedOf(classShape()), dflt: "all requests of one sort", meaning: "classes of requests, by name; a request's class goes with it through all its calls"},
	}
}

func classShape() *shape {
	return &shape{kind: mappingShape, name: "a class of requests", title: "Class", about: "A sort of requests. Which class a request is of is drawn for it alone. Accounts are kept for each class as for the fleet.", keys: []key{
		{name: "weight", shape: number(0, 1e9), dflt: "1", meaning: "how often a request is of this class, against the weights of the others"},
		{name: "priority", shape: count(0, maxPriority), dflt: "0", meaning: "importance for services that serve or shed by it; higher is more important"},
		{name: "idempotent", shape: toggle(), dflt: "true", meaning: "`false`: to carry it out twice does harm. It is retried only after failures in which nothing was done, and what is done twice all the same is counted"},
	}}
}

const (
	// maxPriority is the highest class that patterns/priority knows.
	maxPriority = 63
	// maxClasses of a fleet.
	maxClasses = 64
)
