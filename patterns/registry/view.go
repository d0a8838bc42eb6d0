package registry

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// View returns a handler that shows the registry and changes nothing: as JSON, or as
// a plain text page for ?format=text and for who accepts text/plain but not JSON. With
// ?name= it shows one name; an unlisted one is 404. GET and HEAD only.
//
// It says which dependencies there are and how they are: give it to those who may
// know.
func View(r *Registry) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if q.Method != http.MethodGet && q.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			problem(w, http.StatusMethodNotAllowed, "Only GET and HEAD are answered here.")
			return
		}
		s := r.Snapshot()
		if q.URL.Query().Has("name") {
			name := q.URL.Query().Get("name")
			if _, ok := r.instances[name]; !ok {
				problem(w, http.StatusNotFound, "There is no instance of that name.")
				return
			}
			s.Instances = []InstanceSnapshot{r.shown(r.instances[name])}
		}
		switch format(q) {
		case "json":
			show(w, q, http.StatusOK, s)
		case "text":
			var b bytes.Buffer
			_ = s.WriteText(&b) // a buffer takes all
			answer(w, q, http.StatusOK, "text/plain; charset=utf-8", b.Bytes())
		default:
			problem(w, http.StatusBadRequest, "format is json or text.")
		}
	})
}

func format(q *http.Request) string {
	if f := q.URL.Query().Get("format"); f != "" {
		return f
	}
	accept := strings.Join(q.Header.Values("Accept"), ",")
	if strings.Contains(accept, "text/plain") && !strings.Contains(accept, "application/json") {
		return "text"
	}
	return "json"
}

// show answers with a value as JSON.
func show(w http.ResponseWriter, q *http.Request, status int, v any) {
	text, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		problem(w, http.StatusInternalServerError, "The answer cannot be written.")
		return
	}
	answer(w, q, status, "application/json", append(text, '\n'))
}

// answer writes a whole response; to HEAD without its body.
func answer(w http.ResponseWriter, q *http.Request, status int, kind string, body []byte) {
	h := w.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Add("Vary", "Accept")
	w.WriteHeader(status)
	if q.Method != http.MethodHead {
		w.Write(body) // a caller that has gone need not be told
	}
}

// problem writes a problem document (RFC 9457).
func problem(w http.ResponseWriter, status int, detail string) {
	text, err := json.Marshal(struct {
		Type   string `json:"type"`
		Title  string `json:"title"`
		Status int    `json:"status"`
		Detail string `json:"detail"`
	}{"about:blank", http.StatusText(status), status, detail})
	if err != nil {
		panic(err) // strings and a number: there is none
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	w.Write(append(text, '\n'))
}
