package bounds

import "fmt"

// SequentialComposition returns the ε of a sequence of pure-DP mechanisms on the same data, which is the sum of their
// epsilons (Dwork & Roth 2014, Theorem 3.14; Lemma 1 of Han et al. 2018). Each epsilon ≥ 0, otherwise ErrDomain.
func SequentialComposition(epsilons ...float64) (float64, error) {
	var sum float64
	for i, e := range epsilons {
		if !(e >= 0) {
			return 0, fmt.Errorf("%w: epsilon number %d = %v, want at least 0", ErrDomain, i+1, e)
		}
		sum += e
	}
	return sum, nil
}
