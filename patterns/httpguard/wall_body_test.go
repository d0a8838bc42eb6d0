package httpguard

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
)

func bodyOf(src io.ReadCloser, limit int) *body {
	return newBody(&http.Request{Body: src}, limit)
}

// FuzzBody: attempts that each read a part of the body, against the dumb twin:
// the whole text. Every attempt reads the text from its beginning; there is another
// one exactly as long as no more than the limit was read; and the source is closed
// once, after the end.
func FuzzBody(f *testing.F) {
	f.Add("hello", uint8(10), []byte{3, 9, 9})
	f.Add("hello", uint8(3), []byte{2, 3, 1, 9})
	f.Add("hello", uint8(0), []byte{9, 1})
	f.Add("", uint8(1), []byte{0, 1, 2})
	f.Fuzz(func(t *testing.T, whole string, limit uint8, attempts []byte) {
		src := text(whole)
		b := bodyOf(src, int(limit))
		for i, want := range attempts[:min(len(attempts), 16)] {
			if i > 0 && !b.again() {
				if _, err := b.next(); err != errLost {
					t.Fatal("another attempt after all:", err)
				}
				break
			}
			r := must[io.ReadCloser](t)(b.next())
			part := make([]byte, want)
			n, err := io.ReadFull(r, part)
			if string(part[:n]) != whole[:min(int(want), len(whole))] || (err == nil) != (int(want) <= len(whole)) {
				t.Fatalf("attempt %d read %q, %v", i, part[:n], err)
			}
			if kept := src.read <= int(limit) && limit > 0; b.again() != kept {
				t.Fatalf("%d bytes read of %d: again %v", src.read, limit, b.again())
			}
			r.Close()
			r.Close()
		}
		if src.closed != 0 {
			t.Fatal("closed too early")
		}
		b.finish()
		b.finish()
		if src.closed != 1 {
			t.Fatalf("closed %d times", src.closed)
		}
	})
}

// TestBodyIsClosedByTheLastReader: an attempt may still be sending when the call is
// over, and reads on until it closes.
func TestBodyIsClosedByTheLastReader(t *testing.T) {
	src := text("hello")
	b := bodyOf(src, 100)
	first := must[io.ReadCloser](t)(b.next())
	last := must[io.ReadCloser](t)(b.next())
	b.finish()
	if got, err := io.ReadAll(last); string(got) != "hello" || err != nil || src.closed != 0 {
		t.Errorf("%q %v, closed %d", got, err, src.closed)
	}
	if _, err := first.Read(make([]byte, 1)); err != errLost {
		t.Error("an attempt that was given up reads on:", err)
	}
	first.Close()
	if src.closed != 0 {
		t.Error("closed by an attempt that was given up")
	}
	last.Close()
	if src.closed != 1 {
		t.Errorf("closed %d times", src.closed)
	}
}

// TestGivenUpReaderLosesNothing: an attempt is given up while it waits for the
// source. What comes then is read by the next attempt, even above the limit.
func TestGivenUpReaderLosesNothing(t *testing.T) {
	for _, limit := range []int{100, 7} {
		synctest.Test(t, func(t *testing.T) {
			out, in := io.Pipe()
			b := bodyOf(out, limit)
			first := must[io.ReadCloser](t)(b.next())
			go io.ReadAll(first)
			in.Write([]byte("hello "))
			synctest.Wait()
			second := must[io.ReadCloser](t)(b.next())
			got := make(chan []byte)
			go func() {
				all, err := io.ReadAll(second)
				if err != nil {
					t.Error(err)
				}
				got <- all
			}()
			in.Write([]byte("world, "))
			in.Write([]byte("again"))
			in.Close()
			if all := <-got; string(all) != "hello world, again" {
				t.Errorf("%q", all)
			}
			if b.again() != (limit == 100) {
				t.Error("again", b.again())
			}
		})
	}
}

// TestBodyOfGetBody: the request's own body first, copies afterwards; nothing is kept.
func TestBodyOfGetBody(t *testing.T) {
	req := must[*http.Request](t)(http.NewRequest("POST", "http://x", strings.NewReader("hello")))
	b := newBody(req, 0)
	for range 3 {
		r := must[io.ReadCloser](t)(b.next())
		if all, _ := io.ReadAll(r); string(all) != "hello" || !b.again() {
			t.Errorf("%q", all)
		}
	}
	b.finish()
}

// TestNoBody stays none.
func TestNoBody(t *testing.T) {
	for _, src := range []io.ReadCloser{nil, http.NoBody} {
		b := bodyOf(src, 0)
		if r, err := b.next(); r != nil || err != nil || !b.again() {
			t.Error(r, err)
		}
		b.finish()
	}
}

// TestBrokenBodyStaysBroken: an error of the source is every attempt's error.
func TestBrokenBodyStaysBroken(t *testing.T) {
	broken := errors.New("broken")
	b := bodyOf(io.NopCloser(io.MultiReader(bytes.NewReader([]byte("he")), errReader{broken})), 10)
	for range 2 {
		r := must[io.ReadCloser](t)(b.next())
		if all, err := io.ReadAll(r); string(all) != "he" || err != broken {
			t.Errorf("%q %v", all, err)
		}
	}
}

type errReader struct{ err error }

func (e errReader) Read([]byte) (int, error) { return 0, e.err }
