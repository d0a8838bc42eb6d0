package priority

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/resilsim/resilsim/patterns"
)

func compile(t testing.TB, c Config) *Settings {
	t.Helper()
	s, err := Compile(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

const second = patterns.Instant(time.Second)

// offer sends 1000 calls in the k-th second, as many of each class as told, with
// draws of the given generator, and returns how many of each were shed.
func offer(s *Shedder, k int, classes []int, r *rand.Rand) []int {
	shed := make([]int, len(classes))
	i := 0
	for class, n := range classes {
		for range n {
			now := patterns.Instant(k)*second + patterns.Instant(i)*second/1000
			if _, v := s.Acquire(now, class, r.Float64()); !v.OK {
				shed[class]++
			}
			i++
		}
	}
	return shed
}

// TestShareIsShedFromBelow: of 1000 calls a second, 500 of class 0, 300 of class 1,
// 200 of class 2, each share wanted is shed within three standard deviations of a
// binomial draw, from the lowest class upwards.
func TestShareIsShedFromBelow(t *testing.T) {
	for _, row := range []struct {
		share float64
		want  [3]float64
	}{
		{0, [3]float64{0, 0, 0}}, {0.1, [3]float64{100, 0, 0}}, {0.5, [3]float64{500, 0, 0}},
		{0.65, [3]float64{500, 150, 0}}, {0.9, [3]float64{500, 300, 100}}, {1, [3]float64{500, 300, 200}},
	} {
		s := New(compile(t, Defaults()))
		r := rand.New(rand.NewPCG(1, 2))
		s.Want(0, row.share)
		if shed := offer(&s, 0, []int{500, 300, 200}, r); shed[0]+shed[1]+shed[2] != 0 {
			t.Errorf("share %v: shed %v before anything was known", row.share, shed)
		}
		sums, rounds := [3]float64{}, 20
		for k := 1; k <= rounds; k++ {
			for class, n := range offer(&s, k, []int{500, 300, 200}, r) {
				sums[class] += float64(n) / float64(rounds)
			}
		}
		for class, want := range row.want {
			// The threshold of each round is itself an estimate: twice the variance.
			slack := 3 * math.Sqrt(2*500*0.25/float64(rounds))
			if math.Abs(sums[class]-want) > slack {
				t.Errorf("share %v: class %d sheds %.1f a second, want %v", row.share, class, sums[class], want)
			}
		}
	}
}

// TestGuaranteedShareIsKept: class 1 alone could fill what is served. Class 0 keeps
// a fifth of it, and when class 0 does not come its share is free for class 1.
func TestGuaranteedShareIsKept(t *testing.T) {
	c := Defaults()
	c.Classes, c.GuaranteedShares = 2, []patterns.Percent{patterns.PercentOf(20)}
	s := New(compile(t, c))
	r := rand.New(rand.NewPCG(1, 2))
	s.Want(0, 0.5)
	offer(&s, 0, []int{500, 500}, r)
	shed := offer(&s, 1, []int{500, 500}, r)
	if math.Abs(float64(shed[0]-400)) > 45 || math.Abs(float64(shed[1]-100)) > 45 {
		t.Errorf("shed %v, want about 400 and 100", shed)
	}
	offer(&s, 2, []int{0, 1000}, r)
	shed = offer(&s, 3, []int{10, 990}, r)
	if math.Abs(float64(shed[1]-495)) > 70 || shed[0] != 0 {
		t.Errorf("shed %v, want 0 of the class that had not come, and about 495", shed)
	}
}

// TestOneLevelIsShedInPart: all calls are of one class with one level. The share is
// met all the same, by the draw: with draws k/100, exactly.
func TestOneLevelIsShedInPart(t *testing.T) {
	c := Defaults()
	c.Classes, c.LevelsPerClass = 1, 1
	s := New(compile(t, c))
	s.Want(0, 0.25)
	for k := range 100 {
		s.AcquireLevel(0, 0, float64(k)/100)
	}
	for k := range 100 {
		v := s.AcquireLevel(second, 0, float64(k)/100)
		if v.OK != (k >= 25) {
			t.Errorf("draw %d/100: admitted %v", k, v.OK)
		}
		if !v.OK && (v.Reason != patterns.Shed || v.RetryAfter != time.Second) {
			t.Errorf("%+v, want shed, again in 1s", v)
		}
	}
	if v := s.AcquireLevel(second/2, 0, 0); v.RetryAfter != time.Second {
		t.Errorf("an instant before the latest: again in %s, want 1s", v.RetryAfter)
	}
	if s.Threshold(second, 0) != 0 {
		t.Errorf("threshold %d", s.Threshold(second, 0))
	}
}

// TestLevelIsCarriedAlong: the level that Acquire drew, asked for at a second
// shedder with the same past, gets the same answer save on the boundary.
func TestLevelIsCarriedAlong(t *testing.T) {
	set := compile(t, Defaults())
	first, next := New(set), New(set)
	r := rand.New(rand.NewPCG(1, 2))
	first.Want(0, 0.4)
	next.Want(0, 0.4)
	for k := range 3000 {
		now := patterns.Instant(k) * second / 1000
		level, v := first.Acquire(now, r.IntN(5), r.Float64())
		w := next.AcquireLevel(now, level, r.Float64())
		if on := first.Threshold(now, level/100) == level%100; v.OK != w.OK && !on {
			t.Fatalf("call %d of level %d: %v here, %v there", k, level, v.OK, w.OK)
		}
	}
}

// TestLittleEvidenceShedsNothing: nine calls in a second, an idle second, or no
// share wanted: the next calls all pass. Wishes outside 0 to 1 count as the nearest.
func TestLittleEvidenceShedsNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, row := range []struct {
		share    float64
		calls, k int
		shed     int
	}{
		{1, 9, 1, 0}, {1, 10, 1, 10}, {1, 10, 2, 0}, {0, 10, 1, 0}, {-1, 10, 1, 0}, {math.NaN(), 10, 1, 0}, {7, 10, 1, 10},
	} {
		s := New(compile(t, Defaults()))
		s.Want(0, row.share)
		offer(&s, 0, []int{row.calls}, r)
		if got := offer(&s, row.k, []int{10}, r)[0]; got != row.shed {
			t.Errorf("%+v: shed %d", row, got)
		}
	}
}

// TestWishIsFollowedAtOnce: the share changes in mid-interval, and with it the
// thresholds.
func TestWishIsFollowedAtOnce(t *testing.T) {
	s := New(compile(t, Defaults()))
	r := rand.New(rand.NewPCG(1, 2))
	offer(&s, 0, []int{100, 0, 100}, r)
	for _, share := range []float64{0, 0.5, 0} {
		s.Want(second, share)
		if _, v := s.Acquire(second, 0, 0.5); v.OK != (share == 0) {
			t.Errorf("share %v: class 0 admitted %v", share, v.OK)
		}
		if _, v := s.Acquire(second, 1, 0.5); v.OK != (share == 0) {
			t.Errorf("share %v: class 1, of which none came, admitted %v", share, v.OK)
		}
		if _, v := s.Acquire(second, 2, 0.5); !v.OK {
			t.Errorf("share %v: class 2 was shed", share)
		}
	}
}

// TestQueueShare: from 20 to 30 waiting the share goes from 0 to 1.
func TestQueueShare(t *testing.T) {
	for waiting, want := range map[int]float64{0: 0, 20: 0, 21: 0.1, 25: 0.5, 30: 1, 99: 1} {
		if got := QueueShare(waiting, 20, 30); got != want {
			t.Errorf("%d waiting: %v, want %v", waiting, got, want)
		}
	}
	if QueueShare(5, 5, 5) != 0 || QueueShare(6, 5, 5) != 1 {
		t.Error("a range of no width is not a step")
	}
}

// TestFullLevelStopsCounting puts a level at its largest count by hand.
func TestFullLevelStopsCounting(t *testing.T) {
	s := New(compile(t, Defaults()))
	s.now.byLevel[7], s.now.total = math.MaxUint32, math.MaxUint32
	s.AcquireLevel(0, 7, 0)
	s.AcquireLevel(0, -1, 0)
	s.AcquireLevel(0, 1000, 0)
	if s.now.byLevel[7] != math.MaxUint32 || s.now.byLevel[0] != 1 || s.now.byLevel[499] != 1 {
		t.Error("counts went wrong")
	}
	if got := s.Snapshot(0).Running; got != math.MaxUint32+2 {
		t.Errorf("%d calls", got)
	}
}

// TestSheddersDoNotAllocate: through calls, wishes and calibrations no memory is
// asked for.
func TestSheddersDoNotAllocate(t *testing.T) {
	s := New(compile(t, Defaults()))
	var now patterns.Instant
	k := 0
	if n := testing.AllocsPerRun(5000, func() {
		k++
		now += second / 50
		s.Want(now, float64(k%3)/4)
		s.Acquire(now, k%5, float64(k%97)/97)
	}); n != 0 {
		t.Errorf("%v allocations, want 0", n)
	}
	if snap := s.Snapshot(now); snap.Shed == 0 || snap.Admitted == 0 {
		t.Errorf("%+v: the run did not go as meant", snap)
	}
}

// TestEveryFaultIsTold spoils sound settings one key at a time and expects that
// key, and only it, to be named.
func TestEveryFaultIsTold(t *testing.T) {
	if fs := Defaults().Validate(); fs != nil {
		t.Fatalf("the defaults have faults: %v", fs.Err())
	}
	for _, row := range []struct {
		key   string
		spoil func(*Config)
	}{
		{"classes", func(c *Config) { c.Classes = 0 }},
		{"classes", func(c *Config) { c.Classes = 65 }},
		{"levelsPerClass", func(c *Config) { c.LevelsPerClass = 0 }},
		{"levelsPerClass", func(c *Config) { c.LevelsPerClass = 1001 }},
		{"calibrationInterval", func(c *Config) { c.CalibrationInterval = 999999 }},
		{"minimumNumberOfCalls", func(c *Config) { c.MinimumNumberOfCalls = -1 }},
		{"guaranteedShares", func(c *Config) { c.GuaranteedShares = make([]patterns.Percent, 6) }},
		{"guaranteedShares", func(c *Config) { c.GuaranteedShares = []patterns.Percent{-1} }},
		{"guaranteedShares", func(c *Config) {
			c.GuaranteedShares = []patterns.Percent{patterns.PercentOf(60), patterns.PercentOf(41)}
		}},
	} {
		c := Defaults()
		row.spoil(&c)
		fs := c.Validate()
		if len(fs) != 1 || fs[0].Key != row.key {
			t.Errorf("faults %v, want one of %s", fs, row.key)
		}
		if _, err := Compile(c); err == nil {
			t.Errorf("compiles with a fault of %s", row.key)
		}
	}
}

func BenchmarkAcquire(b *testing.B) {
	b.ReportAllocs()
	s := New(compile(b, Defaults()))
	s.Want(0, 0.3)
	for i := range b.N {
		s.Acquire(patterns.Instant(i)*10_000, i%5, float64(i%97)/97)
	}
}

func BenchmarkCalibrate(b *testing.B) {
	b.ReportAllocs()
	s := New(compile(b, Defaults()))
	s.Want(0, 0.3)
	for i := range b.N {
		for k := range 20 {
			s.Acquire(patterns.Instant(i)*second, k%5, float64(k)/20)
		}
	}
}
