// Package budget answers: may one more retry be made, given how much work is
// asked for anyway?
//
// A retry limit per call bounds what one caller does; a budget bounds what all of
// them do together. With a ratio r the load that retries add stays below r times
// the first attempts, whatever fails. It is what keeps a retry from becoming the
// outage.
package budget
