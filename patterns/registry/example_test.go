package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/resilsim/resilsim/patterns/pipeline"
	"github.com/resilsim/resilsim/patterns/registry"
)

const file = `{
  "defaults": {
    "retry":          {"maxAttempts": 1},
    "circuitBreaker": {"slidingWindowSize": 4, "minimumNumberOfCalls": 4}
  },
  "instances": {
    "prices": {"circuitBreaker": {"failureRateThreshold": 100}, "without": ["bulkhead"]},
    "stock":  {"sharedWith": "prices"}
  }
}`

// dependencies are what the program calls; the file can set them, not add to them.
var dependencies = []string{"prices", "stock", "users"}

func load(text string) (*registry.Registry, error) {
	f := registry.File[json.RawMessage]{Defaults: registry.Defaults()}
	if err := json.Unmarshal([]byte(text), &f); err != nil {
		return nil, err
	}
	config, err := f.Config(func(raw json.RawMessage, into any) error { return json.Unmarshal(raw, into) })
	if err != nil {
		return nil, err
	}
	return registry.New(dependencies, config)
}

// A service reads its settings with the library that it has: here encoding/json. With
// YAML the raw values are yaml.Node, and the function is func(n yaml.Node, into any)
// error { return n.Decode(into) }.
func Example() {
	pipelines, err := load(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = pipelines.Pipeline("user")
	fmt.Println(err)
	_, err = load(strings.ReplaceAll(file, `"stock":`, `"stok":`))
	fmt.Println(err)

	prices, err := pipelines.Pipeline("prices")
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 4 {
		_, _ = pipeline.Do(context.Background(), prices, func(context.Context) (int, error) { return 0, errors.New("down") })
	}
	for _, in := range pipelines.Snapshot().Instances {
		if in.SharedWith != "" {
			fmt.Println(in.Name, "is shared with", in.SharedWith)
			continue
		}
		fmt.Println(in.Name, in.Policies, in.CircuitBreaker.State)
	}
	// Output:
	// registry: "user" is not a name of this registry: one of prices, stock, users
	// registry: instances: "stok" is not a name of this registry: one of prices, stock, users
	// prices [retry circuitBreaker timeout] open
	// stock is shared with prices
	// users [retry circuitBreaker bulkhead timeout] closed
}

// An operator shuts a dependency off and gives it back. The state is for many to
// read; transitions are for those whom the program's own rule lets through.
func ExampleNewTransitions() {
	pipelines, err := load(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	transitions, err := registry.NewTransitions(pipelines, func(q *http.Request, t registry.Transition) (string, error) {
		who := q.Header.Get("X-Operator") // as a proxy that has checked it sets it
		if who == "" {
			return "", errors.New("not an operator")
		}
		return who, nil
	}, func(a registry.Audit) {
		fmt.Printf("audit: %q asked %s of %s: %s\n", a.Who, a.Action, a.Name, a.Outcome)
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer transitions.Stop()
	mux := http.NewServeMux()
	mux.Handle("/pipelines", registry.View(pipelines))
	mux.Handle("/pipelines/transitions", transitions)

	ask := func(who, body string) {
		q := httptest.NewRequest(http.MethodPost, "/pipelines/transitions", strings.NewReader(body))
		q.Header.Set("Content-Type", "application/json")
		q.Header.Set("X-Operator", who)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, q)
		fmt.Println(w.Code, pipelines.Snapshot().Instances[2].CircuitBreaker.State)
	}
	ask("", `{"name": "users", "action": "force_open"}`)
	ask("ann", `{"name": "users", "action": "force_open", "reason": "migration"}`)
	ask("ann", `{"name": "users", "action": "close"}`)
	ask("ann", `{"name": "users", "action": "reset"}`)
	// Output:
	// audit: "" asked force_open of users: denied
	// 403 closed
	// audit: "ann" asked force_open of users: done
	// 200 forced_open
	// audit: "ann" asked close of users: done
	// 200 half_open
	// audit: "ann" asked reset of users: done
	// 200 closed
}

// The page for people.
func ExampleSnapshot_WriteText() {
	pipelines, err := load(`{"instances": {"stock": {"sharedWith": "users"}, "prices": {"without": ["retry", "timeout", "bulkhead"]}}}`)
	if err != nil {
		fmt.Println(err)
		return
	}
	s := pipelines.Snapshot()
	var page strings.Builder
	if err := s.WriteText(&page); err != nil {
		fmt.Println(err)
		return
	}
	_, body, _ := strings.Cut(page.String(), "\n") // the first line is the time
	fmt.Print(body)
	// Output:
	// prices
	//   policies        circuitBreaker
	//   circuitBreaker  closed  failed -  slow -  of 0  not permitted 0  in flight 0  openings 0  window 100 calls, at least 100
	//
	// stock is shared with users
	//
	// users, shared by stock
	//   policies        retry > circuitBreaker > bulkhead > timeout
	//   circuitBreaker  closed          failed -   slow -      of 0  not permitted 0  in flight 0  openings 0  window 100 calls, at least 100
	//   bulkhead        0 of 25 in use  waiting 0  rejected 0  gave up 0
}
