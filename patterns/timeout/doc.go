// Package timeout answers: until when may what is inside this stage take?
//
// A timeout abandons what it encloses; it does not stop it. The attempt that was
// abandoned may still run in the dependency, and its late answer is ignored and
// counted.
package timeout
