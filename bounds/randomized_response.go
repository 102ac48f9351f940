package bounds

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// DesignMatrix is the matrix of a binary randomized response. Entry [i][j] is the probability of the answer j if the
// truth is i.
type DesignMatrix [2][2]float64

// BestDesignMatrix returns the design matrix that maximizes p₁₁ + p₂₂ among all ε-locally private matrices. It visits
// every vertex of the polygon of the privacy constraints
//
//	p₁₁ ≤ e^ε(1−p₂₂), p₂₂ ≤ e^ε(1−p₁₁), 1−p₁₁ ≤ e^ε p₂₂, 1−p₂₂ ≤ e^ε p₁₁, 0 ≤ p ≤ 1
//
// because a linear function attains its maximum at a vertex. unique reports whether the maximizer is unique. epsilon
// positive and at most 700, otherwise ErrDomain.
func BestDesignMatrix(epsilon float64) (best DesignMatrix, unique bool, err error) {
	if err := numeric.CheckPositive("epsilon_r", epsilon); err != nil {
		return DesignMatrix{}, false, err
	}
	if epsilon > 700 {
		return DesignMatrix{}, false, numeric.CheckPositive("700 - epsilon_r", 700-epsilon)
	}
	e := math.Exp(epsilon)
	// Half-planes a·p₁₁ + b·p₂₂ ≤ c, scaled to coefficients of order one.
	planes := [][3]float64{
		{1 / e, 1, 1}, {1, 1 / e, 1}, {-1 / e, -1, -1 / e}, {-1, -1 / e, -1 / e},
		{1, 0, 1}, {0, 1, 1}, {-1, 0, 0}, {0, -1, 0},
	}
	largest := math.Inf(-1)
	for i, f := range planes {
		for _, g := range planes[i+1:] {
			det := f[0]*g[1] - f[1]*g[0]
			if math.Abs(det) < 1e-300 {
				continue
			}
			p := (f[2]*g[1] - f[1]*g[2]) / det
			q := (f[0]*g[2] - f[2]*g[0]) / det
			if !inside(planes, p, q) {
				continue
			}
			switch {
			case p+q > largest+1e-13:
				largest, unique = p+q, true
				best = DesignMatrix{{p, 1 - p}, {1 - q, q}}
			case p+q > largest-1e-13 && math.Abs(p-best[0][0]) > 1e-9:
				unique = false
			}
		}
	}
	return best, unique, nil
}

func inside(planes [][3]float64, p, q float64) bool {
	for _, h := range planes {
		if !(h[0]*p+h[1]*q <= h[2]+1e-14) {
			return false
		}
	}
	return true
}
