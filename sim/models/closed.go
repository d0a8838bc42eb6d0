package models

import (
	"time"

	"github.com/resilsim/resilsim/sim/dist"
)

// ClosedConfig is a closed loop: each user sends a request, waits for its end, thinks,
// and sends the next.
type ClosedConfig struct {
	Users int
	Think dist.Dist
}

// loop is the users of a fleet. A user's draws are keyed by the user and the number
// of the request, so that nobody's luck depends on how fast the others were served.
type loop struct {
	think dist.Dist
	turns []uint32 // requests so far, by user
}

// think has a user send the next request after thinking. The first is thought
// about too, so that users do not begin all at once.
func (g *Graph) think(f *fleet, user int32, took time.Duration) {
	l := f.loop
	g.stream = g.seed.Key(drawThink, f.key, uint64(user), uint64(l.turns[user])).Stream()
	g.eng.At(g.now()+atLeast(took, l.think.Sample(&g.stream)), g.on.user, uint64(f.index)|uint64(user)<<32)
}

// thought sends the request of a user. Users are spread over the instances in turn.
func (g *Graph) thought(f *fleet, user int32) {
	turn := f.loop.turns[user]
	f.loop.turns[user]++
	key := g.seed.Key(drawUser, f.key, uint64(user), uint64(turn))
	g.enter(f, key, user%int32(f.owner.instances), user)
}

func (g *Graph) startLoop(f *fleet, cfg *ClosedConfig) {
	f.loop = &loop{think: cfg.Think, turns: make([]uint32, cfg.Users)}
	for user := range int32(cfg.Users) {
		g.think(f, user, 0)
	}
}
