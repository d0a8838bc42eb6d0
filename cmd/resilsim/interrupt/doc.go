// Package interrupt answers: since when is a signal heard? It is a package of its own
// because packages are initialised in the order of their paths: this one, which needs
// next to nothing, is ready before the tables and libraries of the command are.
package interrupt
