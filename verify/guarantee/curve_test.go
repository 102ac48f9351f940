package guarantee

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical/confidence"
)

func at(epsilon, delta float64) confidence.Line {
	return confidence.Line{Epsilon: epsilon, Delta: delta}
}

// gaussianPoints returns a curve through points of the privacy curve of μ-GDP.
func gaussianPoints(mu float64) Guarantee {
	var points confidence.Lines
	for epsilon := 0.0; epsilon <= 6*mu; epsilon += mu / 8 {
		points = append(points, at(epsilon, GaussianDP(mu).HockeyStick(epsilon)))
	}
	return CurveDP(points...)
}

func TestCurveOfOnePointIsApproximate(t *testing.T) {
	for _, c := range []struct {
		points confidence.Lines
		want   Guarantee
		reason string
	}{
		{confidence.Lines{at(1, 1e-5)}, ApproximateDP(1, 1e-5), "one point"},
		{confidence.Lines{at(1, 1e-5), at(2, 1e-5)}, ApproximateDP(1, 1e-5), "a later point with equal δ is implied"},
		{confidence.Lines{at(0, 1), at(1, 1e-5)}, ApproximateDP(1, 1e-5), "δ = 1 implies nothing"},
		{confidence.Lines{at(0, 0), at(1, 0)}, ApproximateDP(0, 0), "no loss"},
		{confidence.Lines{at(0.5, 0.9), at(1, 0)}, ApproximateDP(1, 0), "a point implied by the other"},
	} {
		if got := CurveDP(c.points...); got != c.want {
			t.Errorf("%s: %v, want %v", c.reason, got, c.want)
		}
	}
}

// TestCurveBetweenItsPoints checks that between its points a curve implies what convexity and both orders of the
// inputs imply, and no more.
func TestCurveBetweenItsPoints(t *testing.T) {
	pure := ApproximateDP(1, 0)
	g := CurveDP(at(0, math.Tanh(0.5)), at(1, 0)) // attained by randomized response
	if g != pure {                                // the point at ε = 0 follows from the other one
		t.Errorf("%v, want %v", g, pure)
	}
	g = CurveDP(at(0, 0.3), at(1, 0.1), at(2, 0.02))
	for _, c := range []struct{ epsilon, want float64 }{
		{0, 0.3}, {1, 0.1}, {2, 0.02}, {3, 0.02},
		{math.Log((1 + math.E) / 2), 0.2}, // chord in e^ε
	} {
		if d := g.HockeyStick(c.epsilon); math.Abs(d-c.want) > 1e-12 {
			t.Errorf("δ(%v) = %v, want %v", c.epsilon, d, c.want)
		}
	}
	c := g.Sequential()
	for _, epsilon := range []float64{0.1, 0.7, 1, 1.5, 4} {
		if got, want := c.Delta(-epsilon), 1-math.Exp(-epsilon)*(1-g.HockeyStick(epsilon)); math.Abs(got-want) > 1e-12 {
			t.Errorf("δ(−%v) = %v, want %v: statement in the other order", epsilon, got, want)
		}
	}
}

// TestCurveFactorIsThatOfItsPoints checks that an event violates the curve if and only if it violates a point of
// the curve in either order.
func TestCurveFactorIsThatOfItsPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		points := anyCurve(t)
		g := CurveDP(points...)
		if g.Check() != nil {
			t.Skip("only δ = 1")
		}
		q := anyMass().Draw(t, "q")
		p := math.Max(q, anyMass().Draw(t, "p"))
		if p == q {
			t.Skip("no difference")
		}
		excess := math.Inf(-1)
		for _, a := range points {
			e := math.Exp(a.Epsilon)
			excess = math.Max(excess, math.Max(p-e*q-a.Delta, 1-q-e*(1-p)-a.Delta))
		}
		value := g.FromProbabilities(p, q)
		if approximate := g.IsApproximate(); !approximate && excess > 1e-9 && !(value > 1) || excess < -1e-9 && value > g.Value()*(1+1e-9) {
			t.Fatalf("%v: probabilities %v and %v exceed it by %v and need %v, claimed %v", g, p, q, excess, value, g.Value())
		}
	})
}

// TestCurveOfAGaussian checks that the curve through points of μ-GDP is close to the exact curve and never below
// it.
func TestCurveOfAGaussian(t *testing.T) {
	g, exact := gaussianPoints(1), GaussianDP(1)
	for epsilon := 0.0; epsilon < 6; epsilon += 0.01 {
		d, want := g.HockeyStick(epsilon), exact.HockeyStick(epsilon)
		if d < want-1e-12 || d > want+1e-3 {
			t.Errorf("δ(%v) = %v of points, %v of μ", epsilon, d, want)
		}
	}
	if p, q := gaussianMasses(1.3, 0.6); !(g.FromProbabilities(p, q) > 1) {
		t.Error("a larger μ does not violate the curve")
	}
	if p, q := gaussianMasses(0.95, 0.6); !(g.FromProbabilities(p, q) < 1) {
		t.Error("a smaller μ violates the curve")
	}
	if points, ok := g.Curve(); !ok || len(points) < 10 {
		t.Errorf("%d points", len(points))
	}
}
