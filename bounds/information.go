package bounds

import (
	"fmt"
	"math"
)

// ErrorLowerBoundLocal returns a lower bound on the expected error rate of a linear classifier that sees its data
// only through local privacy. uses is the number of private gradients at epsilonGradient, and of perturbed labels at
// epsilonLabel (0 if there are no labels). The initial distribution is symmetric about 0. The bound is 0.5 minus the
// total variation distance between the run and a run in which every gradient is uniform and every label a fair coin.
// The latter run is symmetric in w and −w, which misclassify complementary sets of rows.
//
// The density of a private sample relative to the uniform distribution is between 1 − m and 1 + m, m = tanh(ε/2). A
// perturbed label has the probabilities ½(1 ± m). Each adds at most m² to the divergence, for every past. The total
// variation distance is at most the root of half the sum (Pinsker).
//
// Each epsilon ≥ 0 and uses ≥ 0, otherwise ErrDomain. A negative bound is vacuous and is returned as 0.
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
