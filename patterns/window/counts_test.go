package window

import "testing"

// TestWhatDidNotFailSucceeded, slow or not.
func TestWhatDidNotFailSucceeded(t *testing.T) {
	w := CountShape(4).In(make([]uint64, CountShape(4).Cells()))
	for _, c := range []struct{ failed, slow bool }{{true, false}, {true, true}, {false, true}, {false, false}, {false, false}} {
		w.Add(0, c.failed, c.slow)
	}
	if c := w.Read(0); c.Total != 4 || c.Succeeded() != 3 || c.Failed+c.Succeeded() != c.Total {
		t.Errorf("%+v: %d", c, c.Succeeded())
	}
}
