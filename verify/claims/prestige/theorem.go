package prestige

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/relation"
)

func theoremClaims() []verify.Claim {
	const corrected = "prestige/thm-1/corrected"
	literal := training{lambda: 1, radius: 2, threshold: firstThreshold, decrease: decrease, trueLabels: true}
	selecting := training{lambda: 1, radius: 1, threshold: math.Inf(-1), project: true}
	trueLabels, unprojected, loose := selecting, selecting, selecting
	trueLabels.trueLabels = true
	unprojected.project = false
	loose.lambda, loose.project = 0.01, false
	return []verify.Claim{
		{
			ID: "prestige/thm-1", Source: "Theorem 1, eq. (31)", Kind: verify.Rate,
			Statement: "after T updates of Algorithm 1 with D_th = 1.5 and μ = 1, √T times the gap of the mean iterate, with " +
				"the labels as they are, is at most c(ε_s, λ)k(d)",
			Check: literal.constant(),
			Twin: verify.Twin{Check: selecting.bounded(paper.Rate), Want: checks.Consistent,
				Fault: "none: every record selected, projection, and F over the perturbed labels"},
			Corrected: corrected,
		},
		{
			ID: "prestige/thm-1/true-labels", Source: "Theorem 1, eq. (31)", Kind: verify.Rate,
			Statement: "with projection and every record selected, the gap with the labels as they are is at " +
				"most c(ε_s, λ)k(d)/√T",
			Check: trueLabels.bounded(paper.Rate),
			Twin: verify.Twin{Check: selecting.bounded(paper.Rate), Want: checks.Consistent,
				Fault: "none: F over the perturbed labels"},
			Corrected: corrected,
		},
		{
			ID: "prestige/thm-1/projected", Source: "Theorem 1, eq. (31)", Kind: verify.Rate,
			Statement: "with projection, every record selected and F over the perturbed labels, the gap is at " +
				"most c(ε_s, λ)k(d)/√T",
			Check: selecting.bounded(paper.Rate),
			Twin: verify.Twin{Check: trueLabels.bounded(paper.Rate), Want: checks.Refuted,
				Fault: "F over the labels as they are"},
		},
		{
			ID: "prestige/thm-1/unprojected", Source: "Theorem 1, eq. (31)", Kind: verify.Rate,
			Statement: "without projection, at λ = 1, every record selected and F over the perturbed labels, the gap is at " +
				"most c(ε_s, λ)k(d)/√T",
			Check: unprojected.bounded(paper.Rate),
			Twin: verify.Twin{Check: unprojected.bounded(hundredth), Want: checks.Refuted,
				Fault: "a hundredth of the bound"},
		},
		{
			ID: "prestige/thm-1/unprojected/small-lambda", Source: "Theorem 1, eq. (31)", Kind: verify.Rate,
			Statement: "without projection, at λ = 0.01, every record selected and F over the perturbed labels, the gap is at " +
				"most c(ε_s, λ)k(d)/√T",
			Check: loose.bounded(paper.Rate),
			Twin:  verify.Twin{Check: loose.bounded(hundredth), Want: checks.Refuted, Fault: "a hundredth of the bound"},
		},
		{
			ID: corrected, Source: "Theorem 1, corrected", Kind: verify.Rate,
			Statement: "with projection, every record selected and F over the perturbed labels, the gap is at most (2λ²+1)/λ " +
				"· RB/√T with the unbiased B",
			Check: mendedRate(selecting),
			Twin:  verify.Twin{Check: mendedRate(trueLabels), Want: checks.Refuted, Fault: "F over the labels as they are"},
		},
		{
			ID: "prestige/thm-1/premise", Source: "Theorem 1", Kind: verify.Rate,
			Statement: "the iterates of Algorithm 1 stay in the ball of radius R",
			Check:     staysInBall(false),
			Twin: verify.Twin{Check: staysInBall(true), Want: checks.Holds,
				Fault: "none: w projected on the ball after each update"},
			Corrected: "prestige/thm-1/premise/corrected",
		},
		{
			ID: "prestige/thm-1/premise/corrected", Source: "Theorem 1, corrected", Kind: verify.Rate,
			Statement: "the iterates of Algorithm 1, projected on the ball after each update, stay in it",
			Check:     staysInBall(true),
			Twin:      verify.Twin{Check: staysInBall(false), Want: checks.Refuted, Fault: "no projection"},
		},
	}
}

// hundredth understates the bound of Theorem 1.
func hundredth(d int, epsilon, lambda, lipschitz, radius, updates float64) float64 {
	return paper.Rate(d, epsilon, lambda, lipschitz, radius, updates) / 100
}

// mendedRate holds the gap against bounds.Gap with the unbiased B.
func mendedRate(t training) verify.Check {
	return checks.Deferred(func(context.Context, verify.Settings) (verify.Check, error) {
		b, err := bounds.PrivateSamplingBound(trainingDim, gradientEpsilon, t.lipschitz())
		return t.bounded(func(_ int, _, lambda, _, radius, updates float64) float64 {
			return bounds.Gap(lambda, radius, b, updates)
		}), err
	})
}

// training is a setting of Theorem 1: rows of dimension 1, all at 1 with the label +1;
// hinge loss; a start uniform in the ball. Equal records leave nothing to the order in
// which an epoch takes them, so that eq. (26) holds but for the labels and the selection.
type training struct {
	lambda, radius      float64
	threshold, decrease float64
	project             bool
	trueLabels          bool // F over the labels as they are, not as perturbed
}

const (
	trainingDim  = 1
	trainingRows = 100
)

const trainingWords = "100 records x = 1, y = +1 of dimension 1, hinge loss, ε_r = 0.2, ε_s = 0.8"

func (t training) lipschitz() float64 { return t.lambda*t.radius + 1 }

func trainingData() (*dataset.Dataset, error) {
	values, labels := make([]float64, trainingRows), make([]float64, trainingRows)
	for i := range labels {
		values[i], labels[i] = 1, 1
	}
	return dataset.NewDense(trainingDim, values, labels)
}

// objective is F at w: over the labels as they are, or over their perturbation.
func (t training) objective(w float64) float64 {
	turn := 1 / (1 + math.Exp(labelEpsilon))
	if t.trueLabels {
		turn = 0
	}
	return (1-turn)*erm.Hinge{}.Value(w) + turn*erm.Hinge{}.Value(-w) + t.lambda/2*w*w
}

// least is the minimum of F in the ball, by ternary search.
func (t training) least() float64 {
	low, high := -t.radius, t.radius
	for range 200 {
		a, b := low+(high-low)/3, high-(high-low)/3
		if t.objective(a) <= t.objective(b) {
			high = b
		} else {
			low = a
		}
	}
	return t.objective((low + high) / 2)
}

// run trains for whole epochs and returns the gap of the mean iterate and T.
func (t training) run(ctx context.Context, r *rand.Rand, epochs int) (gap float64, updates int, err error) {
	data, err := trainingData()
	if err != nil {
		return 0, 0, err
	}
	bound, err := paper.PrivateSamplingBound(trainingDim, gradientEpsilon, t.lipschitz())
	if err != nil {
		return 0, 0, err
	}
	result, err := localsgd.PRESTIGE(ctx, r, data,
		localsgd.Config{Loss: erm.Hinge{}, Lambda: t.lambda, Radius: t.radius, Lipschitz: t.lipschitz(), Epochs: epochs,
			Project: t.project, Average: true},
		localsgd.Privacy{Epsilon: gradientEpsilon, Bound: bound, Premise: localsgd.PremiseClip},
		localsgd.Curriculum{Epsilon: labelEpsilon, Threshold: t.threshold, Decrease: t.decrease})
	if err != nil {
		return 0, 0, err
	}
	return math.Max(0, t.objective(result.Mean[0])-t.least()), result.Steps, nil
}

// bounded holds the gap against a bound over a grid of T, every record being selected.
func (t training) bounded(bound func(d int, epsilon, lambda, lipschitz, radius, updates float64) float64) verify.Check {
	check := mean.Rate{
		Quantity: "E F(ŵ) − F(w*)", Variable: "T", Sense: verify.AtMost, Note: trainingWords,
		Grid: t.grid(), Replicates: 640,
		Run: func(ctx context.Context, r *rand.Rand, x float64) (float64, error) {
			gap, _, err := t.run(ctx, r, int(x)/trainingRows)
			return gap, err
		},
		Bound: func(x float64) float64 {
			return bound(trainingDim, gradientEpsilon, t.lambda, t.lipschitz(), t.radius, x)
		},
		Range: func(float64) (lo, hi float64) { return 0, math.Inf(1) },
	}
	if t.project {
		// No point of the ball is worse than its far end.
		most := t.objective(-t.radius) - t.least()
		check.Trivial = func(float64) float64 { return most }
		check.Range = func(float64) (lo, hi float64) { return 0, most * (1 + 1e-9) }
	}
	return check
}

// grid is T: with the labels as they are the gap does not vanish, and exceeds the
// bound from T = 2,800 on.
func (t training) grid() []float64 {
	if t.trueLabels {
		return []float64{400, 1600, 12800}
	}
	return []float64{100, 400, 1600, 6400}
}

// constant holds √T times the gap against c·k: where the curriculum selects, T is random.
func (t training) constant() verify.Check {
	return mean.Rate{
		Quantity: "E √T (F(ŵ) − F(w*))", Variable: "epochs", Sense: verify.AtMost, Note: trainingWords,
		Grid: []float64{64, 1024}, Replicates: 320,
		Run: func(ctx context.Context, r *rand.Rand, x float64) (float64, error) {
			gap, updates, err := t.run(ctx, r, int(x))
			return gap * math.Sqrt(float64(updates)), err
		},
		Bound: func(float64) float64 {
			return paper.Rate(trainingDim, gradientEpsilon, t.lambda, t.lipschitz(), t.radius, 1)
		},
		Range: func(float64) (lo, hi float64) { return 0, math.Inf(1) },
	}
}

// staysInBall runs one epoch over a few rows from the edge of the ball.
func staysInBall(project bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		relation := relation.Check{
			Quantity: "largest ‖w‖/R after an update", Sense: verify.AtMost,
			Domain: "64 runs of one to eight updates from ‖w‖ = R = 1 at each d ∈ {1, 2, 10} and λ ∈ {10⁻³, 0.1, 1, 10}, " +
				"every record selected",
			Points: func(add func(relation.Point)) {
				for _, d := range []int{1, 2, 10} {
					for _, lambda := range []float64{1e-3, 0.1, 1, 10} {
						norm, err := largestNorm(ctx, s.Stream("ball", fmt.Sprint(d, lambda)), d, lambda, project)
						add(relation.Point{At: relation.At("d=%d, λ=%g", d, lambda), Measured: norm, Claimed: 1, Show: true, Err: err})
					}
				}
			},
		}
		if project {
			relation.Proof = "projection is on the ball"
		}
		return relation.Prepare(ctx, s)
	})
}

func largestNorm(ctx context.Context, r *rand.Rand, d int, lambda float64, project bool) (most float64, err error) {
	for i := range 64 {
		rows := 1 + i%8
		values, labels := make([]float64, 0, rows*d), make([]float64, rows)
		for k := range labels {
			values, labels[k] = append(values, onSphere(r, d)...), float64(2*r.IntN(2)-1)
		}
		data, err := dataset.NewDense(d, values, labels)
		if err != nil {
			return 0, err
		}
		result, err := localsgd.PRESTIGE(ctx, r, data,
			localsgd.Config{Loss: erm.Hinge{}, Lambda: lambda, Radius: 1, Lipschitz: lambda + 1, Epochs: 1, Project: project,
				Init: onSphere(r, d)},
			localsgd.Privacy{Epsilon: gradientEpsilon, Bound: 10, Premise: localsgd.PremiseClip},
			localsgd.Curriculum{Epsilon: labelEpsilon, Threshold: math.Inf(-1)})
		if err != nil {
			return 0, err
		}
		most = math.Max(most, floats.Norm(result.W, 2))
	}
	return most, nil
}
