package registry

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// File is a configuration as a service's own library reads it, with the instances
// left as they are: Raw is json.RawMessage, yaml.Node or the like. Config then lays each
// over the defaults, setting by setting, so that a file needs to say only what
// is different. What Defaults holds before the file is read is what the file's
// own defaults are laid over.
type File[Raw any] struct {
	Defaults  Policies       `yaml:"defaults" json:"defaults"`
	Instances map[string]Raw `yaml:"instances" json:"instances"`
}

// Config returns the configuration, with decode, the library's function that reads a raw
// value into a pointer. A setting that is null keeps its default; a policy that
// is to go is named by without. The error joins those of all instances.
func (f File[Raw]) Config(decode func(Raw, any) error) (Config, error) {
	c := Config{Defaults: f.Defaults, Instances: map[string]Instance{}}
	var faults []string
	for _, name := range sortedKeys(f.Instances) {
		in, err := f.instance(f.Instances[name], decode)
		if err != nil {
			faults = append(faults, fmt.Sprintf("registry: instances.%s: %v", name, err))
		}
		c.Instances[name] = in
	}
	if faults != nil {
		return Config{}, fmt.Errorf("%s", strings.Join(faults, "\n"))
	}
	return c, nil
}

// instance reads an instance twice: alone, to see which policies it speaks of, and
// over a copy of the defaults. It has those it speaks of, as the second reading has them.
func (f File[Raw]) instance(raw Raw, decode func(Raw, any) error) (Instance, error) {
	var alone Instance
	if err := decode(raw, &alone); err != nil {
		return Instance{}, err
	}
	defaults, err := f.Defaults.clone()
	if err != nil {
		return Instance{}, err
	}
	over := Instance{Policies: defaults}
	if err := decode(raw, &over); err != nil {
		return Instance{}, err
	}
	alone.Policies = alone.Policies.where(over.Policies)
	return alone, nil
}

// where returns the policies of full whose kinds p has.
func (p Policies) where(full Policies) Policies {
	out := Policies{Order: p.Order}
	take(&out.Fallback, p.Fallback, full.Fallback)
	take(&out.CallTimeout, p.CallTimeout, full.CallTimeout)
	take(&out.Retry, p.Retry, full.Retry)
	take(&out.Hedge, p.Hedge, full.Hedge)
	take(&out.CircuitBreaker, p.CircuitBreaker, full.CircuitBreaker)
	take(&out.Throttle, p.Throttle, full.Throttle)
	take(&out.RateLimiter, p.RateLimiter, full.RateLimiter)
	take(&out.AdaptiveLimit, p.AdaptiveLimit, full.AdaptiveLimit)
	take(&out.Bulkhead, p.Bulkhead, full.Bulkhead)
	take(&out.QueuedBulkhead, p.QueuedBulkhead, full.QueuedBulkhead)
	take(&out.ThreadPoolBulkhead, p.ThreadPoolBulkhead, full.ThreadPoolBulkhead)
	take(&out.Timeout, p.Timeout, full.Timeout)
	return out
}

func take[T any](out **T, if_, from *T) {
	if if_ != nil {
		*out = from
	}
}

// clone copies policies with all that they point to, by way of their text: reading an
// instance over them must not change the defaults.
func (p Policies) clone() (out Policies, err error) {
	text, err := json.Marshal(p)
	if err == nil {
		err = json.Unmarshal(text, &out)
	}
	if err != nil {
		return Policies{}, fmt.Errorf("the defaults cannot be written: %w", err)
	}
	return out, nil
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
