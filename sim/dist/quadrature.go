package dist

import (
	"math"

	"github.com/resilsim/resilsim/internal/exact"
)

// The ten-point rule of Gauss and Legendre on [-1,1], the five points above 0.
// Source: Abramowitz and Stegun, table 25.4.
var (
	gaussAt     = [5]float64{0.148874338981631211, 0.433395394129247191, 0.679409568299024406, 0.865063366688984511, 0.973906528517171720}
	gaussWeight = [5]float64{0.295524224714752870, 0.269266719309996355, 0.219086362515982044, 0.149451349150580593, 0.066671344308688138}
)

// normalMean integrates exp(growth (z-anchor)) times the normal density over
// [from, to]. The interval is cut into pieces over which neither factor changes
// by much more than e, so that the rule is exact to about 1e-14.
func normalMean(growth, anchor, from, to float64) float64 {
	const longest = 0.25
	pieces := math.Ceil(math.Max((to-from)/longest, growth*(to-from)))
	if !(pieces >= 1) {
		pieces = 1
	}
	half := (to - from) / pieces / 2
	sum := 0.0
	for i := 0.0; i < pieces; i++ {
		middle := from + float64((float64(2*i)+1)*half)
		for k, at := range gaussAt {
			step := float64(half * at)
			sum += float64(gaussWeight[k] * (weighted(growth, anchor, middle-step) + weighted(growth, anchor, middle+step)))
		}
	}
	return sum * half
}

func weighted(growth, anchor, z float64) float64 {
	const density = 0.39894228040143267794 // 1/sqrt(2 pi)
	return density * exact.Exp(float64(growth*(z-anchor))-float64(z*z)/2)
}
