package dist

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/resilsim/resilsim/sim/engine"
)

func refused[D Dist](_ D, err error) error { return err }

// TestBadParametersAreRefused names the fault in each message.
func TestBadParametersAreRefused(t *testing.T) {
	rows := []struct {
		err  error
		want string
	}{
		{refused(NewConstant(-1)), "constant: value"},
		{refused(NewConstant(Longest + 1)), "constant: value"},
		{refused(NewUniform(-1, 5)), "uniform: min"},
		{refused(NewUniform(6, 5)), "uniform: min"},
		{refused(NewUniform(0, 0)), "uniform: max"},
		{refused(NewExponential(0)), "exponential: mean"},
		{refused(NewExponential(-time.Second)), "exponential: mean"},
		{refused(NewExponential(math.MaxInt64)), "exponential: mean"},
		{refused(NewLognormal(0, 1)), "lognormal: mean"},
		{refused(NewLognormal(1, 0)), "lognormal: squared"},
		{refused(NewLognormal(1, math.NaN())), "lognormal: squared"},
		{refused(NewLognormal(1, math.Inf(1))), "lognormal: squared"},
		{refused(NewLognormalQuantiles(0, 1)), "lognormal: p50"},
		{refused(NewLognormalQuantiles(5, 5)), "lognormal: p99"},
		{refused(NewLognormalQuantiles(5, -5)), "lognormal: p99"},
		{refused(NewLognormalQuantiles(1, Longest)), "mean beyond"},
		{refused(NewErlang(0, 1)), "erlang: k"},
		{refused(NewErlang(101, 1)), "erlang: k"},
		{refused(NewErlang(2, 0)), "erlang: mean"},
		{refused(NewHyperexponential(1, 1)), "hyperexponential: squared"},
		{refused(NewHyperexponential(0, 2)), "hyperexponential: mean"},
	}
	for _, row := range rows {
		if row.err == nil || !strings.HasPrefix(row.err.Error(), "dist: ") || !strings.Contains(row.err.Error(), row.want) {
			t.Errorf("error %v, want one about %q", row.err, row.want)
		}
	}
}

func TestNames(t *testing.T) {
	rows := []struct {
		dist Dist
		want string
	}{
		{made(NewConstant(5 * time.Millisecond)), "constant 5ms"},
		{made(NewUniform(0, time.Second)), "uniform 0s..1s"},
		{made(NewExponential(50 * time.Millisecond)), "exponential 50ms"},
		{made(NewLognormal(20*time.Millisecond, 2)), "lognormal 20ms scv 2"},
		{made(NewLognormalQuantiles(80*time.Millisecond, 400*time.Millisecond)), "lognormal p50 80ms p99 400ms"},
		{made(NewErlang(4, 100*time.Millisecond)), "erlang 4 100ms"},
		{made(NewHyperexponential(20*time.Millisecond, 9)), "hyperexponential 20ms scv 9"},
	}
	for _, row := range rows {
		if got := row.dist.String(); got != row.want {
			t.Errorf("name %q, want %q", got, row.want)
		}
	}
}

func BenchmarkSample(b *testing.B) {
	for _, sh := range shapes() {
		b.Run(strings.ReplaceAll(sh.dist.String(), " ", "-"), func(b *testing.B) {
			s := engine.Key(5).Stream()
			b.ReportAllocs()
			for range b.N {
				sh.dist.Sample(&s)
			}
		})
	}
}
