package scenario

import (
	"fmt"
	"strconv"
	"strings"
)

// A path addresses a setting: names with dots between them, and [n] for the
// n-th item of a list from 0. [+] appends an item, [n+] puts one before the
// n-th. Where a list holds things of different kinds (policies, faults,
// actions) the kind stands for the one item that has it:
//
//	callers.checkout.arrivals.poisson
//	pipelines.payments-client[1].retry.maxAttempts
//	pipelines.payments-client.retry.maxAttempts
//	pipelines.payments-client[0+].bulkhead.maxConcurrentCalls
type pathStep struct {
	name string
	// item: an index into a list instead of a name; grow: it makes a new item.
	item, grow bool
	index      int
	offset     int // in the text of the path
	length     int
}

func (s pathStep) String() string {
	switch {
	case s.grow && s.index < 0:
		return "[+]"
	case s.grow:
		return fmt.Sprintf("[%d+]", s.index)
	case s.item:
		return fmt.Sprintf("[%d]", s.index)
	}
	return s.name
}

// maxSteps of a path: no setting lies deeper.
const maxSteps = 20

// parsePath splits a path. On failure it says where and why.
func parsePath(text string) (steps []pathStep, offset int, why string) {
	for i := 0; i < len(text); {
		if len(steps) == maxSteps {
			return nil, i, "the path is too long"
		}
		if text[i] == '[' {
			s, next, why := parseIndex(text, i)
			if why != "" {
				return nil, i, why
			}
			steps, i = append(steps, s), next
			continue
		}
		if len(steps) > 0 {
			if text[i] != '.' {
				return nil, i, "expected '.' or '['"
			}
			i++
		}
		end := i
		for end < len(text) && text[end] != '[' && (text[end] != '.' || decimalPoint(text, end)) {
			end++
		}
		if end == i {
			return nil, i, "a name is missing"
		}
		steps, i = append(steps, pathStep{name: text[i:end], offset: i, length: end - i}), end
	}
	if len(steps) == 0 {
		return nil, 0, "the path is empty"
	}
	return steps, 0, ""
}

// decimalPoint reports whether the point at i stands between two digits, as in p99.9:
// no key and no name begins with a digit.
func decimalPoint(text string, i int) bool {
	digit := func(i int) bool { return i >= 0 && i < len(text) && text[i] >= '0' && text[i] <= '9' }
	return digit(i-1) && digit(i+1)
}

func parseIndex(text string, i int) (pathStep, int, string) {
	end := strings.IndexByte(text[i:], ']')
	if end < 0 {
		return pathStep{}, 0, "']' is missing"
	}
	inner := text[i+1 : i+end]
	s := pathStep{item: true, offset: i, length: end + 1}
	digits, grow := strings.CutSuffix(inner, "+")
	s.grow = grow
	if grow && digits == "" {
		s.index = -1
		return s, i + end + 1, ""
	}
	n, err := strconv.ParseUint(digits, 10, 20)
	if err != nil {
		return pathStep{}, 0, "an index is [0], [1], ...; [+] appends, [0+] puts an item before the first"
	}
	s.index = int(n)
	return s, i + end + 1, ""
}
