package benchmarks

import (
	"context"
	"errors"
	"os"
	"regexp"
	"strings"
	"testing"
)

// prices is the dependency of the examples. It fails the given number of times and
// then answers.
type prices struct{ failures int }

var (
	errDown    = errors.New("down")
	errUnknown = errors.New("no such article")
)

func (p *prices) fetch(ctx context.Context) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if p.failures > 0 {
		p.failures--
		return "", errDown
	}
	return "42", nil
}

// TestPageQuotesTheExamples: every line of Go that the page shows stands in an example,
// the lines of a block one after the other. Indentation does not count.
func TestPageQuotesTheExamples(t *testing.T) {
	page := text(t, "../docs/guides/moving-from-other-libraries.md")
	var examples strings.Builder
	for _, name := range []string{"gobreaker", "failsafe", "hystrix"} {
		examples.WriteString(text(t, "moving_"+name+"_test.go"))
	}
	blocks := regexp.MustCompile("(?ms)^```go\n(.*?)^```$").FindAllStringSubmatch(page, -1)
	if len(blocks) < 6 {
		t.Errorf("%d blocks of Go, want a pair for each of three libraries", len(blocks))
	}
	for _, b := range blocks {
		if !strings.Contains(flush(examples.String()), flush(b[1])) {
			t.Errorf("no example holds:\n%s", b[1])
		}
	}
}

func text(t *testing.T, path string) string {
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// flush takes away what stands before and after the text of each line.
func flush(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSpace(line)
	}
	return strings.Join(lines, "\n")
}
