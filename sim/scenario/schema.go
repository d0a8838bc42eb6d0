package scenario

import (
	"bytes"
	"encoding/json"
	"strings"
)

// Schema returns the JSON Schema (draft-07) of a scenario file, for completion
// and diagnostics in editors. It is generated from the table that Load reads
// by; what depends on two places of a file (names, circles, instants) is
// beyond it.
func Schema() []byte {
	s := schemaWriter{definitions: map[string]any{}}
	root := object{
		"$schema":     "http://json-schema.org/draft-07/schema#",
		"$id":         "https://github.com/resilsim/resilsim/scenario.schema.json",
		"title":       "resilsim scenario",
		"description": language.about,
		"if":          object{"required": []string{"extends"}},
		"then":        s.shape(sibling),
		"else":        s.shape(language),
		"definitions": s.definitions,
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic("scenario: the table of the language is not plain data: " + err.Error())
	}
	return out.Bytes()
}

type object = map[string]any

const (
	numberPattern   = `[-+]?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]{1,3})?`
	durationPattern = `^\+?(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))+$|^0$`
	namePattern     = `^[A-Za-z][A-Za-z0-9_-]{0,63}$`
)

type schemaWriter struct {
	definitions object
}

// slug makes the name of a definition: "Half open" becomes "half-open".
func slug(title string) string {
	return strings.ReplaceAll(strings.ToLower(title), " ", "-")
}

func (w *schemaWriter) shape(s *shape) object {
	switch s.kind {
	case mappingShape:
		w.define(s)
		return object{"$ref": "#/definitions/" + slug(s.title)}
	case namedShape:
		return object{"type": "object", "propertyNames": object{"pattern": namePattern}, "additionalProperties": w.shape(s.elem)}
	case listShape:
		out := object{"type": "array", "items": w.shape(s.elem)}
		if s.least > 0 {
			out["minItems"] = s.least
		}
		return out
	case unionShape:
		var any []object
		for _, a := range s.alts {
			any = append(any, w.shape(a))
		}
		return object{"anyOf": any}
	}
	return scalarSchema(s)
}

func (w *schemaWriter) define(s *shape) {
	name := slug(s.title)
	if _, done := w.definitions[name]; done {
		return
	}
	w.definitions[name] = object{} // taken, while its keys are written
	properties, patterns, required := object{}, object{}, []string{}
	for _, k := range s.keys {
		if k.pattern != nil {
			patterns[k.pattern.String()] = w.key(k)
			continue
		}
		properties[k.name] = w.key(k)
		if k.need {
			required = append(required, k.name)
		}
	}
	out := object{"type": "object", "title": s.title, "description": s.about, "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		out["required"] = required
	}
	if one := s.oneOf(); len(one) > 0 {
		out["oneOf"] = one
	}
	if s == language || s == sibling {
		patterns["^x-"] = object{}
	}
	if len(patterns) > 0 {
		out["patternProperties"] = patterns
	}
	w.definitions[name] = out
}

// oneOf says which choices exclude each other. Those of a pattern are there when the
// others are not, and the others stand alone: a schema cannot ask for a property by
// its pattern.
func (s *shape) oneOf() []object {
	var one []object
	for _, c := range s.choices() {
		if s.own(c).pattern == nil {
			one = append(one, object{"required": []string{c}})
		}
	}
	if len(one) == len(s.choices()) {
		return one
	}
	others := object{"minProperties": 2, "not": object{"anyOf": append([]object{}, one...)}}
	for i, c := range one {
		one[i] = object{"required": c["required"], "maxProperties": 1}
	}
	return append(one, others)
}

func (w *schemaWriter) key(k key) object {
	s := w.shape(k.shape)
	if _, isRef := s["$ref"]; isRef {
		s = object{"allOf": []object{s}} // beside $ref, draft-07 reads nothing
	}
	s["description"] = k.describe()
	if k.shape.example != "" && k.shape.kind != mappingShape {
		s["examples"] = []string{k.shape.example}
	}
	return s
}

// describe is what an editor shows for a key.
func (k key) describe() string {
	text := sentence(k.meaning)
	if r := k.shape.rangeWords(); r != "" {
		text += " " + sentence(r)
	}
	if k.dflt != "" {
		text += " Default: " + k.dflt + "."
	}
	if k.elsewhere != "" {
		text += " Elsewhere: " + k.elsewhere + "."
	}
	return text
}

func sentence(s string) string {
	if s == "" {
		return ""
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}

// rangeWords says what values may stand there: kind, range, words.
func (s *shape) rangeWords() string {
	switch s.kind {
	case wordShape:
		return "one of " + strings.Join(s.words, ", ")
	case durationShape, rateShape, shareShape, percentShape, countShape, numberShape, windowShape:
		return s.name + ", " + s.bounds()
	case unionShape, refShape, switchShape, textShape:
		return s.name
	case listShape:
		if s.elem.kind == wordShape {
			return "a list of " + strings.Join(s.elem.words, ", ")
		}
		return "a list"
	}
	return ""
}

func scalarSchema(s *shape) object {
	switch s.kind {
	case durationShape:
		return object{"type": []string{"string", "integer"}, "pattern": durationPattern, "minimum": 0, "maximum": 0}
	case rateShape:
		if s.bare {
			return object{"type": []string{"string", "number"}, "pattern": "^" + numberPattern + "/(s|m|h)$", "minimum": s.lo}
		}
		return object{"type": "string", "pattern": "^" + numberPattern + "/(s|m|h)$"}
	case shareShape, percentShape:
		return s.limit(object{"type": []string{"number", "string"}, "pattern": s.partPattern()})
	case countShape:
		whole := s.limit(object{"type": "integer"})
		if len(s.words) > 0 {
			return object{"anyOf": []object{whole, {"enum": s.words}}}
		}
		return whole
	case windowShape:
		return object{"type": []string{"integer", "string"}, "minimum": s.lo, "maximum": s.hi, "pattern": durationPattern}
	case numberShape:
		return s.limit(object{"type": "number"})
	case switchShape:
		return object{"type": "boolean"}
	case wordShape:
		return object{"enum": s.words}
	case anyShape:
		return object{"type": "object"}
	case textShape:
		if s.named {
			return object{"type": "string", "pattern": namePattern}
		}
		return object{"type": []string{"string", "number", "boolean"}}
	}
	return object{"type": "string"}
}

// partPattern is that of a share or a percentage written as a text.
func (s *shape) partPattern() string {
	const percents = `(100(\.0+)?|[0-9]{1,2}(\.[0-9]+)?)`
	switch {
	case s.kind == percentShape:
		return "^" + percents + " *%?$"
	case s.hi == 1:
		return "^(" + percents + ` *%|0(\.[0-9]+)?|1(\.0+)?)$`
	}
	return "^" + numberPattern + " *%?$"
}

func (s *shape) limit(out object) object {
	if s.below {
		out["exclusiveMaximum"] = s.hi
	} else {
		out["maximum"] = s.hi
	}
	if s.above {
		out["exclusiveMinimum"] = s.lo
	} else {
		out["minimum"] = s.lo
	}
	return out
}
