package scenario

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// languageServer finds yaml-language-server: RESILSIM_YAMLLS names it, or it is
// on the path, or npm put it beside the module. Empty: not on this machine.
func languageServer() string {
	if at := os.Getenv("RESILSIM_YAMLLS"); at != "" {
		return at
	}
	if at, err := exec.LookPath("yaml-language-server"); err == nil {
		return at
	}
	local := filepath.Join("..", "..", "node_modules", ".bin", "yaml-language-server")
	if _, err := os.Stat(local); err == nil {
		return local
	}
	return ""
}

// client speaks the Language Server Protocol over a pipe, one thing at a time.
type client struct {
	t    *testing.T
	in   io.WriteCloser
	out  *textproto.Reader
	next int
}

type message struct {
	ID     json.RawMessage `json:"id,omitempty"`
	Method string          `json:"method,omitempty"`
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"`
	Error  json.RawMessage `json:"error,omitempty"`
}

func startServer(t *testing.T, at string) *client {
	ctx, cancel := context.WithCancel(t.Context())
	cmd := exec.CommandContext(ctx, at, "--stdio")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%s: %v", at, err)
	}
	t.Cleanup(func() {
		cancel()
		_ = cmd.Wait() // it was told to end: how it does is of no interest
	})
	c := &client{t: t, in: in, out: textproto.NewReader(bufio.NewReader(out))}
	c.ask("initialize", object{"processId": nil, "rootUri": nil, "capabilities": object{
		"textDocument": object{"completion": object{"completionItem": object{"snippetSupport": true}}, "hover": object{"contentFormat": []string{"markdown"}}}}})
	c.tell("initialized", object{})
	c.tell("workspace/didChangeConfiguration", object{"settings": object{"yaml": object{
		"validate": true, "completion": true, "hover": true, "schemaStore": object{"enable": false}}}})
	return c
}

func (c *client) write(m object) {
	c.t.Helper()
	m["jsonrpc"] = "2.0"
	body, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(c.in, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) tell(method string, params object) {
	c.t.Helper()
	c.write(object{"method": method, "params": params})
}

func (c *client) ask(method string, params object) json.RawMessage {
	c.t.Helper()
	c.next++
	c.write(object{"id": c.next, "method": method, "params": params})
	for {
		m := c.read()
		if m.Method == "" && string(m.ID) == strconv.Itoa(c.next) {
			if len(m.Error) > 0 {
				c.t.Fatalf("%s: %s", method, m.Error)
			}
			return m.Result
		}
	}
}

// read returns the next message; what the server asks of its editor is answered
// with nothing.
func (c *client) read() message {
	c.t.Helper()
	head, err := c.out.ReadMIMEHeader()
	if err != nil {
		c.t.Fatalf("the server ended: %v", err)
	}
	size, err := strconv.Atoi(head.Get("Content-Length"))
	if err != nil {
		c.t.Fatal(err)
	}
	body := make([]byte, size)
	if _, err := io.ReadFull(c.out.R, body); err != nil {
		c.t.Fatal(err)
	}
	var m message
	if err := json.Unmarshal(body, &m); err != nil {
		c.t.Fatal(err)
	}
	if m.Method != "" && len(m.ID) > 0 {
		c.write(object{"id": m.ID, "result": nil})
	}
	return m
}

type diagnostic struct {
	Range struct {
		Start struct{ Line, Character int }
	}
	Message string
}

// document is what an editor has open.
type document struct{ uri, text string }

// open shows documents and returns what the server finds in each. All are
// shown before the first is waited for: the server lets each rest a while.
func (c *client) open(docs ...document) map[string][]diagnostic {
	c.t.Helper()
	for _, d := range docs {
		c.tell("textDocument/didOpen", object{"textDocument": object{"uri": d.uri, "languageId": "yaml", "version": 1, "text": d.text}})
	}
	found := map[string][]diagnostic{}
	for len(found) < len(docs) {
		m := c.read()
		if m.Method != "textDocument/publishDiagnostics" {
			continue
		}
		var p struct {
			URI         string
			Diagnostics []diagnostic
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			c.t.Fatal(err)
		}
		found[p.URI] = p.Diagnostics
	}
	return found
}

func at(uri string, line, character int) object {
	return object{"textDocument": object{"uri": uri}, "position": object{"line": line, "character": character}}
}

const modeline = "# yaml-language-server: $schema=./scenario.schema.json\n"

// The schema is shown to the server that editors use: every scenario that the
// reader accepts is clean there, every fault that a schema can see is underlined
// in its line, the keys are offered and explained. A workflow must have the
// server; elsewhere its absence is logged.
func TestEditorsUnderstandTheSchema(t *testing.T) {
	server := languageServer()
	if server == "" {
		if os.Getenv("CI") != "" {
			t.Fatal("yaml-language-server is missing; name it in RESILSIM_YAMLLS")
		}
		t.Log("yaml-language-server is not on this machine: the schema was not shown to it")
		return
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "scenario.schema.json"), Schema(), 0o644); err != nil {
		t.Fatal(err)
	}
	c := startServer(t, server)
	uri := func(name string) string { return "file://" + filepath.ToSlash(filepath.Join(dir, name+".yaml")) }

	clean(t, c, uri)
	underlined(t, c, uri)
	editing(t, c, uri("editing"))
}

// clean shows all that the reader accepts, as written and resolved.
func clean(t *testing.T, c *client, uri func(string) string) {
	var docs []document
	for _, s := range stories(t) {
		sc := must(t, s.name, s.text, Options{Resolve: s.resolve})
		docs = append(docs, document{uri("good-" + s.name), modeline + string(s.text)},
			document{uri("resolved-" + s.name), modeline + string(Marshal(sc))})
	}
	for at, found := range c.open(docs...) {
		for _, d := range found {
			t.Errorf("%s:%d: %s", at, d.Range.Start.Line, d.Message)
		}
	}
}

// underlined shows files with faults that a schema can see.
func underlined(t *testing.T, c *client, uri func(string) string) {
	names := []string{"unknown-key", "unknown-key-far", "unit-missing", "unit-unknown", "switches", "words", "numbers", "share-out-of-range",
		"wrong-kind", "choices", "operators", "bad-names", "extends-and-more", "set-without-extends"}
	var docs []document
	for _, name := range names {
		docs = append(docs, document{uri("bad-" + name), modeline + string(file(t, "bad/"+name+".yaml"))})
	}
	found := c.open(docs...)
	for _, name := range names {
		lines := map[int]bool{}
		for _, d := range found[uri("bad-"+name)] {
			lines[d.Range.Start.Line] = true
		}
		if len(lines) == 0 {
			t.Errorf("%s: nothing is underlined", name)
		}
		_, report := Load(name, file(t, "bad/"+name+".yaml"), Options{Resolve: resolve})
		for _, f := range report.Faults {
			// The modeline is one line more; the server counts lines from 0.
			if !lines[f.Line] && schemaSees(f) {
				t.Errorf("%s:%d: not underlined: %s", name, f.Line, f.Message)
			}
		}
	}
}

// schemaSees tells faults within one place from those between two, and from
// numbers that YAML itself turns into others.
func schemaSees(f Finding) bool {
	for _, beyond := range []string{"circle", "no circuit breaker", "breakers are held", "attempts are refused", "leading zero", "0x10", "'0%'"} {
		if strings.Contains(f.Message, beyond) {
			return false
		}
	}
	return true
}

func editing(t *testing.T, c *client, uri string) {
	text := modeline + string(file(t, "good/plain.yaml"))
	text = strings.Replace(text, "    - retry: {maxAttempts: 3}\n", "    - retry:\n        waitDuration: 1s\n        ma\n", 1)
	c.open(document{uri, text})
	line := strings.Count(text[:strings.Index(text, "        ma\n")], "\n")
	if got := c.ask("textDocument/completion", at(uri, line, 10)); !strings.Contains(string(got), `"maxAttempts"`) {
		t.Errorf("maxAttempts is not offered: %.600s", got)
	}
	if got := c.ask("textDocument/hover", at(uri, line-1, 12)); !strings.Contains(string(got), "ait before the first retry") {
		t.Errorf("waitDuration is not explained: %.600s", got)
	}
}
