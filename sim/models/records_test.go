package models

import "testing"

// A handle of a record that has been freed and given to another names nothing.
func TestStaleHandlesNameNothing(t *testing.T) {
	var g Graph
	slot, first := g.newTask()
	first.state = running
	old := handleOf(slot, first.generation)
	g.freeTask(old, first)
	again, second := g.newTask()
	second.state = running
	if again != slot {
		t.Fatalf("slot %d was not reused", slot)
	}
	if g.task(old) != nil || g.task(handleOf(again, second.generation)) != second || g.task(0) != nil {
		t.Error("a stale handle names a record")
	}
	defer func() {
		if recover() == nil {
			t.Error("a task ended twice")
		}
	}()
	g.freeTask(old, second)
}

// A list through the records agrees with a plain slice under 20,000 pushes and
// removals anywhere.
func TestListAgreesWithASlice(t *testing.T) {
	var g Graph
	var l list
	var twin []uint32
	x := uint64(1)
	next := func(n int) int {
		x = x*6364136223846793005 + 1442695040888963407
		return int(x>>33) % n
	}
	for range 20_000 {
		if len(twin) == 0 || next(2) == 0 {
			slot, task := g.newTask()
			task.state = waiting
			g.push(&l, slot, task)
			twin = append(twin, slot)
		} else {
			i := next(len(twin))
			task := g.tasks.at(twin[i])
			g.remove(&l, twin[i], task)
			g.freeTask(handleOf(twin[i], task.generation), task)
			twin = append(twin[:i], twin[i+1:]...)
		}
		if l.n != len(twin) || (l.n > 0 && (l.first != twin[0] || l.last != twin[len(twin)-1])) {
			t.Fatalf("list %+v, slice %v", l, twin)
		}
	}
	for i, slot := 0, l.first; i < l.n; i++ {
		if slot != twin[i] {
			t.Fatalf("place %d holds %d, want %d", i, slot, twin[i])
		}
		slot = uint32(g.tasks.at(slot).next)
	}
}

// A share of the instances is rounded up, and what only rounding makes more is
// not one more.
func TestShareOfInstancesRoundsUp(t *testing.T) {
	for _, c := range []struct {
		share     float64
		of, wants int
	}{{0.1, 30, 3}, {0.5, 800, 400}, {0.5, 3, 2}, {0.01, 3, 1}, {1, 7, 7}, {0, 7, 0}, {0.07, 100, 7}} {
		if got := hit(c.share, c.of); got != c.wants {
			t.Errorf("%v of %d: %d, want %d", c.share, c.of, got, c.wants)
		}
	}
}

// What several operators refuse composes: half of what the other half lets pass.
func TestShedsCompose(t *testing.T) {
	if got := refusedShare([]*shed{{0.5}, {0.5}}); got != 0.75 {
		t.Errorf("%v, want 0.75", got)
	}
}
