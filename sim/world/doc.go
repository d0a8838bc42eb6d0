// Package world answers: which fleets, services and links does a scenario
// describe, and how are they wired?
//
// It is the only place where models are put together.
package world
