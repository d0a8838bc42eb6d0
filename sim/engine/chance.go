package engine

// Seed is where all chance of a run comes from.
type Seed uint64

// Purpose says what a draw is for. The models own the named values; two purposes
// with the same entity, request and attempt have unrelated draws.
type Purpose uint8

// Key names a place where chance is drawn: a number that is a pure function of
// the seed and of what the draw is for.
type Key uint64

// Weyl increments: odd numbers without structure, one per role, so that the same
// number in two roles does not give the same key. The first is 2^64 divided by
// the golden ratio; the others are from the finalizers of xxHash64.
const (
	golden       = 0x9e3779b97f4a7c15
	entityStep   = 0xc2b2ae3d27d4eb4f
	requestStep  = 0x165667b19e3779f9
	attemptStep  = 0x27d4eb2f165667c5
	childStep    = 0x85ebca77c2b2ae63
	childAttempt = 0xff51afd7ed558ccd
)

// mix is the finalizer of SplitMix64 with the constants of Stafford's variant 13:
// a bijection of 64 bits in which every input bit changes every output bit with
// probability close to one half.
//
// Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
// OOPSLA 2014; Stafford, "Better bit mixing", 2011.
func mix(x uint64) uint64 {
	x ^= x >> 30
	x *= 0xbf58476d1ce4e5b9
	x ^= x >> 27
	x *= 0x94d049bb133111eb
	return x ^ x>>31
}

// Key hashes what a draw is for. Keys that differ in one of the four arguments
// only are always different; others collide with probability 2^-64.
func (s Seed) Key(p Purpose, entity, request, attempt uint64) Key {
	h := mix(uint64(s) + (uint64(p)+1)*golden)
	h = mix(h ^ entity*entityStep)
	h = mix(h ^ request*requestStep)
	return Key(mix(h ^ attempt*attemptStep))
}

// Child is the key of what is done within k: step numbers the calls that are made
// there, attempt their tries. Children of children never share a key, short of a
// collision of 64 bits.
func (k Key) Child(step, attempt uint64) Key {
	h := mix(uint64(k) ^ (step+1)*childStep)
	return Key(mix(h ^ (attempt+1)*childAttempt))
}

// Stream is the sequence of draws of a key.
func (k Key) Stream() Stream { return Stream{key: uint64(k)} }

// Unit is the first draw of the key's stream, in [0,1).
func (k Key) Unit() float64 {
	s := k.Stream()
	return s.Unit()
}

// Stream draws the numbers of one key, one after the other. It has no state but
// the count: the n-th draw is a hash of (key, n).
type Stream struct {
	key uint64
	n   uint64
}

// Uint64 draws 64 bits.
func (s *Stream) Uint64() uint64 {
	s.n++
	return mix(s.key + s.n*golden)
}

// Unit draws uniformly from [0,1), in steps of 2^-53.
func (s *Stream) Unit() float64 {
	return float64(s.Uint64()>>11) * 0x1p-53
}

// Open draws uniformly from (0,1], in steps of 2^-53: the logarithm of the draw
// is finite. It lies 2^-53 above what Unit would have drawn.
func (s *Stream) Open() float64 {
	return float64(s.Uint64()>>11+1) * 0x1p-53
}
