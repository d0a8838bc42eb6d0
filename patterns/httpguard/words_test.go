package httpguard

import (
	"errors"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/resilsim/resilsim/patterns"
)

// TestAFileThatIsSentIsAnAnswer: a handler that copies to its writer, which then reads from
// the file itself, has answered 200.
func TestAFileThatIsSentIsAnAnswer(t *testing.T) {
	heard := &ear{}
	h := guard(t, HandlerConfig{}, func(w http.ResponseWriter, _ *http.Request) {
		if _, reads := w.(io.ReaderFrom); !reads {
			t.Error("the writer does not read by itself")
		}
		// Without its WriterTo, the reader is left to the writer.
		if n, err := io.Copy(w, struct{ io.Reader }{strings.NewReader("an order")}); n != 8 || err != nil {
			t.Errorf("%d, %v", n, err)
		}
	}, heard)
	if w := serve(t, h); w.Code != http.StatusOK || w.Body.String() != "an order" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	if len(heard.heard) != 1 || heard.heard[0].Outcome != patterns.Success {
		t.Errorf("%+v", heard.heard)
	}
}

// TestErrorsKeepWhatTheyAreMadeOf: what gave an attempt up is found in its error, which
// says what it said; and an error that is not sent again is a timeout if it was one.
func TestErrorsKeepWhatTheyAreMadeOf(t *testing.T) {
	err, cause := errors.New("connection reset"), errors.New("overtaken")
	if b := (&because{err, cause}); b.Error() != "connection reset" || !errors.Is(b, err) || !errors.Is(b, cause) {
		t.Errorf("%v", b)
	}
	if u := (&unrepeatable{err: os.ErrDeadlineExceeded, why: "a reason"}); !u.Timeout() || !errors.Is(u, ErrNotRepeatable) || !strings.Contains(u.Error(), "a reason") {
		t.Errorf("%v", u)
	}
	if u := (&unrepeatable{err: err}); u.Timeout() {
		t.Errorf("%v is a timeout", u)
	}
}
