package house

import (
	"net/url"
	"path"
	"regexp"
	"strings"
	"unicode"
)

// link is the target of a link or of an image in a page, in its own words or by
// reference: [text](target), ![text](target "title"), [name]: target.
var link = regexp.MustCompile(`\]\(<?([^()\s<>]*)>?(?:\s+"[^"]*")?\)|^ {0,3}\[[^\]]+\]:\s+<?([^\s<>]+)`)

var codeSpan = regexp.MustCompile("`[^`]*`")

// Links finds links and images of pages that lead to no file or heading of the
// tree. Addresses of other places are not looked at.
func Links(t *Tree) []Breach {
	var out []Breach
	for _, f := range t.Files {
		if path.Ext(f.Path) != ".md" {
			continue
		}
		for i, line := range proseLines(f.Text) {
			for _, m := range link.FindAllStringSubmatch(codeSpan.ReplaceAllString(line, "code"), -1) {
				if why := t.deadEnd(f, m[1]+m[2]); why != "" {
					out = append(out, Breach{f.Path, i + 1, "links", why})
				}
			}
		}
	}
	return out
}

// proseLines are the lines of a page with those of fenced code emptied.
func proseLines(text string) []string {
	lines := strings.Split(text, "\n")
	fence := ""
	for i, line := range lines {
		mark := strings.TrimSpace(line)
		switch {
		case fence == "" && (strings.HasPrefix(mark, "```") || strings.HasPrefix(mark, "~~~")):
			fence, lines[i] = mark[:3], ""
		case fence != "" && strings.HasPrefix(mark, fence):
			fence, lines[i] = "", ""
		case fence != "":
			lines[i] = ""
		}
	}
	return lines
}

// deadEnd says why a target leads nowhere; empty when it does not.
func (t *Tree) deadEnd(from *File, target string) string {
	u, err := url.Parse(target)
	if err != nil {
		return "the link '" + target + "' is no address"
	}
	if u.Scheme != "" || u.Host != "" {
		return ""
	}
	to := from.Path
	if u.Path != "" {
		to = path.Join(from.Dir(), u.Path)
	}
	if strings.HasPrefix(u.Path, "/") || !t.exists(to) {
		return "the link '" + target + "' leads to no file"
	}
	if page := t.page(to); u.Fragment != "" && page != nil && !headings(page)[u.Fragment] {
		return "the link '" + target + "' leads to no heading of " + to
	}
	return ""
}

// exists reports whether there is a file of this path, or one below it.
func (t *Tree) exists(p string) bool {
	if t.There[p] || p == "." {
		return true
	}
	for there := range t.There { // order-free: any will do
		if strings.HasPrefix(there, p+"/") {
			return true
		}
	}
	return false
}

func (t *Tree) page(p string) *File {
	for _, f := range t.Files {
		if f.Path == p && path.Ext(p) == ".md" {
			return f
		}
	}
	return nil
}

// headings are the fragments by which a page's headings are addressed: lower
// case, letters and digits and - and _, spaces as dashes.
func headings(page *File) map[string]bool {
	out := map[string]bool{}
	for _, line := range proseLines(page.Text) {
		text, found := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !found || !strings.HasPrefix(line, "#") {
			continue
		}
		out[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(text))] = true
	}
	return out
}
