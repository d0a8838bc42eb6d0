// Package retry answers: after this failure, is there another attempt, and when?
//
// It decides by the number of attempts made, the kind of failure, the hint of the
// server, the budget and the deadline. The wait before the next attempt is a pure
// function of the attempt's number and of a draw in [0,1) that the driver hands
// in.
package retry
