package main

import (
	"encoding/json"
	"reflect"
	"strings"

	"github.com/resilsim/resilsim/sim/result"
)

// verdicts are the words that stand under "verdict".
var verdicts = []result.VerdictWord{result.Stable, result.Recovered, result.Rescued,
	result.Metastable, result.Overloaded, result.Undecided}

// resultSchema is the JSON Schema of result.json, read off the type that is written.
func resultSchema() ([]byte, error) {
	schema := describe(reflect.TypeFor[result.Result]())
	schema["$schema"] = "http://json-schema.org/draft-07/schema#"
	schema["title"] = "resilsim result"
	schema["properties"].(map[string]any)["schemaVersion"] = map[string]any{"const": result.SchemaVersion}
	text, err := json.MarshalIndent(schema, "", "  ")
	return append(text, '\n'), err
}

// describe translates one type. It knows the kinds that a result is made of.
func describe(t reflect.Type) map[string]any {
	switch t.Kind() {
	case reflect.Pointer:
		inner := describe(t.Elem())
		if t.Elem().Kind() == reflect.Struct {
			return inner
		}
		inner["type"] = []any{inner["type"], "null"}
		return inner
	case reflect.Slice:
		return map[string]any{"type": "array", "items": describe(t.Elem())}
	case reflect.Struct:
		return describeStruct(t)
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.String:
		if t == reflect.TypeFor[result.VerdictWord]() {
			return map[string]any{"type": "string", "enum": verdicts}
		}
		return map[string]any{"type": "string"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Uint64:
		return map[string]any{"type": "integer", "minimum": 0}
	case reflect.Int:
		return map[string]any{"type": "integer"}
	default:
		panic("a result holds a kind of value that its schema does not know: " + t.String())
	}
}

func describeStruct(t reflect.Type) map[string]any {
	properties := map[string]any{}
	required := []string{}
	for _, f := range reflect.VisibleFields(t) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "-" || !f.IsExported() {
			continue
		}
		if name == "" {
			name = f.Name
		}
		properties[name] = describe(f.Type)
		if !strings.Contains(options, "omitempty") {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}
