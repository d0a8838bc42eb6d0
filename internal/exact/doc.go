// Package exact answers: how are exp, log, pow and the normal quantile computed
// so that every processor gives the same bits?
//
// The functions of package math have assembly versions on some processors, and
// the compiler may fuse a multiplication with an addition. Where a float decides
// when an event happens, one differing bit makes a different run. Here each
// function has one path in Go, and each product is rounded before it is added.
package exact
