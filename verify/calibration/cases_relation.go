package calibration

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

// identity returns both sides of a true equation at random arguments. Their floating-point computations differ, and
// none has cancellation.
type identity func(r *rand.Rand) (left, right float64)

var identities = []identity{
	func(r *rand.Rand) (float64, float64) {
		x, y := 40*r.Float64()-20, 40*r.Float64()-20
		return math.Exp(x + y), math.Exp(x) * math.Exp(y)
	},
	func(r *rand.Rand) (float64, float64) {
		a, b := logUniform(r, 2, 1e6), logUniform(r, 2, 1e6)
		return math.Log(a * b), math.Log(a) + math.Log(b)
	},
	func(r *rand.Rand) (float64, float64) {
		x := logUniform(r, 1e-8, 30)
		return math.Tanh(x / 2), math.Expm1(x) / (math.Exp(x) + 1)
	},
	func(r *rand.Rand) (float64, float64) {
		a, b := logUniform(r, 1e-3, 1e3), logUniform(r, 1e-3, 1e3)
		return math.Hypot(a, b), math.Sqrt(a*a + b*b)
	},
	func(r *rand.Rand) (float64, float64) {
		x, n := r.Float64(), float64(between(r, 1, 100))
		return math.Pow(1+x, n), math.Exp(n * math.Log1p(x))
	},
	func(r *rand.Rand) (float64, float64) {
		x := logUniform(r, 3, 1e4)
		a, _ := math.Lgamma(x + 1)
		b, _ := math.Lgamma(x)
		return a, b + math.Log(x)
	},
	func(r *rand.Rand) (float64, float64) {
		q, n := 0.1+0.8*r.Float64(), between(r, 1, 50)
		sum := 0.0
		for i := range n {
			sum += math.Pow(q, float64(i))
		}
		return (1 - math.Pow(q, float64(n))) / (1 - q), sum
	},
}

// relationCases returns relations at 1 to 50 points. True claims hold with equality or almost with equality.
func relationCases() []Case {
	leastFault := 1e-10
	up := func(r *rand.Rand) float64 { return 1 + logUniform(r, leastFault, 1e-2) }
	down := func(r *rand.Rand) float64 { return 1 - logUniform(r, leastFault, 1e-2) }
	either := func(r *rand.Rand) float64 {
		if r.Uint64()&1 == 0 {
			return up(r)
		}
		return down(r)
	}
	none := func(*rand.Rand) float64 { return 1 }
	cases := []struct {
		name   string
		isTrue bool
		all    func(*rand.Rand) float64 // factor of the measured side at every point
		one    func(*rand.Rand) float64 // additional factor at one point
		change func(*formula.Check)
	}{
		{"=, equal", true, none, none, sense(verify.Equals)},
		{"≤, equal", true, none, none, sense(verify.AtMost)},
		{"≥, equal", true, none, none, sense(verify.AtLeast)},
		{"<, below by the least fault", true, func(*rand.Rand) float64 { return 1 - leastFault }, none, sense(verify.Below)},
		{"=, within a stated error of 1e-6", true, func(r *rand.Rand) float64 { return 1 + 0.999e-6*(2*r.Float64()-1) }, none,
			withError},
		{"=, off", false, none, either, sense(verify.Equals)},
		{"≤, above", false, none, up, sense(verify.AtMost)},
		{"≥, below", false, none, down, sense(verify.AtLeast)},
		{"<, above", false, func(*rand.Rand) float64 { return 1 - leastFault }, up, sense(verify.Below)},
		{"=, beyond a stated error of 1e-6", false, none,
			func(r *rand.Rand) float64 { return 1 + logUniform(r, 1.1e-6, 1e-2) }, withError},
		{"= of two statements of a paper, off", false, none, either,
			func(c *formula.Check) { c.Sense, c.Contradiction = verify.Equals, true }},
		{"≤ that says whether anything is claimed, above", false, none, up,
			func(c *formula.Check) { c.Sense, c.Void = verify.AtMost, true }},
	}
	var out []Case
	for _, c := range cases {
		out = append(out, exactCase(c.name, c.isTrue, func(r *rand.Rand) (verify.Check, error) {
			points := make([]formula.Point, between(r, 1, 50))
			faulty := r.IntN(len(points))
			for i := range points {
				measured, claimed := identities[r.IntN(len(identities))](r)
				measured *= c.all(r)
				if i == faulty {
					measured *= c.one(r)
				}
				points[i] = formula.Point{Place: formula.Placef("point %d", i), Measured: measured, Claimed: claimed}
			}
			check := formula.Check{Quantity: "left side", Domain: "points of identities",
				Points: formula.ListedPoints(points...)}
			c.change(&check)
			return check, nil
		}))
	}
	return out
}

func sense(s verify.Sense) func(*formula.Check) {
	return func(c *formula.Check) { c.Sense = s }
}

// withError sets the stated error of each point to 1e-6.
func withError(c *formula.Check) {
	exact := c.Points
	c.Sense = verify.Equals
	c.Points = func(add func(formula.Point)) {
		exact(func(p formula.Point) {
			p.Error = 1e-6
			add(p)
		})
	}
}
