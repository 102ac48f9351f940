package confidence

import (
	"fmt"
	"math"
)

// StandardizedLower returns a lower confidence limit, at least 0, of the standardized difference (mean of a − mean of
// b)/σ. It assumes that both samples are independent normal draws with one standard deviation σ. The limit is the
// largest difference under which Student's two-sample statistic is at least the observed one with probability at most
// alpha: its distribution is the noncentral t (Johnson & Welch 1940). The limit is at most 60. StandardizedLower
// returns ErrDomain unless each sample has a value, both together have at least 3, the sums of squared deviations are
// finite and not both 0, and 0 < alpha < 1.
func StandardizedLower(a, b *Moments, alpha float64) (float64, error) {
	squares := a.squares + b.squares
	if !(a.n >= 1 && b.n >= 1 && a.n+b.n >= 3 && squares > 0 && squares <= math.MaxFloat64) {
		return 0, fmt.Errorf("samples of %d and %d values with a sum of squares of %v: need values in both, at least 3 "+
			"in all, and a finite sum above 0: %w", a.n, b.n, squares, ErrDomain)
	}
	if !(alpha > 0 && alpha < 1) {
		return 0, fmt.Errorf("alpha = %v: need 0 < alpha < 1: %w", alpha, ErrDomain)
	}
	df := float64(a.n + b.n - 2)
	unit := math.Sqrt(1/float64(a.n) + 1/float64(b.n)) // standard error of the difference, over σ
	// A smaller statistic gives a smaller limit, so the cap is valid.
	t := math.Min((a.mean-b.mean)/math.Sqrt(squares/df), maxMu) / unit
	if !(t > 0) {
		return 0, nil
	}
	cells := chiCells(df, t)
	return math.Min(maxMu, largestWithin(1e-9, 2*maxMu, func(mu float64) bool {
		return noncentralUpper(cells, t, mu/unit) <= alpha
	})), nil
}

// chiCell is a point of the integral over V = √(χ²/df), and its weight.
type chiCell struct{ v, weight float64 }

// chiCells returns the points of a trapezoidal rule in log V, fine enough for the normal distribution function of t·V.
func chiCells(df, t float64) (cells []chiCell) {
	const fall, points = 40, 200 // weights below e^−fall of the largest one are omitted
	at := func(u float64) float64 { return df * (u - math.Expm1(2*u)/2) }
	end := func(sign float64) float64 {
		low, high := 0.0, 1.0
		for at(sign*high) > -fall {
			high *= 2
		}
		for range 40 {
			if middle := (low + high) / 2; at(sign*middle) > -fall {
				low = middle
			} else {
				high = middle
			}
		}
		return sign * high
	}
	from, to := end(-1), end(1)
	step := math.Min((to-from)/points, 0.25/(1+t))
	n, sum := math.Ceil((to-from)/step), 0.0
	for i := 0.0; i <= n; i++ {
		u := from + i*step
		w := math.Exp(at(u))
		sum += w
		cells = append(cells, chiCell{math.Exp(u), w})
	}
	for i := range cells {
		cells[i].weight /= sum
	}
	return cells
}

// noncentralUpper returns P(T ≥ t) for the noncentral t distribution, rounded up: the mean of Φ(center − t·V).
func noncentralUpper(cells []chiCell, t, center float64) (p float64) {
	const slack, omitted = 1 + 1e-7, 1e-16 // omitted covers the omitted weights
	for _, c := range cells {
		p += c.weight * math.Erfc((t*c.v-center)/math.Sqrt2) / 2
	}
	return p*slack + omitted
}

// Epsilon returns the smallest ε ≥ 0 for which μ-Gaussian DP implies (ε, delta)-DP, rounded down. It is +Inf at delta
// = 0 unless μ = 0, and NaN unless 0 ≤ delta ≤ 1 and μ ≥ 0 is finite. δ(ε) = Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2) (Dong,
// Roth & Su 2022, Corollary 1).
func (mu GaussianTradeOff) Epsilon(delta float64) float64 {
	m := float64(mu)
	switch {
	case !(m >= 0 && m <= math.MaxFloat64 && delta >= 0 && delta <= 1):
		return math.NaN()
	case m == 0:
		return 0
	case delta == 0:
		return math.Inf(1)
	}
	return largestWithin(1e-10, math.MaxFloat64, func(epsilon float64) bool {
		x, y := epsilon/m-m/2, epsilon/m+m/2
		// e^ε times the normal density at y is the density at x.
		density := math.Exp(-x*x/2) / math.Sqrt(2*math.Pi)
		const down = 1 - 1e-10 // covers the rounding errors of both terms
		return math.Erfc(x/math.Sqrt2)/2*down-density*millsRatio(y) > delta
	})
}

// millsRatio returns P(N(0,1) > x) over the density at x ≥ 0.
func millsRatio(x float64) float64 {
	if x < 25 {
		return math.Sqrt(math.Pi/2) * math.Exp(x*x/2) * math.Erfc(x/math.Sqrt2)
	}
	s := 1 / (x * x)
	return (1 - s*(1-3*s*(1-5*s*(1-7*s)))) / x
}
