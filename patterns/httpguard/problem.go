package httpguard

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/resilsim/resilsim/patterns"
	"github.com/resilsim/resilsim/patterns/pipeline"
)

// Problem is a problem document (RFC 9457) for a request that was refused.
type Problem struct {
	// Type is a URI that names the kind of problem; "about:blank": the status does.
	Type string `json:"type"`
	// Title is the short form for people, the same for each problem of a kind.
	Title string `json:"title"`
	// Status is the HTTP status.
	Status int `json:"status"`
	// Detail says what happened to this request.
	Detail string `json:"detail,omitempty"`
	// Instance is a URI that names this one occurrence; optional.
	Instance string `json:"instance,omitempty"`
	// Reason is the refusing pattern's word, as in the accounts of this library: an
	// extension member.
	Reason string `json:"reason,omitempty"`
}

// refusals are the statuses and details of the reasons. What is missing is 503.
var refusals = map[patterns.Reason]struct {
	status int
	detail string
}{
	patterns.BulkheadFull:     {http.StatusServiceUnavailable, "The server does as much as it can at one time."},
	patterns.BulkheadTimeout:  {http.StatusServiceUnavailable, "The request waited for its turn in vain."},
	patterns.Shed:             {http.StatusServiceUnavailable, "The request was dropped to relieve an overload."},
	patterns.LimitReached:     {http.StatusServiceUnavailable, "The server does as much as it can at one time."},
	patterns.RateLimited:      {http.StatusTooManyRequests, "Requests come faster than the limit allows."},
	patterns.DeadlineExceeded: {http.StatusGatewayTimeout, "The time that the caller had left is over."},
	patterns.Cancelled:        {http.StatusServiceUnavailable, "The caller has gone."},
}

// problemOf describes the refusal of a gate.
func problemOf(err error) Problem {
	p := Problem{Type: "about:blank", Status: http.StatusServiceUnavailable, Detail: "The server does not take the request."}
	var refused *pipeline.Error
	if errors.As(err, &refused) {
		p.Reason = refused.Reason.String()
		if known, ok := refusals[refused.Reason]; ok {
			p.Status, p.Detail = known.status, known.detail
		}
	}
	p.Title = http.StatusText(p.Status)
	return p
}

// write sends the document and nothing else.
func (p Problem) write(w http.ResponseWriter) {
	text, err := json.MarshalIndent(p, "", "  ")
	if err != nil {
		panic(err) // strings and a number: there is none
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(p.Status)
	w.Write(append(text, '\n')) // a caller that has gone need not be told
}
