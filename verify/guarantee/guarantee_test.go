package guarantee

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// gaussianMasses returns the probabilities of the half-line above x under N(μ, 1) and N(0, 1).
func gaussianMasses(mu, x float64) (p, q float64) {
	return distuv.UnitNormal.Survival(x - mu), distuv.UnitNormal.Survival(x)
}

// TestGuaranteesOfTheGaussianMechanism checks the guarantees of a Gaussian mechanism. Each privacy definition has a
// closed form there, and half-lines are the most distinguishing events.
func TestGuaranteesOfTheGaussianMechanism(t *testing.T) {
	const mu = 1.5
	for _, g := range []Guarantee{GaussianDP(mu), ZeroConcentratedDP(mu * mu / 2), RenyiDP(3, 3*mu*mu/2), RenyiDP(1.2, 1.2*mu*mu/2)} {
		for x := -3.0; x <= 5; x += 0.25 {
			p, q := gaussianMasses(mu, x)
			if got := g.FromProbabilities(p, q); got > g.Value()*(1+1e-6) {
				t.Errorf("%v: a half-line of the mechanism itself needs %v", g, got)
			}
			for _, epsilon := range []float64{0, 0.5, 1, 3, 6} {
				if p > math.Exp(epsilon)*q+g.HockeyStick(epsilon)+1e-12 {
					t.Errorf("%v: the implied (%v, %v)-DP fails on a half-line", g, epsilon, g.HockeyStick(epsilon))
				}
			}
		}
	}
	p, q := gaussianMasses(mu, 0.7)
	if got := GaussianDP(1).FromProbabilities(p, q); math.Abs(got-mu) > 1e-9 {
		t.Errorf("μ of a half-line is %v, want %v", got, mu)
	}
}

func TestGuaranteeLaws(t *testing.T) {
	all := []Guarantee{ApproximateDP(1, 0), ApproximateDP(0.3, 1e-3), ZeroConcentratedDP(0.4), RenyiDP(2.5, 1), GaussianDP(0.8), gaussianPoints(0.8)}
	for _, g := range all {
		if err := g.Check(); err != nil || g.String() == "" || g.Quantity() == "" {
			t.Errorf("%v: %v", g, err)
		}
		previous := 1.1
		for epsilon := 0.0; epsilon < 8; epsilon += 0.1 {
			d := g.HockeyStick(epsilon)
			if !(d >= -1e-15 && d <= 1 && d <= previous+1e-12) {
				t.Errorf("%v: δ(%v) = %v after %v: want it in [0, 1] and falling", g, epsilon, d, previous)
			}
			if larger := g.With(1.5 * g.Value()).HockeyStick(epsilon); larger < d-1e-12 {
				t.Errorf("%v: a weaker guarantee has a smaller δ at %v: %v < %v", g, epsilon, larger, d)
			}
			previous = d
		}
		for _, p := range []float64{0.02, 0.4, 0.9} {
			q := g.Allows(p)
			if q == 0 {
				continue
			}
			if got := g.FromProbabilities(p, q); math.Abs(got-g.Value()) > 1e-6*g.Value() {
				t.Errorf("%v: at p = %v the claim permits q = %v, which needs %v", g, p, q, got)
			}
			if g.FromProbabilities(p, q/2) <= g.Value() || g.FromProbabilities(p, math.Min(p, 1.5*q)) >= g.Value() {
				t.Errorf("%v: the parameter does not fall in q at p = %v", g, p)
			}
		}
	}
}

// TestTangentsAreStatements checks that Tangent always returns a testable statement, with δ in [0, 1).
func TestTangentsAreStatements(t *testing.T) {
	for _, g := range []Guarantee{GaussianDP(0.01), GaussianDP(8), ZeroConcentratedDP(1e-4), ZeroConcentratedDP(30), RenyiDP(1.01, 5), RenyiDP(40, 20), RenyiDP(2, 0.001)} {
		for _, p := range []float64{1e-4, 0.01, 0.5, 1} {
			for _, q := range []float64{0, 1e-9, 0.3, 1} {
				epsilon := g.Tangent(p, q)
				if d := g.HockeyStick(epsilon); !(d >= 0 && d < 1) || !(epsilon >= 0) {
					t.Errorf("%v at p = %v, q = %v: tests (%v, %v)-DP", g, p, q, epsilon, d)
				}
			}
		}
	}
}

func TestGuaranteeRejects(t *testing.T) {
	for _, g := range []Guarantee{
		{}, CurveDP(), CurveDP(at(-1, 0.5)), CurveDP(at(1, math.NaN())), CurveDP(at(math.NaN(), 0.5)), CurveDP(at(0, 0.1), at(1, 0.2)), CurveDP(at(1, 0.2), at(1, 0.1)), CurveDP(at(0, 1), at(2, 1)), CurveDP(at(601, 0.5)), ApproximateDP(-1, 0), ApproximateDP(math.NaN(), 0), ApproximateDP(math.Inf(1), 0), ApproximateDP(1, 1), ApproximateDP(1, -0.1), ApproximateDP(1, math.NaN()),
		ZeroConcentratedDP(-1), RenyiDP(1, 1), RenyiDP(math.NaN(), 1), RenyiDP(2, math.NaN()), GaussianDP(math.Inf(1)),
	} {
		if g.Check() == nil {
			t.Errorf("%v was accepted as a guarantee", g)
		}
	}
}
