package prestige

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func domainClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/prop-1/domain", Source: "Prop. 1, Alg. 1", Kind: verify.Sensitivity,
			Origin: verify.Implied, Place: "Proposition 1: ‖g‖ ≤ L; Algorithm 1, Compute g and P-Update, which " +
				"does not project",
			Statement: "every gradient that Algorithm 1 privatises has norm at most L = λR + 1, the Lipschitz constant on the " +
				"ball of radius R for rows of norm 1",
			Check: gradientNorms(false, regularised),
			Control: verify.Control{Check: gradientNorms(true, regularised), Want: checks.Holds,
				Fault: "none: w projected on the ball after each update"},
			Corrected: "prestige/prop-1/domain/projected",
		},
		{
			ID: "prestige/prop-1/domain/projected", Source: "Prop. 1, Alg. 1, with the w ∈ B_d(R) of eq. (1)",
			Kind:   verify.Sensitivity,
			Origin: verify.Correction, Place: "Algorithm 1, P-Update, with w in B_d(R) as the line below eq. (1) " +
				"and Theorem 1 have it",
			Statement: "with w projected on the ball of radius R after each update, every gradient has norm at most L = λR + 1",
			Check:     gradientNorms(true, regularised),
			Control: verify.Control{Check: gradientNorms(true, lossAlone), Want: checks.Refuted,
				Fault: "L = 1, the constant of the loss without the regulariser"},
		},
		{
			ID: "prestige/prop-1/domain/zero", Source: "Prop. 1, Alg. 1", Kind: verify.Sensitivity,
			Origin: verify.Implied, Place: "Proposition 1: g/‖g‖; Algorithm 1, Input: λ ≥ 0, and If: z ≥ D_th > 1",
			Statement: "no gradient that Algorithm 1 privatises is zero, for λ ≥ 0 and the default hinge loss",
			Check:     selectedGradient(0),
			Control:   verify.Control{Check: selectedGradient(1e-3), Want: checks.Holds, Fault: "none: λ at least 10⁻³"},
			Corrected: "prestige/prop-1/domain/zero/corrected",
		},
		{
			ID: "prestige/prop-1/domain/zero/corrected", Source: "Prop. 1, Alg. 1, corrected", Kind: verify.Sensitivity,
			Origin: verify.Correction, Place: "Algorithm 1, Compute g, at z ≥ D_th = 1.5 with λ > 0",
			Statement: "for λ > 0 the gradient of a selected record in the first epoch is λw, without a trace of the record, " +
				"and not zero unless w is",
			Check:   selectedGradient(1e-3),
			Control: verify.Control{Check: selectedGradient(0), Want: checks.Refuted, Fault: "λ = 0"},
		},
	}
}

func regularised(lambda float64) float64 { return lambda*ballRadius + 1 }
func lossAlone(float64) float64          { return 1 }

const ballRadius = 1.0

// gradientNorms runs the private updates of Algorithm 1 on 50 random rows of the
// unit sphere with random labels, and compares the largest gradient with L.
func gradientNorms(project bool, lipschitz func(lambda float64) float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := formula.Check{
			Quantity: "max ‖g‖/L over the updates of a run", Sense: verify.AtMost,
			Domain: "runs of 500 updates at d ∈ {1, 2, 3, 10, 123}, λ ∈ {10⁻³, 10⁻², …, 10³}, ε_s = 1, R = 1",
			Points: func(add func(formula.Point)) {
				for _, d := range []int{1, 2, 3, 10, 123} {
					for exponent := -3; exponent <= 3; exponent++ {
						lambda := math.Pow10(exponent)
						trace, err := privateRun(ctx, s, d, lambda, project, lipschitz(lambda))
						add(formula.Point{
							Place:    formula.Placef("d=%d, λ=%g, %d of %d gradients above L", d, lambda, trace.Exceeded, trace.Steps),
							Show:     true,
							Measured: trace.MaxNorm / lipschitz(lambda), Claimed: 1, Err: err,
						})
					}
				}
			},
		}
		if project {
			r.Proof = "‖λw + ∂r‖ ≤ λR + ‖x‖ for ‖w‖ ≤ R and a loss of slope at most 1"
		}
		return r.Prepare(ctx, s)
	})
}

// privateRun is Algorithm 1 with every record selected: ten epochs of private
// sampling at the paper's step size.
func privateRun(ctx context.Context, s verify.Settings, d int, lambda float64, project bool,
	lipschitz float64) (localsgd.Trace, error) {
	const rows, epochs, epsilon = 50, 10, 1
	r := s.Common("run")
	values, labels := make([]float64, 0, rows*d), make([]float64, rows)
	for i := range labels {
		values = append(values, onSphere(r, d)...)
		labels[i] = float64(2*r.IntN(2) - 1)
	}
	data, err := dataset.NewDense(d, values, labels)
	if err != nil {
		return localsgd.Trace{}, err
	}
	bound, err := bounds.PrivateSamplingBound(d, epsilon, lipschitz)
	if err != nil {
		return localsgd.Trace{}, err
	}
	config := localsgd.Config{Loss: erm.Hinge{}, Lambda: lambda, Radius: ballRadius, Lipschitz: lipschitz, Epochs: epochs,
		Project: project}
	result, err := localsgd.DJW(ctx, r, data, config,
		localsgd.Privacy{Epsilon: epsilon, Bound: bound, Premise: localsgd.PremiseClip})
	if err != nil {
		return localsgd.Trace{}, err
	}
	return result.Trace, nil
}

// selectedGradient computes the gradient of a record that the first epoch
// selects: its margin is at least D_th = 1.5, where the hinge loss is flat.
func selectedGradient(leastLambda float64) verify.Check {
	return formula.Check{
		Quantity: "‖g‖", Sense: verify.Above,
		Domain: "λ ∈ {0, 10⁻³, 1, 10³} as far as the statement reaches, d ∈ {1, 2, 3, 10, 123, 784}, margin 2 ≥ D_th = 1.5",
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions {
				for _, lambda := range []float64{0, 1e-3, 1, 1e3} {
					if lambda < leastLambda {
						continue
					}
					norm, err := gradientAtMargin(d, lambda, 2)
					add(formula.Point{Place: formula.Placef("d=%d, λ=%g", d, lambda), Measured: norm, Claimed: 0,
						Tie: norm == 0 && err == nil, Show: true, Err: err})
				}
			}
		},
	}
}

// gradientAtMargin is ‖λw + ∂r(w)‖ at a row of norm 1 and w along it.
func gradientAtMargin(d int, lambda, margin float64) (float64, error) {
	x := diagonal(d, 1)
	data, err := dataset.NewDense(d, x, []float64{1})
	if err != nil {
		return 0, err
	}
	g := make([]float64, d)
	erm.Objective{Loss: erm.Hinge{}, Reg: erm.L2{Lambda: lambda}}.Gradient(diagonal(d, margin), data.Row(0), 1, g)
	return floats.Norm(g, 2), nil
}
