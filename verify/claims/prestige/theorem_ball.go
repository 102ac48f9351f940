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
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

const ballWords = "64 runs of one to eight updates from ‖w‖ = R = 1 at each d ∈ {1, 2, 10} and λ ∈ {10⁻³, 0.1, 1, " +
	"10}, every record selected"

// staysInBall runs one epoch over a few rows from the edge of the ball.
func staysInBall(project bool) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		relation := formula.Check{
			Quantity: "largest ‖w‖/R after an update", Sense: verify.AtMost, Domain: ballWords,
			Points: func(add func(formula.Point)) { ballPoints(ctx, s, project, add) },
		}
		if project {
			relation.Proof = "projection is on the ball"
		}
		return relation.Prepare(ctx, s)
	})
}

func ballPoints(ctx context.Context, s verify.Settings, project bool, add func(formula.Point)) {
	for _, d := range []int{1, 2, 10} {
		for _, lambda := range []float64{1e-3, 0.1, 1, 10} {
			norm, err := largestNorm(ctx, s.Stream("ball", fmt.Sprint(d, lambda)), d, lambda, project)
			add(formula.Point{Place: formula.Placef("d=%d, λ=%g", d, lambda), Measured: norm, Claimed: 1, Show: true,
				Err: err})
		}
	}
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
