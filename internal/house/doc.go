// Package house answers one question: does every line of this repository stand
// in the room it belongs to?
//
// The rooms and the arrows between them are the table in rooms.go. Each rule is
// a function from a Tree (the parsed sources) to the breaches it finds: imports,
// clock reads, global randomness, goroutines, map order, float functions and
// fused arithmetic, length of functions, package pages, names and leftovers.
// The tests run the rules over the whole repository, and prove each rule by
// feeding it a small bad source and a good twin of it.
//
// The rules see syntax, and types for map order and fused arithmetic. They are a
// fence against accidents, not against intent: a value that travels through an
// interface or an outside library is out of their sight.
package house
