package registry

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

// TestKeysOfAnInstanceAreDocumented reads the table of the reference page and compares
// its words with the tags of the types, in their order.
func TestKeysOfAnInstanceAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference/patterns.md")
	if err != nil {
		t.Fatal(err)
	}
	for part, shown := range map[string]any{
		"itself": InstanceSnapshot{}, "`circuitBreaker`": BreakerSnapshot{}, "`window`": Window{}, "`throttle`": ThrottleSnapshot{},
		"`rateLimiter`": RateLimiterSnapshot{}, "`adaptiveLimit`": AdaptiveLimitSnapshot{}, "`bulkhead`": BulkheadSnapshot{},
		"`hedge`": HedgeSnapshot{}, "`retryBudget`": BudgetSnapshot{},
	} {
		var want []string
		typ := reflect.TypeOf(shown)
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			want = append(want, "`"+name+"`")
		}
		_, row, _ := strings.Cut(string(page), fmt.Sprintf("\n| %s | `", part))
		row, _, _ = strings.Cut("`"+row, "\n")
		row = regexp.MustCompile(`\([^)]*\)`).ReplaceAllString(row, "")
		got := regexp.MustCompile("`[^`]+`").FindAllString(row, -1)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: the page has %v, the type %v", part, got, want)
		}
	}
}
