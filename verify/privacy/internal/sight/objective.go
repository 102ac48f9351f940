package sight

import (
	"math"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify/privacy/notion"
)

// Objective is what a search maximises, by the counts of an event in samples of either input: the certified parameter,
// quickly; of bets, the speed of refutation.
func Objective(g notion.Guarantee, alpha float64, bets bool) func(x, nx, y, ny float64) float64 {
	if g.IsApproximate() && bets {
		// How fast a bet against the claim grows: the distance from the claim's line in
		// standard deviations.
		e := math.Exp(g.Value())
		return func(x, nx, y, ny float64) float64 {
			p, q := x/nx, y/ny
			return (p - e*q - g.Delta()) / math.Sqrt(p*(1-p)+e*e*q*(1-q)+1/math.Min(nx, ny))
		}
	} else if g.IsApproximate() {
		return confidence.NewEpsilonFast(g.Delta(), alpha).Lower
	}
	z := math.Sqrt(2 * math.Log(4/alpha)) // of limits by a Gaussian tail bound
	return func(x, nx, y, ny float64) float64 {
		p := (x - z*math.Sqrt(x*(1-x/nx)) - z*z/2) / nx
		q := (y + z*math.Sqrt(y*(1-y/ny)) + z*z/2) / ny
		if !(p > q && q < 1) {
			return p - q
		}
		return g.OfMasses(p, q)
	}
}
