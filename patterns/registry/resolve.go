package registry

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// instance is one name with what the configuration makes of it.
type instance struct {
	name       string
	sharedWith string // "": it has a pipeline of its own
	policies   []pipeline.Policy
}

// resolve checks the names and the configuration and returns the instances,
// sorted by name. It finds every fault but those inside a policy.
func resolve(names []string, c Config) ([]instance, patterns.Faults) {
	var fs patterns.Faults
	all := slices.Sorted(slices.Values(names))
	for i, name := range all {
		switch {
		case name == "" || strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }):
			fs.Add("names", "%q is not one or more printable characters", name)
		case i > 0 && name == all[i-1]:
			fs.Add("names", "%q is there twice", name)
		}
	}
	if len(all) == 0 {
		fs.Add("names", "there are none: name at least one")
	}
	for _, name := range sortedKeys(c.Instances) {
		if !slices.Contains(all, name) {
			fs.Add("instances", "%q is not a name of this registry: %s", name, listed(all))
		}
	}
	c.checkOrder(&fs, "defaults", c.Defaults.Order)
	var out []instance
	for _, name := range slices.Compact(all) {
		out = append(out, c.instance(&fs, all, name))
	}
	return out, fs
}

func (c Config) instance(fs *patterns.Faults, names []string, name string) instance {
	key, in := "instances."+name, c.Instances[name]
	if in.SharedWith != "" {
		c.checkShared(fs, names, name)
		return instance{name: name, sharedWith: in.SharedWith}
	}
	c.checkOrder(fs, key, in.Order)
	have, own := c.Defaults.list(), in.list()
	for _, kind := range in.Without {
		i := slices.IndexFunc(have, func(p pipeline.Policy) bool { return p.Name == kind })
		switch {
		case i < 0:
			fs.Add(key+".without", "%q is not a kind of policy: %s", kind, listed(kinds()))
		case present(own[i]):
			fs.Add(key+".without", "%q is there as well: leave out one of them", kind)
		case !present(have[i]):
			fs.Add(key+".without", "%q is not among the defaults", kind)
		default:
			have[i] = pipeline.Policy{Name: kind}
		}
	}
	for i := range own {
		if present(own[i]) {
			have[i] = own[i]
		}
	}
	order := in.Order
	if len(order) == 0 {
		order = c.Defaults.Order
	}
	return instance{name: name, policies: c.arrange(fs, key, have, order)}
}

// checkShared finds what is wrong with a name that uses another one's pipeline.
func (c Config) checkShared(fs *patterns.Faults, names []string, name string) {
	key, in := "instances."+name, c.Instances[name]
	switch with := in.SharedWith; {
	case with == name:
		fs.Add(key+".sharedWith", "%q is the instance itself", with)
	case !slices.Contains(names, with):
		fs.Add(key+".sharedWith", "%q is not a name of this registry: %s", with, listed(names))
	case c.Instances[with].SharedWith != "":
		fs.Add(key+".sharedWith", "%q has no pipeline of its own: it is shared with %q", with, c.Instances[with].SharedWith)
	}
	if len(in.Order)+len(in.Without) > 0 || slices.ContainsFunc(in.list(), present) {
		fs.Add(key, "what is shared with %q has nothing of its own", in.SharedWith)
	}
}

func (c Config) checkOrder(fs *patterns.Faults, key string, order []string) {
	for i, kind := range order {
		switch {
		case !slices.Contains(kinds(), kind):
			fs.Add(key+".order", "%q is not a kind of policy: %s", kind, listed(kinds()))
		case slices.Contains(order[:i], kind):
			fs.Add(key+".order", "%q is there twice", kind)
		}
	}
}

// arrange puts the policies that there are into the order asked for.
func (c Config) arrange(fs *patterns.Faults, key string, have []pipeline.Policy, order []string) []pipeline.Policy {
	have = slices.DeleteFunc(have, func(p pipeline.Policy) bool { return !present(p) })
	if len(order) == 0 {
		return have
	}
	for _, p := range have {
		if !slices.Contains(order, p.Name) {
			fs.Add(key+".order", "%q is not in it: %s", p.Name, listed(order))
		}
	}
	slices.SortStableFunc(have, func(a, b pipeline.Policy) int {
		return slices.Index(order, a.Name) - slices.Index(order, b.Name)
	})
	return have
}

func kinds() []string {
	var keys []string
	for _, p := range (Policies{}).list() {
		keys = append(keys, p.Name)
	}
	return keys
}

func listed(words []string) string {
	if len(words) == 0 {
		return "there is none"
	}
	return fmt.Sprintf("one of %s", strings.Join(words, ", "))
}
