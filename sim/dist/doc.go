// Package dist answers: how long does a piece of work take, given a draw?
//
// A distribution is a value: parameters in, samples from given draws out. One
// draw makes one sample and the sample grows with the draw, so that two settings
// that are compared see the same luck.
package dist
