package bounds

import (
	"fmt"
	"math"
)

// ErrorLowerBoundLocal bounds from below the expected error rate of a linear
// classifier that sees its data through local privacy alone: uses private gradients at
// epsilonGradient and as many perturbed labels at epsilonLabel (0 where there are none),
// started from a law that is symmetric about 0. It is ½ less the total variation between
// the run and one in which every gradient is uniform and every label a fair coin: that
// run is symmetric in w and −w, which err on complementary sets of rows.
//
// A private sample has the density 1 ± m or less relative to the uniform law, m =
// tanh(ε/2), and a perturbed label ½(1 ± m): each costs at most m² of divergence, whatever
// came before, and the total variation is at most the root of half their sum (Pinsker).
//
// Each epsilon ≥ 0 and uses ≥ 0, otherwise ErrDomain. A bound below 0 says nothing and is
// returned as 0.
func ErrorLowerBoundLocal(uses, epsilonGradient, epsilonLabel float64) (float64, error) {
	if !(uses >= 0) || !(epsilonGradient >= 0) || !(epsilonLabel >= 0) {
		return 0, fmt.Errorf("%w: uses = %v, epsilons = %v and %v, want at least 0", ErrDomain, uses, epsilonGradient,
			epsilonLabel)
	}
	if uses == 0 {
		return 0.5, nil
	}
	g, y := math.Tanh(epsilonGradient/2), math.Tanh(epsilonLabel/2)
	return math.Max(0, 0.5-math.Sqrt(uses*(g*g+y*y)/2)), nil
}
