package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"testing"
)

// TestAResultFitsItsSchema runs a scenario with several seeds and walks its JSON
// along the schema: every value has the type that the schema says, every key is
// known, no required key is missing.
func TestAResultFitsItsSchema(t *testing.T) {
	text, err := resultSchema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	term := terminal{out: &out, err: &errs, getenv: func(string) string { return "" }}
	status := execute(context.Background(), []string{"run", "testdata/scenarios/small.yaml", "--seeds", "2", "--json"}, term)
	if status != Done {
		t.Fatalf("status %d: %s", status, &errs)
	}
	var value any
	if err := json.Unmarshal(out.Bytes(), &value); err != nil {
		t.Fatal(err)
	}
	for _, fault := range misfits("result", schema, value) {
		t.Error(fault)
	}
	value.(map[string]any)["verdict"].(map[string]any)["verdict"] = "splendid"
	delete(value.(map[string]any), "digest")
	if got := misfits("result", schema, value); len(got) != 2 {
		t.Errorf("two faults were put in, found %v", got)
	}
}

// misfits lists where a value does not fit the part of JSON Schema that
// resultSchema uses.
func misfits(path string, schema map[string]any, value any) []string {
	var out []string
	if want, ok := schema["const"]; ok && want != value {
		out = append(out, fmt.Sprintf("%s: %v is not %v", path, value, want))
	}
	if words, ok := schema["enum"].([]any); ok && !slices.Contains(words, value) {
		out = append(out, fmt.Sprintf("%s: %v is none of %v", path, value, words))
	}
	types, ok := schema["type"].([]any)
	if !ok && schema["type"] != nil {
		types = []any{schema["type"]}
	}
	if types != nil && !slices.Contains(types, any(typeName(value))) && !(typeName(value) == "number" && slices.Contains(types, any("integer"))) {
		return append(out, fmt.Sprintf("%s: a %s is none of %v", path, typeName(value), types))
	}
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			out = append(out, misfits(fmt.Sprintf("%s[%d]", path, i), schema["items"].(map[string]any), item)...)
		}
	case map[string]any:
		properties := schema["properties"].(map[string]any)
		for key, item := range value {
			below, known := properties[key].(map[string]any)
			if !known {
				out = append(out, path+": unknown key "+key)
				continue
			}
			out = append(out, misfits(path+"."+key, below, item)...)
		}
		for _, key := range schema["required"].([]any) {
			if _, there := value[key.(string)]; !there {
				out = append(out, fmt.Sprintf("%s: %s is missing", path, key))
			}
		}
	}
	return out
}

func typeName(value any) string {
	switch value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}
