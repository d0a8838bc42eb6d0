package httpguard

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"

	"github.com/resilsim/resilsim/patterns"
)

// seen is a ResponseWriter that notes how the handler answered.
type seen struct {
	http.ResponseWriter
	status   int // 0: none yet
	hijacked bool
}

// as returns the writer with the abilities that handlers look for in the original.
// All others are found by http.ResponseController.
func (s *seen) as() http.ResponseWriter {
	_, flushes := s.ResponseWriter.(http.Flusher)
	_, hijacks := s.ResponseWriter.(http.Hijacker)
	switch {
	case flushes && hijacks:
		return struct {
			flusher
			http.Hijacker
		}{flusher{s}, hijacker{s}}
	case flushes:
		return flusher{s}
	case hijacks:
		return hijacker{s}
	}
	return s
}

// Unwrap is for http.ResponseController.
func (s *seen) Unwrap() http.ResponseWriter { return s.ResponseWriter }

// WriteHeader notes the status; those below 200 are not the answer, except 101.
func (s *seen) WriteHeader(code int) {
	if s.status == 0 && (code >= 200 || code == http.StatusSwitchingProtocols) {
		s.status = code
	}
	s.ResponseWriter.WriteHeader(code)
}

// Write answers 200 if there was no status.
func (s *seen) Write(p []byte) (int, error) {
	s.answered()
	return s.ResponseWriter.Write(p)
}

// ReadFrom lets a file be sent without copying it, if the original can.
func (s *seen) ReadFrom(r io.Reader) (int64, error) {
	s.answered()
	return io.Copy(s.ResponseWriter, r)
}

func (s *seen) answered() {
	if s.status == 0 {
		s.status = http.StatusOK
	}
}

// result is what the gate hears of a handler that has returned.
func (s *seen) result(ctx context.Context) patterns.Result {
	switch {
	case s.hijacked || s.status == http.StatusSwitchingProtocols:
		return patterns.Result{Outcome: patterns.Ignored}
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return patterns.Result{Outcome: patterns.Failure, Reason: patterns.DeadlineExceeded}
	case ctx.Err() != nil:
		return patterns.Result{Outcome: patterns.Ignored, Reason: patterns.Cancelled}
	case s.status == http.StatusServiceUnavailable || s.status == http.StatusTooManyRequests:
		return patterns.Result{Outcome: patterns.Failure, Reason: patterns.Rejected}
	case s.status >= 500:
		return patterns.Result{Outcome: patterns.Failure, Reason: patterns.Failed}
	}
	return patterns.Result{Outcome: patterns.Success}
}

type flusher struct{ *seen }

// Flush sends what there is.
func (f flusher) Flush() { f.FlushError() }

// FlushError is for http.ResponseController.
func (f flusher) FlushError() error {
	f.answered()
	return http.NewResponseController(f.ResponseWriter).Flush()
}

type hijacker struct{ *seen }

// Hijack takes the connection over.
func (h hijacker) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	conn, rw, err := h.ResponseWriter.(http.Hijacker).Hijack()
	h.hijacked = h.hijacked || err == nil
	return conn, rw, err
}
