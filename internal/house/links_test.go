package house

import (
	"fmt"
	"testing"
)

// TestALinkThatLeadsNowhereIsCaught writes links of each form, to what is there and
// to what is not; the tree holds a page, a figure's source and a directory.
func TestALinkThatLeadsNowhereIsCaught(t *testing.T) {
	for _, c := range []struct {
		body string
		want []int
	}{
		{"[a](b.md) ![f](figures/f.svg)\n[up](../README.md) [dir](../sim/) [self](a.md)\n", nil},
		{"Fine.\n[a](c.md)\n![f](figures/g.svg) and [b](b.md) and [c](../b.md)\n", []int{2, 3, 3}},
		{"[a](b.md#a-heading-of-its-own_1) [a](b.md#nowhere) [here](#top) [there](#bottom)\n# Top\n", []int{1, 1}},
		{"[root](/docs/b.md)\n[up](../../b.md)\n", []int{1, 2}},
		{"[web](https://example.org/x.md) [mail](mailto:x@example.org)\n", nil},
		{"[x][1] and ![y](c.png \"a title\")\n\n[1]: c.md\n[2]: b.md\n", []int{1, 3}},
		{"`[a](c.md)`\n```sh\n[a](c.md)\n```\n~~~\n[a](c.md)\n~~~\n[a](c.md)\n", []int{8}},
		{"[![badge](c.svg)](b.md)\n", []int{1}},
		{"[a](<b.md>) [a](b%2Emd) [a](%zz)\n", []int{1}},
	} {
		tree := Parse(map[string]string{"docs/a.md": c.body, "docs/b.md": "# B\n\n## A `heading`, of its own_1\n", "README.md": "", "sim/a.go": "package sim\n"})
		tree.There["docs/figures/f.svg"] = true
		var got []int
		for _, b := range Breaches(tree, "links") {
			if b.Rule != "links" || b.Path != "docs/a.md" {
				t.Errorf("%v", b)
			}
			got = append(got, b.Line)
		}
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("breaches at %v, want %v in\n%s", got, c.want, c.body)
		}
	}
}

// TestOnlyPagesAreReadForLinks has a link to nowhere in a source, where it is data.
func TestOnlyPagesAreReadForLinks(t *testing.T) {
	expect(t, []source{
		{"links", "sim/a.go", "package p\n// [a](c.md)\n", nil},
		{"links", "README.md", "[a](c.md)\n", []int{1}},
	})
}
