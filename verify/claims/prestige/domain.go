package prestige

import (
	"context"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func domainClaims() []verify.Claim {
	domain := checks.Pair(verify.Claim{
		ID: "prestige/prop-1/domain", Kind: verify.Identity, Origin: verify.Implied,
		Place: "Algorithm 1, line Rescale: ‖g‖ ≤ L of Proposition 1; Compute g and P-Update, which does not project",
		Statement: "every gradient that Algorithm 1 privatizes has norm at most L = λR + 1, the Lipschitz constant on " +
			"the ball of radius R. Setting: no projection, as printed; hinge loss, rows of norm 1, R = 1, every record " +
			"selected",
		Check: gradientNorms(false),
	}, verify.Claim{
		ID: "prestige/prop-1/domain/projected",
		Place: "Algorithm 1, P-Update: with w in B_d(R), as the line below eq. (1) and Theorem 1 have it, by a " +
			"projection that is added",
		Statement: "with w projected on the ball of radius R after each update, w stays in the ball and every " +
			"gradient has norm at most L = λR + 1. Setting: rows of norm 1, loss of slope at most 1",
		Check:    gradientNorms(true),
		Formerly: []string{"prestige/thm-1/premise/corrected"},
	}, "w projected on the ball after each update", "no projection")
	return append(domain, verify.Claim{
		ID: "prestige/thm-1/premise", Kind: verify.Rate, Origin: verify.Implied,
		Place: "Theorem 1: first sentence, any w in B_d(R); eq. (1), the line below; Algorithm 1, P-Update",
		Statement: "the iterates of Algorithm 1, which does not project, stay in the ball of radius R that Theorem 1 " +
			"assumes",
		Check: staysInBall(false),
		Control: verify.Control{Check: staysInBall(true), Want: checks.Holds,
			Fault: "none: w projected on the ball after each update"},
		Corrected: "prestige/prop-1/domain/projected",
	})
}

const ballRadius = 1.0

// gradientNorms runs the private updates of Algorithm 1 on 50 random rows of the unit sphere with random labels, and
// compares the largest gradient norm with L. With projection it also compares the largest ‖w‖ with R.
func gradientNorms(project bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := formula.Check{
			Quantity: "max ‖g‖/L over the updates of a run", Sense: verify.AtMost,
			Domain: "runs of 500 updates at d ∈ {1, 2, 3, 10, 123}, λ ∈ {10⁻³, 10⁻², …, 10³}, ε_s = 1, R = 1",
			Points: func(add func(formula.Point)) {
				for _, d := range []int{1, 2, 3, 10, 123} {
					for _, lambda := range localsgd.Lambdas {
						lipschitz := lambda*ballRadius + 1
						trace, err := privateRun(ctx, s, d, lambda, project, lipschitz)
						add(formula.Point{
							Place: formula.Placef("d=%d, λ=%g, %d of %d gradients above L", d, lambda, trace.Exceeded,
								trace.Steps),
							Show:     true,
							Measured: trace.MaxNorm / lipschitz, Claimed: 1, Err: err,
						})
					}
				}
				if project {
					ballPoints(ctx, s, project, add)
				}
			},
		}
		if project {
			r.Quantity += "; largest ‖w‖/R after an update"
			r.Domain += "; " + ballWords
			r.Proof = "projection is on the ball, and ‖λw + ∂r‖ ≤ λR + ‖x‖ for ‖w‖ ≤ R and a loss of slope at most 1"
		}
		return r.Prepare(ctx, s)
	})
}

// privateRun runs ten epochs of Algorithm 1 with every record selected and the paper's step size.
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
