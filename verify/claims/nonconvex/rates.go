package nonconvex

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/mean"
)

// variation is one theorem along one variable, with a fault that its means must show.
type variation struct {
	suffix    string // of the theorem's id
	of        rate
	along     axis
	statement string
	fault     fault
}

func rateClaims() (claims []verify.Claim) {
	claims = append(claims, theoremClaims("nonconvex/thm-2", "Theorem 2, eq. (4)", descentVariations())...)
	claims = append(claims, theoremClaims("nonconvex/thm-3/utility", "Theorem 3, eq. (5)", populationVariations())...)
	claims = append(claims, theoremClaims("nonconvex/thm-4", "Theorem 4, eq. (6), ‖C‖₂ = 1", gapVariations())...)
	claims = append(claims, theoremClaims("nonconvex/thm-5", "Theorem 5, eq. (7), ‖C‖₂ = 1", mirrorVariations())...)
	claims = append(claims, theoremClaims("nonconvex/thm-6/utility", "Theorem 6, eq. (8); Corollary 1",
		vertexVariations())...)
	return append(claims, regionClaims()...)
}

func theoremClaims(id, source string, variations []variation) (claims []verify.Claim) {
	for _, v := range variations {
		claims = append(claims, verify.Claim{
			ID: id + v.suffix, Source: source + ", in " + v.along.name, Kind: verify.Rate, Statement: v.statement,
			Check: v.of.check(v.along, sound),
			Twin:  verify.Twin{Check: v.of.check(v.along, v.fault), Want: checks.Refuted, Fault: v.fault.words(v.along)},
		})
	}
	return claims
}

// The settings of the rates: the falling sigmoid on 20 planted rows of norm 1, each
// n/20 times among n records, so that F does not change with n; x_1 = 0.
const (
	rateRows    = 20
	rateEpsilon = 1.0
	rateDelta   = 1e-3
	rateEta     = 0.05
	rateLambda  = 0.005 // of the experiments, λ/2
)

// rateSmooth are the constants of the sigmoid at x_1 = 0, where F = ½, and anywhere in the
// unit ball, where F is less than ½ above its least value on it.
var rateSmooth = bounds.Smooth{
	Smoothness: erm.Sigmoid{}.Smoothness(math.Inf(1)), Lipschitz: erm.Sigmoid{}.Lipschitz(math.Inf(1)),
	Range: 0.5, Constant: bounds.ConcentratedConstant,
}

// regime is where a rate is measured.
type regime struct {
	records, epsilon, delta, dim float64
	steps                        float64 // T, or 0 for the one of the theorems, ⌈v⌉
}

// The variables of the rates.
const (
	inRecords   = "n"
	inEpsilon   = "ε"
	inDimension = "p"
	inSteps     = "T"
)

// axis is a variable with the values that it takes; the others stay.
type axis struct {
	name string
	grid []float64
}

// multiples is an axis of count values from first on, each ratio times the one before.
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
	case inEpsilon:
		g.epsilon = x
	case inDimension:
		g.dim = x
	case inSteps:
		g.steps = x
	}
	return g
}

// others are the variables that stay, in words.
func (a axis) others(g regime) string {
	var words []string
	for _, v := range []struct {
		name  string
		value float64
	}{{inRecords, g.records}, {inEpsilon, g.epsilon}, {"δ", g.delta}, {inDimension, g.dim}} {
		if v.name != a.name {
			words = append(words, fmt.Sprintf("%s = %g", v.name, v.value))
		}
	}
	if a.name != inSteps {
		words = append(words, "T = ⌈v⌉")
	}
	return strings.Join(words, ", ")
}

// fault is what a bound is multiplied by: share·(x/x_0)^power, x_0 the first point of the axis.
type fault struct{ share, power float64 }

// sound is no fault.
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
	bound          func(g regime, v float64) float64
	trivial        func(g regime) float64
	step           func(v, steps float64) float64 // γ
	// rows are the records, each n/rows times among n, and for Theorem 3 the atoms of the law.
	rows  func(dim int) int
	start func(dim int) []float64 // x_1
	value run
}

// run is one replicate: the value at x_R.
type run func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, g regime, c algorithm.Config) (float64, error)

// instance is a theorem at one point, ready to run.
type instance struct {
	regime
	data   *dataset.Dataset
	config algorithm.Config
}

func (t rate) instance(s verify.Settings, g regime) (instance, error) {
	dim := int(g.dim)
	data, err := plantedRows(s.Common("rows"), t.rows(dim), dim)
	if err != nil {
		return instance{}, err
	}
	v := t.ratio(g)
	if g.steps == 0 {
		g.steps = math.Ceil(v)
	}
	return instance{g, data, algorithm.Config{
		Loss: erm.Sigmoid{Falling: true}, Iterations: int(g.steps), Start: t.start(dim),
		StepSize: algorithm.Constant(t.step(v, g.steps)),
	}}, nil
}

// check runs the algorithm along an axis and holds its means against the bound times
// the fault.
func (t rate) check(a axis, f fault) verify.Check {
	return checks.Deferred(func(_ context.Context, s verify.Settings) (verify.Check, error) {
		instances := make(map[float64]instance)
		for _, x := range a.grid {
			i, err := t.instance(s, a.at(t.base, x))
			if err != nil {
				return nil, err
			}
			instances[x] = i
		}
		replicates := t.replicates
		if f != sound {
			replicates *= 4 // to refute takes more than to support
		}
		return mean.Rate{
			Quantity: t.quantity, Variable: a.name, Sense: verify.AtMost, Grid: a.grid, Replicates: replicates, Effect: 0.25,
			Note: t.note + "; " + a.others(t.base) + ", c = 11.66",
			Run: func(ctx context.Context, r *rand.Rand, x float64) (float64, error) {
				i := instances[x]
				return t.value(ctx, r, i.data, i.regime, i.config)
			},
			Bound: func(x float64) float64 {
				g := a.at(t.base, x)
				return f.of(a, x) * t.bound(g, t.ratio(g))
			},
			Trivial: func(x float64) float64 { return t.trivial(a.at(t.base, x)) },
			Range:   func(float64) (lo, hi float64) { return 0, math.Inf(1) },
			Premise: func(x float64) string {
				if v := t.ratio(a.at(t.base, x)); !(v >= t.least) {
					return fmt.Sprintf("T = %.3g is below %g", v, t.least)
				}
				return ""
			},
		}, nil
	})
}

func plantedRows(r *rand.Rand, n, dim int) (*dataset.Dataset, error) {
	data, _, err := dataset.Planted(r, n, dim, dataset.PlantedSign)
	if err != nil {
		return nil, err
	}
	prepared, err := dataset.Preparation{Scale: dataset.ScaleRows}.Fit(data)
	if err != nil {
		return nil, err
	}
	return prepared.Apply(data)
}

func (g regime) budget(steps int) algorithm.Budget {
	return algorithm.Budget{Epsilon: g.epsilon, Delta: g.delta, Steps: steps, Records: int(g.records),
		Lipschitz: rateSmooth.Lipschitz}
}

// gradientNoise is σ of eq. (3).
func gradientNoise(g regime, steps int) (float64, error) {
	return algorithm.NoiseTheorem1(g.budget(steps), rateSmooth.Constant)
}

// settle is the constant step size of Theorem 2.
func settle() float64 { return 1 / (2 * rateSmooth.Smoothness) }

func settled(_, _ float64) float64 { return settle() }

// held is the bound of a theorem: factor/√v at its T, at(v, T) at another.
func held(factor float64, at func(v, steps float64) float64) func(regime, float64) float64 {
	return func(g regime, v float64) float64 {
		if g.steps == 0 {
			return factor / math.Sqrt(v)
		}
		return at(v, g.steps)
	}
}
