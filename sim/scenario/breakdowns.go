package scenario

import "time"

// Breakdowns of instances at random: exponential times up and down, each instance for
// itself.
type Breakdowns struct {
	MeanUp, MeanDown time.Duration
	// How is crash (queue and work are lost, connections refused) or freeze (what was
	// begun is ended, nothing new starts, the queue stays).
	How How
}

// The ways of breaking down.
const (
	Crashing How = "crash"
	Freezing How = "freeze"
)

func breakdownsShape() *shape {
	return atService("breakdowns", "Breakdowns", "Each instance fails and is repaired at random, independently of the others: the times up and down are exponential. Its share of time down is meanTimeToRepair / (meanTimeToFailure + meanTimeToRepair). Whoever is down when the fault ends is up again.",
		key{name: "meanTimeToFailure", shape: positiveDuration(), need: true, meaning: "mean time that an instance is up"},
		key{name: "meanTimeToRepair", shape: positiveDuration(), need: true, meaning: "mean time that it is down then"},
		key{name: "how", shape: oneWord("crash", "freeze"), dflt: "crash", meaning: "crash: queue and work are lost, connections are refused, then it starts (cold, if the service has a `coldStart`); freeze: what was begun is ended, nothing new starts, the queue stays"})
}
