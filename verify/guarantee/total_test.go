package guarantee

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// anyGuarantee draws from the whole domain of Check: values from 0 to the largest number, δ from 0 to the largest
// number below 1, orders from the smallest number above 1 to the largest.
func anyGuarantee(t *rapid.T) Guarantee {
	value := rapid.OneOf(rapid.Just(0.0), logUniform(-320, 308), logUniform(-3, 3)).Draw(t, "value")
	switch rapid.IntRange(0, 4).Draw(t, "notion") {
	case 0:
		return ApproximateDP(value, rapid.OneOf(rapid.Just(0.0), logUniform(-320, -1), rapid.Just(math.Nextafter(1, 0)), rapid.Float64Range(0, 0.999)).Draw(t, "delta"))
	case 1:
		return ZeroConcentratedDP(value)
	case 2:
		order := rapid.OneOf(rapid.Just(math.Nextafter(1, 2)), rapid.Map(logUniform(-15, 308), func(x float64) float64 { return 1 + x }), rapid.Float64Range(1.01, 50)).Draw(t, "order")
		return RenyiDP(order, value)
	case 4:
		return CurveDP(anyCurve(t)...)
	}
	return GaussianDP(value)
}

// anyCurve draws points from the whole domain, including equal δ and δ = 0.
func anyCurve(t *rapid.T) (points []confidence.Line) {
	at := confidence.Line{Epsilon: rapid.OneOf(rapid.Just(0.0), logUniform(-320, 0)).Draw(t, "first"), Delta: 1 - rapid.OneOf(logUniform(-15, 0), rapid.Float64Range(1e-9, 1)).Draw(t, "top")}
	for range rapid.IntRange(1, 6).Draw(t, "points") {
		points = append(points, at)
		at.Epsilon += rapid.OneOf(logUniform(-10, 1), rapid.Float64Range(0.1, 3)).Draw(t, "step")
		at.Delta *= rapid.OneOf(rapid.Just(0.0), rapid.Just(1.0), rapid.Float64Range(0, 1)).Draw(t, "fall")
		if !(at.Epsilon > points[len(points)-1].Epsilon) {
			break
		}
	}
	return points
}

// logUniform draws 10^x for uniform x.
func logUniform(low, high float64) *rapid.Generator[float64] {
	return rapid.Map(rapid.Float64Range(low, high), func(x float64) float64 { return math.Min(math.Pow(10, x), math.MaxFloat64) })
}

// anyMass draws from [0, 1], with the ends and numbers close to them.
func anyMass() *rapid.Generator[float64] {
	small := logUniform(-323, 0)
	return rapid.OneOf(rapid.Just(0.0), rapid.Just(1.0), small, rapid.Map(logUniform(-17, 0), func(x float64) float64 { return 1 - x }), rapid.Float64Range(0, 1))
}

// TestGuaranteesAreTotal checks that every function of a guarantee returns a number in its range and has the
// documented monotonicity.
func TestGuaranteesAreTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGuarantee(t)
		if err := g.Check(); err != nil {
			t.Fatal(err)
		}
		p, q := anyMass().Draw(t, "p"), anyMass().Draw(t, "q")
		slack := func(x float64) float64 { return 1e-9 * (1 + math.Abs(x)) }
		value := g.FromProbabilities(p, q)
		if !(value >= 0) {
			t.Fatalf("%v: probabilities %v and %v need %v", g, p, q, value)
		}
		if more := math.Max(p, anyMass().Draw(t, "more")); g.FromProbabilities(more, q) < value-slack(value) {
			t.Fatalf("%v: %v at p = %v, and %v at %v", g, value, p, g.FromProbabilities(more, q), more)
		}
		if less := math.Min(q, anyMass().Draw(t, "less")); g.FromProbabilities(p, less) < value-slack(value) {
			t.Fatalf("%v: %v at q = %v, and %v at %v", g, value, q, g.FromProbabilities(p, less), less)
		}
		epsilon := rapid.OneOf(rapid.Just(0.0), logUniform(-320, 308), rapid.Float64Range(0, 1000)).Draw(t, "epsilon")
		delta := g.HockeyStick(epsilon)
		if !(delta >= 0 && delta <= 1) {
			t.Fatalf("%v: δ(%v) = %v", g, epsilon, delta)
		}
		if beyond := epsilon + epsilon*rapid.Float64Range(0, 3).Draw(t, "beyond"); g.HockeyStick(beyond) > delta+1e-12 {
			t.Fatalf("%v: δ(%v) = %v, and %v at %v", g, epsilon, delta, g.HockeyStick(beyond), beyond)
		}
		at := g.Tangent(p, q)
		if d := g.HockeyStick(at); !(at >= 0) || !(d >= 0) || !(d < 1) && !g.Vacuous() {
			t.Fatalf("%v: tests (%v, %v)-DP at %v, %v", g, at, d, p, q)
		}
		if p == 0 {
			return
		}
		other := g.Allows(p)
		if !(other >= 0 && other <= p) {
			t.Fatalf("%v: the other probability for %v is %v", g, p, other)
		}
		if other > 0 {
			need, below := g.FromProbabilities(p, other), g.FromProbabilities(p, other*(1-1e-9)-math.SmallestNonzeroFloat64)
			if need > g.value+slack(g.value) || other > 1e-290 && below < g.value-slack(g.value) {
				t.Fatalf("%v: the other probability for %v is %v, which needs %v, and just below it %v", g, p, other, need, below)
			}
		}
	})
}

// TestGuaranteesAgreeWithTheirCurves checks that an event violates no implied (ε, δ) if FromProbabilities is at
// most the claimed value.
func TestGuaranteesAgreeWithTheirCurves(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := anyGuarantee(t)
		q := anyMass().Draw(t, "q")
		p := math.Max(q, anyMass().Draw(t, "p"))
		if !(g.FromProbabilities(p, q) <= g.value) {
			return
		}
		for _, epsilon := range []float64{0, 1e-3, 0.5, 2, 10, 100} {
			if d := g.HockeyStick(epsilon); p > math.Exp(epsilon)*q+d+1e-9 {
				t.Fatalf("%v allows for %v and %v, but not its (%v, %v)-DP", g, p, q, epsilon, d)
			}
		}
	})
}

// TestGuaranteeValues compares with closed forms and with mpmath 1.3 at 50 digits.
func TestGuaranteeValues(t *testing.T) {
	for _, c := range []struct {
		got, want float64
		reason    string
	}{
		{ApproximateDP(0, 0.05).FromProbabilities(0.04, 0.03), 0, "q < p < δ: no loss needed"},
		{ApproximateDP(0, 0.05).FromProbabilities(0.05, 0), 0, "p = δ, q = 0"},
		{ApproximateDP(1, 0).FromProbabilities(1, 0), math.Inf(1), "an event that never happens under the other input"},
		{RenyiDP(1e308, 1).FromProbabilities(0.5, 0.25), math.Ln2, "order near infinity: the largest loss"},
		{RenyiDP(1+1e-12, 1).FromProbabilities(0.5, 0.25), 0.5*math.Log(2) + 0.5*math.Log(0.5/0.75), "order near 1: the Kullback-Leibler divergence"},
		{GaussianDP(1).HockeyStick(800), 0, "e^ε overflows and the tails underflow"},
		{GaussianDP(1).HockeyStick(1), 0.12693673750664395, "Φ(−0.5) − e Φ(−1.5)"},
		{GaussianDP(30).HockeyStick(600), 2.4420846255665562e-07, "e^600 times a tail of 1e-268"},
		{RenyiDP(math.Nextafter(1, 2), 0.5).HockeyStick(0.5), 1, "order next to 1 implies nothing"},
	} {
		if !(c.got == c.want || math.Abs(c.got-c.want) <= 1e-9*c.want) {
			t.Errorf("%s: %v, want %v", c.reason, c.got, c.want)
		}
	}
}
