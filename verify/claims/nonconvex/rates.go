package nonconvex

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/mean"
)

func rateClaims() (claims []verify.Claim) {
	for _, v := range variations() {
		claims = append(claims, verify.Claim{
			ID: v.id, Kind: verify.Rate, Origin: v.origin, Place: v.place, Statement: v.statement, Formerly: v.formerly,
			Check:   v.of.check(v.along, sound),
			Control: checks.Faulty(v.of.check(v.along, v.fault), v.fault.words(v.along)),
		})
	}
	claims = append(claims, verify.Claim{
		ID: "nonconvex/thm-6/utility/probability", Kind: verify.Rate, Origin: verify.Reading,
		Place: "Theorem 6, eq. (8), with probability 1 − η: an expectation holds with this probability. The expectation " +
			"is read as the mean over R in a run",
		Statement: "the mean over R of the Frank–Wolfe gaps of one run of Algorithm 4 on the unit ℓ1 ball exceeds " +
			"Δ/√(2T) + 2√2·L/√T + 8√2·G√T/v with probability at most η = 0.05. The 1 − η of Theorem 6 is read as the " +
			"probability over the selections, and its expectation as the mean over R. Setting: n = 8000, p = 16, ε = 1, T " +
			"= ⌈v⌉, v = nε/(√ln(1/δ)·ln(n|A|/η))",
		Check:   exceeding(1),
		Control: checks.Faulty(exceeding(0.1), "a tenth of the bound"),
	})
	return append(claims, regionClaims()...)
}

// exceeding measures the probability that a run at the worst instance exceeds a share of the bound.
func exceeding(share float64) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		t := ballVertices()
		t.base.dim = 16
		i, ratio, err := t.worst(ctx, s, t.base)
		if err != nil {
			return nil, err
		}
		return mean.Rate{
			Quantity: "P(mean over R of the gaps above the bound)", Variable: inRecords, Sense: verify.AtMost,
			Grid: []float64{i.records}, Replicates: 2600, Effect: 0.25,
			Note: fmt.Sprintf("%s; p = 16, ε = 1, δ = 0.001, T = ⌈v⌉; the worst instance, %s (%.2g of the bound in the mean)",
				t.note, i.name, ratio),
			Run: func(ctx context.Context, r *rand.Rand, _ float64) (float64, error) {
				value, err := t.value(ctx, r, i)
				if value > share*t.bound(i.smooth, i.regime, i.v) {
					return 1, err
				}
				return 0, err
			},
			Bound: func(float64) float64 { return rateEta },
			Range: func(float64) (lo, hi float64) { return 0, 1 },
		}, nil
	})
}

// Settings of the rates. Planted instances have 20 rows of norm 1, each n/20 times among n records, so that F does
// not depend on n; x_1 = 0.
const (
	rateRows    = 20
	rateEpsilon = 1.0
	rateDelta   = 1e-3
	rateEta     = 0.05
)

// rateSmooth holds the constants of the sigmoid at x_1 = 0, where F = 0.5, and anywhere in the unit ball, where F is
// less than 0.5 above its minimum on the ball.
var rateSmooth = bounds.Smooth{
	Smoothness: erm.Sigmoid{}.Smoothness(math.Inf(1)), Lipschitz: erm.Sigmoid{}.Lipschitz(math.Inf(1)),
	Range: 0.5, Constant: bounds.ConcentratedConstant,
}

// regime holds the values of the variables at which a rate is measured.
type regime struct {
	records, epsilon, delta, dim float64
	steps                        float64 // T, or 0 for the one of the theorems, ⌈v⌉
}

// Variables of the rates.
const (
	inRecords   = "n"
	inDimension = "p"
	inSteps     = "T"
)

// axis is a variable with its values; the other variables are fixed.
type axis struct {
	name string
	grid []float64
}

// multiples returns an axis of count values, a geometric sequence that begins with first.
func multiples(name string, first, ratio float64, count int) axis {
	a := axis{name: name}
	for x := first; count > 0; count-- {
		a.grid = append(a.grid, x)
		x *= ratio
	}
	return a
}

func (a axis) at(g regime, x float64) regime {
	switch a.name {
	case inRecords:
		g.records = x
	case inDimension:
		g.dim = x
	case inSteps:
		g.steps = x
	}
	return g
}

// others describes the fixed variables.
func (a axis) others(g regime) string {
	var words []string
	for _, v := range []struct {
		name  string
		value float64
	}{{inRecords, g.records}, {"ε", g.epsilon}, {"δ", g.delta}, {inDimension, g.dim}} {
		if v.name != a.name {
			words = append(words, fmt.Sprintf("%s = %g", v.name, v.value))
		}
	}
	if a.name != inSteps {
		words = append(words, "T = ⌈v⌉")
	}
	return strings.Join(words, ", ")
}

// fault is a factor of a bound: share·(x/x_0)^power, with x_0 the first point of the axis.
type fault struct{ share, power float64 }

// sound is the factor 1.
var sound = fault{share: 1}

func (f fault) of(a axis, x float64) float64 { return f.share * math.Pow(x/a.grid[0], f.power) }

func (f fault) words(a axis) string {
	var words []string
	if f.share != 1 {
		words = append(words, fmt.Sprintf("%g of the constants", f.share))
	}
	if f.power != 0 {
		words = append(words, fmt.Sprintf("the bound times %s^(%g)", a.name, f.power))
	}
	return strings.Join(words, ", ")
}

// rate is a theorem about one algorithm.
type rate struct {
	quantity, note string
	base           regime
	replicates     int64
	least          float64                // of v, below which the theorem has no run
	ratio          func(g regime) float64 // v
	bound          func(smooth bounds.Smooth, g regime, v float64) float64
	trivial        func(i instance) float64
	step           func(smooth bounds.Smooth, v, steps float64) float64 // γ
	families       []family
	// slopes returns the slopes of the linear F = ±slope·x₁, sign = ±1, that the adversary tries, and starts returns
	// their x_1; both may be nil.
	slopes func(g regime, v float64) []float64
	starts func(dim int) [][]float64
	sign   float64
	value  run
}

// run returns one replicate: the value at x_R, averaged over R.
type run func(ctx context.Context, r *rand.Rand, i instance) (float64, error)

// check runs the algorithm along an axis at the worst instances, and compares its means with the bound times the
// fault.
func (t rate) check(a axis, f fault) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		instances, ratios := make(map[float64]instance), make(map[float64]float64)
		for _, x := range a.grid {
			g := a.at(t.base, x)
			if t.premise(g) != "" {
				continue
			}
			i, ratio, err := t.worst(ctx, s, g)
			if err != nil {
				return nil, err
			}
			instances[x], ratios[x] = i, ratio
		}
		replicates := t.replicates
		if f != sound {
			replicates *= 4 // to refute takes more than to support
		}
		return mean.Rate{
			Quantity: t.quantity, Variable: a.name, Sense: verify.AtMost, Grid: a.grid, Replicates: replicates, Effect: 0.25,
			Note: t.note + "; " + a.others(t.base) + ", c = 11.66; " + chosen(a, instances, ratios),
			Run: func(ctx context.Context, r *rand.Rand, x float64) (float64, error) {
				return t.value(ctx, r, instances[x])
			},
			Bound: func(x float64) float64 {
				i := t.at(instances, a, x)
				return f.of(a, x) * t.bound(i.smooth, i.regime, i.v)
			},
			Trivial: func(x float64) float64 { return t.trivial(t.at(instances, a, x)) },
			Range:   func(float64) (lo, hi float64) { return 0, math.Inf(1) },
			Premise: func(x float64) string { return t.premise(a.at(t.base, x)) },
		}, nil
	})
}

// at returns the instance at a point of the grid, and elsewhere the instance of the nearest point with the point's
// values.
func (t rate) at(instances map[float64]instance, a axis, x float64) instance {
	if i, ok := instances[x]; ok {
		return i
	}
	var i instance
	distance := math.Inf(1)
	for _, y := range a.grid {
		if near, ok := instances[y]; ok && math.Abs(math.Log(x/y)) < distance {
			i, distance = near, math.Abs(math.Log(x/y))
		}
	}
	g := a.at(t.base, x)
	i.v = t.ratio(g)
	if g.steps == 0 {
		g.steps = math.Ceil(i.v)
	}
	i.regime = g
	return i
}

func (t rate) premise(g regime) string {
	if v := t.ratio(g); !(v >= t.least) {
		return fmt.Sprintf("T = %.3g is below %g", v, t.least)
	}
	return ""
}

func (i instance) budget() algorithm.Budget {
	return algorithm.Budget{Epsilon: i.epsilon, Delta: i.delta, Steps: i.config.Iterations, Records: int(i.records),
		Lipschitz: i.smooth.Lipschitz}
}

// noisy returns the configuration with the σ of eq. (3).
func (i instance) noisy() (algorithm.Config, error) {
	c := i.config
	var err error
	c.Sigma, err = algorithm.NoiseTheorem1(i.budget(), i.smooth.Constant)
	return c, err
}

// settled returns the constant step size of Theorem 2.
func settled(smooth bounds.Smooth, _, _ float64) float64 { return 1 / (2 * smooth.Smoothness) }
