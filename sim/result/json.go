package result

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
)

// WriteJSON writes result.json: two spaces of indent, keys in the order of the
// types. Lists are never null. A number that JSON cannot say (NaN, infinity) is
// an error.
func (r *Result) WriteJSON(w io.Writer) error {
	full := *r
	full.SteadyState = filled(full.SteadyState)
	full.Expectations = filled(full.Expectations)
	full.Accounts = filled(full.Accounts)
	for i := range full.Accounts {
		if full.Accounts[i].Reasons == nil {
			full.Accounts = append([]Account{}, full.Accounts...)
			full.Accounts[i].Reasons = []Count{}
		}
	}
	full.Latency = filled(full.Latency)
	full.Timeline = filled(full.Timeline)
	full.Windows = filled(full.Windows)
	full.Scopes = filled(full.Scopes)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(&full); err != nil {
		return fmt.Errorf("result: result.json: %w", err)
	}
	return nil
}

func filled[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// ReadJSON reads result.json. Series, Histograms and Spec are not in it. The error
// of a newer schema names both versions.
func ReadJSON(src []byte) (*Result, error) {
	var head struct {
		SchemaVersion int `json:"schemaVersion"`
	}
	if err := json.Unmarshal(src, &head); err != nil {
		return nil, fmt.Errorf("result: result.json: %w", err)
	}
	if head.SchemaVersion != SchemaVersion {
		return nil, fmt.Errorf("result: result.json has schemaVersion %d, this program reads %d", head.SchemaVersion, SchemaVersion)
	}
	var r Result
	if err := json.NewDecoder(bytes.NewReader(src)).Decode(&r); err != nil {
		return nil, fmt.Errorf("result: result.json: %w", err)
	}
	return &r, nil
}
