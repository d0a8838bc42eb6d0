package scenario

import (
	"strconv"
	"strings"
	"time"
)

// Options change what is loaded, as the flags of the command do.
type Options struct {
	// Set holds "path=value" texts, applied in order after everything else.
	Set []string
	// Resolve finds the text of a scenario by name, for `extends`. Nil: none.
	Resolve func(name string) ([]byte, error)
	// Data reads a data file that the scenario names, by its path relative to the
	// scenario's file; ReadData does the work. Nil: there are none.
	Data func(path string) ([]byte, error)
	// Duration and Seed replace the file's, when not nil.
	Duration *time.Duration
	Seed     *uint64
}

// Load reads a scenario. It returns nil when the report has faults; warnings
// alone do not stop it. name is what the report calls the file. Load never
// panics and its cost is bounded, whatever src holds.
func Load(name string, src []byte, opt Options) (*Scenario, *Report) {
	l := loader{opt: opt, fs: &findings{}}
	root := l.read(name, src, []string{})
	if root == nil {
		return nil, l.fs.report()
	}
	l.flags(root)
	c := checker{fs: l.fs}
	v := c.check(root, language, "")
	if v == nil {
		return nil, l.fs.report()
	}
	b := builder{fs: l.fs, root: v, data: l.opt.Data}
	sc := b.build()
	if l.extends != "" {
		sc.Extends, sc.Differs, sc.Changed = l.extends, l.differs, nil
	}
	l.trace(sc)
	if l.fs.faults() > 0 {
		return nil, l.fs.report()
	}
	return sc, l.fs.report()
}

type loader struct {
	opt     Options
	fs      *findings
	extends string
	differs []string
	// told are the changes of the command line, as a path and a value each; the
	// first sets of them by --set.
	told [][2]string
	sets int
}

// read parses one file and, when it extends another, the other one below it.
func (l *loader) read(name string, text []byte, chain []string) *node {
	root := parse(newSource(name, text), text, l.fs)
	if root == nil {
		return nil
	}
	if root.kind != mappingNode {
		l.fs.fault(root.pos, "", "a scenario begins with 'version: 1'", "a scenario must be a mapping; found %s", root.kind)
		return nil
	}
	if root.find("extends") < 0 {
		return root
	}
	c := checker{fs: l.fs}
	if v := c.check(root, sibling, ""); v.get("extends") == nil {
		return nil
	}
	return l.extend(root, chain)
}

// extend puts a sibling on top of the scenario that it extends.
func (l *loader) extend(root *node, chain []string) *node {
	base := root.child("extends")
	for _, seen := range chain {
		if seen == base.text {
			l.fs.fault(base.pos, "extends", "", "'%s' extends itself: %s", base.text, strings.Join(append(chain, base.text), ", "))
			return nil
		}
	}
	if len(chain) >= MaxExtends {
		l.fs.fault(base.pos, "extends", "", "more than %d scenarios extend each other", MaxExtends)
		return nil
	}
	if l.opt.Resolve == nil {
		l.fs.fault(base.pos, "extends", "", "there is no scenario '%s' to extend here", clip(base.text))
		return nil
	}
	text, err := l.opt.Resolve(base.text)
	if err != nil {
		l.fs.fault(base.pos, "extends", err.Error(), "the scenario '%s' cannot be read", clip(base.text))
		return nil
	}
	file := base.text
	if !strings.HasSuffix(file, ".yaml") && !strings.HasSuffix(file, ".yml") {
		file += ".yaml"
	}
	out := l.read(file, text, append(chain, base.text))
	if out == nil {
		return nil
	}
	for i, k := range root.keys {
		if k != "extends" && k != "set" && sibling.key(k) != nil {
			out.put(k, root.keyPos[i], root.items[i])
		}
	}
	l.extends, l.differs = base.text, nil
	l.applySet(out, root.child("set"))
	return out
}

func (l *loader) applySet(out, set *node) {
	if set == nil || set.null || set.refused {
		return
	}
	if set.kind != mappingNode {
		l.fs.fault(set.pos, "set", "for example 'pipelines.payments-client.retry.maxAttempts: 2'", "'set' must be a mapping from paths to values; found %s", set.kind)
		return
	}
	for i, path := range set.keys {
		l.differs = append(l.differs, path+": "+flow(set.items[i]))
		setPath(out, path, set.keyPos[i], set.items[i], l.fs)
	}
}

// flags applies what the command line says.
func (l *loader) flags(root *node) {
	for _, text := range l.opt.Set {
		if path, item := setText(root, "--set", text, l.fs); item != nil {
			l.told = append(l.told, [2]string{path, flow(item)})
		}
	}
	l.sets = len(l.told)
	if d := l.opt.Duration; d != nil {
		l.setFlag(root, "duration", briefly(*d))
	}
	if s := l.opt.Seed; s != nil {
		l.setFlag(root, "seed", strconv.FormatUint(*s, 10))
	}
}

// setFlag sets a key as its own flag says. What the file says too is no difference.
func (l *loader) setFlag(root *node, key, text string) {
	src := &source{name: "--" + key, lines: []string{text}}
	at := pos{src: src, line: 1, col: 1, width: width(text)}
	old := ""
	if n := root.child(key); n != nil {
		old = n.text
	}
	if d, err := time.ParseDuration(old); err == nil {
		old = briefly(d)
	}
	if old != text {
		l.told = append(l.told, [2]string{key, text})
	}
	root.put(key, at, &node{text: text, pos: at})
}

// briefly writes a duration as a file would: 10m, not 10m0s.
func briefly(d time.Duration) string {
	text := d.String()
	if short, cut := strings.CutSuffix(text, "m0s"); cut {
		text = short + "m"
	}
	if short, cut := strings.CutSuffix(text, "h0m"); cut {
		text = short + "h"
	}
	return text
}

// trace puts the changes of the command line where a reader of the result finds
// them, after those that the files say.
func (l *loader) trace(sc *Scenario) {
	for i, t := range l.told {
		sc.Differs = append(sc.Differs, t[0]+": "+t[1])
		if i < l.sets {
			sc.Changed = append(sc.Changed, t[0]+"="+t[1])
		}
	}
}

// flow writes a node on one line, for a reader: a long one is cut.
func flow(n *node) string {
	var b strings.Builder
	writeFlow(&b, n)
	return clip(b.String())
}

// flowMax is how much of a value is written: more than the reader is shown.
const flowMax = 1000

func writeFlow(b *strings.Builder, n *node) {
	if b.Len() > flowMax {
		return
	}
	switch n.kind {
	case scalarNode:
		if n.null {
			b.WriteString("null")
			return
		}
		b.WriteString(n.text[:min(len(n.text), flowMax)])
	case listNode:
		b.WriteString("[")
		for i, item := range n.items {
			if i > 0 {
				b.WriteString(", ")
			}
			writeFlow(b, item)
		}
		b.WriteString("]")
	case mappingNode:
		b.WriteString("{")
		for i, item := range n.items {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(n.keys[i] + ": ")
			writeFlow(b, item)
		}
		b.WriteString("}")
	}
}
