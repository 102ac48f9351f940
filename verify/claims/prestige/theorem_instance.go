package prestige

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/mean"
)

// instance is a convex loss with a gradient of constant norm that all records share, without a regularizer, so that
// labels and the curriculum have no effect. Private sampling with projection minimizes it; L = R = 1.
type instance struct {
	d             int
	epsilon       float64
	lambda, slope float64 // ‖∇F‖ = slope ≤ L
	edge          bool    // F = slope·(1 − ⟨u, w⟩), with its minimum on the boundary; else slope·‖w‖
	far           bool    // starts at −u, else uniformly in the ball
	last          bool    // gap of the last iterate, else of the mean of w_1, …, w_T
}

func (i instance) String() string {
	shape, start := "‖w‖", "uniform in the ball"
	if i.edge {
		shape = "(R − ⟨u, w⟩)"
	}
	if i.far {
		start = "−Ru"
	}
	return fmt.Sprintf("F = %gL%s, d=%d, ε_s=%g, λ=%g, start %s", i.slope, shape, i.d, i.epsilon, i.lambda, start)
}

// value returns F(w); its minimum in the ball is 0.
func (i instance) value(w []float64) float64 {
	if i.edge {
		return math.Max(0, i.slope*(1-w[0]))
	}
	return i.slope * floats.Norm(w, 2)
}

// gradient writes ∇F at w to g; at the kink of ‖w‖ it takes the subgradient along u.
func (i instance) gradient(w, g []float64) {
	clear(g)
	g[0] = -i.slope
	if n := floats.Norm(w, 2); !i.edge && n > 0 {
		floats.ScaleTo(g, i.slope/n, w)
	}
}

// gap runs T updates and returns F at the mean or at the last of w_1, …, w_T.
func (i instance) gap(r *rand.Rand, updates int) (float64, error) {
	sampler, err := mechanism.NewPrivateSampling(i.d, i.epsilon, 1, 1)
	if err != nil {
		return 0, err
	}
	w, g, z, sum := make([]float64, i.d), make([]float64, i.d), make([]float64, i.d), make([]float64, i.d)
	if i.far {
		w[0] = -1
	} else {
		floats.ScaleTo(w, math.Pow(r.Float64(), 1/float64(i.d)), onSphere(r, i.d))
	}
	for t := 1; ; t++ {
		floats.Add(sum, w)
		if t == updates {
			break
		}
		i.gradient(w, g)
		if err := sampler.Sample(r, g, z); err != nil {
			return 0, err
		}
		floats.AddScaled(w, -1/(i.lambda*math.Sqrt(float64(t))), z)
		if n := floats.Norm(w, 2); n > 1 {
			floats.Scale(1/n, w)
		}
	}
	if i.last {
		return i.value(w), nil
	}
	floats.Scale(1/float64(updates), sum)
	return i.value(sum), nil
}

// horizons are the values of T at which the instances are compared with a bound.
var horizons = []float64{100, 1600}

// adversaries returns the instances of the search: parameters at the limits of the assumptions and between them.
func adversaries(far, last bool) (all []instance) {
	for _, d := range []int{1, 3} {
		for _, epsilon := range []float64{0.8, 2} {
			for _, lambda := range []float64{0.1, 0.3, 1, 10} {
				for _, slope := range []float64{0.3, 1} {
					for _, edge := range []bool{false, true} {
						all = append(all, instance{d: d, epsilon: epsilon, lambda: lambda, slope: slope, edge: edge, far: far,
							last: last})
					}
				}
			}
		}
	}
	return all
}

// limit is a bound on the gap of an instance after T updates, at L = R = 1.
type limit func(i instance, updates float64) (float64, error)

// worstAdversary chooses the instance with the largest ratio of gap and bound in pilot runs, and tests the bound on
// independent runs of this instance.
func worstAdversary(far, last bool, bound limit) verify.Check {
	return checks.Deferred(func(ctx context.Context, s verify.Settings) (verify.Check, error) {
		const pilots = 8
		type tried struct {
			instance
			ratio float64
		}
		var all []tried
		for k, i := range adversaries(far, last) {
			t := tried{instance: i}
			for h, updates := range horizons {
				most, err := bound(i, updates)
				if err != nil {
					return nil, err
				}
				r, total := s.Stream("pilot", fmt.Sprint(k, h)), 0.0
				for range pilots {
					if ctx.Err() != nil {
						return nil, context.Cause(ctx)
					}
					gap, err := i.gap(r, int(updates))
					if err != nil {
						return nil, err
					}
					total += gap
				}
				t.ratio = math.Max(t.ratio, total/pilots/most)
			}
			all = append(all, t)
		}
		chosen := slices.MaxFunc(all, func(a, b tried) int {
			switch {
			case a.ratio < b.ratio:
				return -1
			case a.ratio > b.ratio:
				return 1
			}
			return 0
		})
		return chosen.rate(bound, horizons, fmt.Sprintf(": of %d instances the one with the largest ratio of gap and "+
			"bound in pilot runs", len(all))), nil
	})
}

// rate returns the check of one instance at the given values of T.
func (i instance) rate(bound limit, grid []float64, chosen string) mean.Rate {
	return mean.Rate{
		Quantity: "E F(w) − F(w*)", Variable: "T", Sense: verify.AtMost, Grid: grid, Replicates: 5120,
		Note: fmt.Sprintf("%v%s; L = R = 1, the records have this loss and no regularizer", i, chosen),
		Run:  func(_ context.Context, r *rand.Rand, updates float64) (float64, error) { return i.gap(r, int(updates)) },
		Bound: func(updates float64) float64 {
			most, err := bound(i, updates)
			if err != nil {
				return math.NaN() // mean.Rate rejects a bound that is not a number
			}
			return most
		},
		Range: func(float64) (lo, hi float64) { return 0, 2 * i.slope * (1 + 1e-9) },
	}
}
