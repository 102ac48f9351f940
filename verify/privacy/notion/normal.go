package notion

import "math"

// NormalShifts are the distances, in standard deviations, that two outputs with normal noise have where the noise was
// scaled to the guarantee: the exact one, and of (ε, δ) that of σ = Δ√(2 ln(1.25/δ))/ε, too (Dwork & Roth 2014,
// Theorem A.1). None of pure privacy, of which normal noise has none, and of curves.
func (g Guarantee) NormalShifts() []float64 {
	switch g.notion {
	case gaussianDP:
		return []float64{g.value}
	case zeroConcentratedDP: // ρ = μ²/2 (Bun & Steinke 2016, Proposition 1.6)
		return []float64{math.Sqrt(2 * g.value)}
	case renyiDP: // α μ²/2 (Mironov 2017, Proposition 7)
		return []float64{math.Sqrt(2 * g.value / g.order)}
	case approximateDP:
		if g.delta == 0 {
			return nil
		}
		low, high := 0.0, 100.0
		for range 60 {
			if mid := (low + high) / 2; GaussianDP(mid).HockeyStick(g.value) > g.delta {
				high = mid
			} else {
				low = mid
			}
		}
		return []float64{low, g.value / math.Sqrt(2*math.Log(1.25/g.delta))}
	}
	return nil
}
