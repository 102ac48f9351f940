package pairwise

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// measureClaims returns the claims about the information in an objective value.
func measureClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "pairwise/experiments/auc/figure-3", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Fig. 3: the text reads \"the higher the AUC\" from it (see the errata); a smaller F need not mean a " +
				"larger AUC for each pair of parameters",
			Statement: "an objective value F, the only quantity in Figure 3, bounds the AUC from below by 1 − (F − " +
				"s·log 2)/((1−s)·log 2). Here s is the share of pairs with equal labels",
			Check:    surrogate(1, "φ(t) ≥ log 2 for t ≤ 0, that is for every pair in the wrong order or tied"),
			Control:  checks.Faulty(surrogate(0.5, ""), "half of the distance from 1"),
			Formerly: []string{"pairwise/experiments/auc/figure-3/corrected"},
		},
		{
			ID: "pairwise/experiments/measures", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Performance measures 3, second sentence: a rule of thumb. Of two perturbations in different " +
				"directions, the one a tenth longer can have the smaller objective value",
			Statement: "a smaller objective value means a less perturbed model. Setting: perturbations of the minimizer " +
				"in one direction, AUC objective with ridge 0.1 (convexity covers every such case)",
			Check:    lessPerturbed(true, convexAlong),
			Control:  checks.Faulty(lessPerturbed(false, ""), "perturbations in any direction"),
			Formerly: []string{"pairwise/experiments/measures/corrected"},
		},
	}
}

const convexAlong = "the objective is convex, and least at the end of the ray"

// noisyRows returns 40 planted rows of R²; every seventh label is flipped.
func noisyRows(r *rand.Rand) (*dataset.Dataset, error) {
	data, _, err := dataset.Sphere(r, 40, 2, 0.1)
	if err != nil {
		return nil, err
	}
	return relabeled(data, func(i int) float64 {
		if i%7 == 0 {
			return -data.Label(i)
		}
		return data.Label(i)
	})
}

// inDisc draws a point of the unit disc in a random direction.
func inDisc(r *rand.Rand) []float64 {
	angle, radius := 2*math.Pi*r.Float64(), r.Float64()
	return []float64{radius * math.Cos(angle), radius * math.Sin(angle)}
}

// onNoisyRows evaluates a relation between parameters on noisy rows.
func onNoisyRows(check formula.Check, points func(r *rand.Rand, p pairwise.Problem, data *dataset.Dataset,
	add func(formula.Point))) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		data, err := noisyRows(s.Stream("rows"))
		if err != nil {
			return nil, err
		}
		p, err := aucTask.problem(data, 0)
		if err != nil {
			return nil, err
		}
		r := s.Stream("parameters")
		check.Points = func(add func(formula.Point)) { points(r, p, data, add) }
		return check.Prepare(ctx, s)
	})
}

// surrogate compares 1 − AUC with a factor times the objective value.
func surrogate(factor float64, proof string) verify.Check {
	return onNoisyRows(formula.Check{
		Quantity: "1 − AUC", Sense: verify.AtMost, Proof: proof,
		Domain: "500 parameters, half of them near 0, 40 planted rows, some of them mislabeled",
	}, func(r *rand.Rand, p pairwise.Problem, data *dataset.Dataset, add func(formula.Point)) {
		n, positives := float64(data.Len()), float64(data.Positives())
		different := 2 * positives * (n - positives) / (n * (n - 1))
		for i := range 500 {
			w := inDisc(r)
			if i%2 == 0 {
				floats.Scale(1e-3, w)
			}
			bound := (p.Risk(w, data) - (1-different)*math.Ln2) / (different * math.Ln2)
			add(formula.Point{Place: formula.Placef("w=%.3g", w), Measured: 1 - pairwise.AUC(w, data),
				Claimed: factor * bound,
				Error:   1e-9, Show: i < 5})
		}
	})
}

// lessPerturbed compares the objective values at two perturbations of the minimizer, the second a tenth longer.
func lessPerturbed(sameDirection bool, proof string) verify.Check {
	return onNoisyRows(formula.Check{
		Quantity: "objective value of the smaller perturbation", Sense: verify.AtMost, Proof: proof,
		Domain: "200 pairs of perturbations, the second a tenth longer, of the minimizer over R² with λ = 0.1 in the " +
			"objective; 40 planted rows, some of them mislabeled",
	}, func(r *rand.Rand, p pairwise.Problem, data *dataset.Dataset, add func(formula.Point)) {
		p.Ridge = 0.1
		best := objectiveMinimizer(p, data)
		for i := range 200 {
			e := inDisc(r)
			f := []float64{1.1 * e[0], 1.1 * e[1]}
			if !sameDirection {
				turn := 2 * math.Pi * r.Float64()
				f[0], f[1] = f[0]*math.Cos(turn)-f[1]*math.Sin(turn), f[0]*math.Sin(turn)+f[1]*math.Cos(turn)
			}
			floats.Add(e, best)
			floats.Add(f, best)
			add(formula.Point{Place: formula.Placef("pair %d", i+1), Measured: p.Risk(e, data), Claimed: p.Risk(f, data),
				Error: 1e-9,
				Show:  i < 5})
		}
	})
}

// objectiveMinimizer minimizes the objective by gradient descent with central differences; λ makes it strongly
// convex, and L ≤ 5.
func objectiveMinimizer(p pairwise.Problem, data *dataset.Dataset) []float64 {
	w, g := make([]float64, 2), make([]float64, 2)
	const h = 1e-5
	for range 400 {
		for k := range w {
			at := w[k]
			w[k] = at + h
			g[k] = p.Risk(w, data)
			w[k] = at - h
			g[k] = (g[k] - p.Risk(w, data)) / (2 * h)
			w[k] = at
		}
		floats.AddScaled(w, -0.4, g)
	}
	return w
}
