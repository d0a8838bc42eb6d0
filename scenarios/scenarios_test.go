package scenarios

import (
	"bytes"
	"errors"
	"sort"
	"testing"
)

// Every listed name can be read, with and without its ending, and the text
// calls itself by that name.
func TestEveryListedScenarioCanBeRead(t *testing.T) {
	names := List()
	if len(names) == 0 || !sort.StringsAreSorted(names) {
		t.Errorf("%q", names)
	}
	for _, name := range names {
		text, err := Read(name)
		if err != nil {
			t.Error(err)
		}
		if !bytes.Contains(text, []byte("\nscenario: "+name+"\n")) {
			t.Errorf("%s calls itself differently", name)
		}
		if text[0] != '#' {
			t.Errorf("%s has no opening comment", name)
		}
		if again, err := Read(name + ".yaml"); err != nil || !bytes.Equal(text, again) {
			t.Errorf("%s.yaml: %v", name, err)
		}
	}
}

// A name that does not ship is told as such, whatever it looks like.
func TestUnknownNamesAreUnknown(t *testing.T) {
	for _, name := range []string{"", "nothere", "../scenarios/doc", "/etc/passwd", ".", "a\x00b"} {
		if _, err := Read(name); !errors.Is(err, ErrUnknown) {
			t.Errorf("%q: %v", name, err)
		}
	}
}
