package prestige

import (
	"context"
	"fmt"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// The settings of Sect. 4.1 and of Algorithm 1's initialization.
const (
	firstThreshold = paper.PrestigeFirstThreshold
	decrease       = paper.PrestigeDecrease
	paperEpochs    = paper.PrestigeEpochs
)

func curriculumClaims() []verify.Claim {
	return []verify.Claim{{
		ID: "prestige/alg-1/first-epoch", Kind: verify.Identity, Origin: verify.Implied,
		Place: "Sect. 3.3: end of the paragraph after Remark 1, the first epoch establishes a robust model; Algorithm 1, " +
			"Compute g",
		Statement: "with the hinge loss, at least one private gradient of the first epoch contains the loss of its " +
			"record and so depends on the record. Setting: z ≥ D_th = 1.5, rows of norm 1, ‖w‖ = 4 at the start",
		Check: firstEpoch(erm.Hinge{}, 4),
		Control: verify.Control{Check: firstEpoch(erm.Logistic{}, 4), Want: checks.Holds,
			Fault: "none: the logistic loss, whose slope is never zero"},
		Formerly: []string{"prestige/prop-1/domain/zero/corrected", "prestige/alg-1/first-epoch/unit-ball/corrected",
			"prestige/alg-1/first-epoch/corrected"},
	}}
}

// firstRun runs the first epoch of Algorithm 1 on random rows of the unit sphere, from a w of the given norm, with
// λ = 10⁻³, ε_r = 0.2 and ε_s = 0.8.
func firstRun(ctx context.Context, s verify.Settings, d int, loss erm.Loss, norm float64) (localsgd.Epoch, error) {
	r := s.Stream("first epoch", fmt.Sprint(d))
	const rows = 400
	values, labels := make([]float64, 0, rows*d), make([]float64, rows)
	for i := range labels {
		values = append(values, onSphere(r, d)...)
		labels[i] = float64(2*r.IntN(2) - 1)
	}
	// The first row is parallel to w, so that some score is ‖w‖ in every dimension.
	w := make([]float64, d)
	for k := range w {
		w[k] = norm * values[k]
	}
	data, err := dataset.NewDense(d, values, labels)
	if err != nil {
		return localsgd.Epoch{}, err
	}
	result, err := localsgd.PRESTIGE(ctx, r, data,
		localsgd.Config{Loss: loss, Lambda: 1e-3, Radius: norm, Lipschitz: 1e-3*norm + 1, Epochs: 1,
			Step:    localsgd.StepBall,
			Project: true, Init: w},
		localsgd.Privacy{Epsilon: 0.8, Bound: 1000, Premise: localsgd.PremiseClip},
		localsgd.Curriculum{Epsilon: 0.2, Threshold: firstThreshold, Decrease: decrease})
	if err != nil {
		return localsgd.Epoch{}, err
	}
	return result.Epochs[0], nil
}

// firstEpoch counts the gradients of the first epoch to which the loss contributes.
func firstEpoch(loss erm.Loss, norm float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "gradients of the first epoch to which the loss contributes", Sense: verify.Above,
			Domain: fmt.Sprintf("runs on 400 rows of the unit sphere at d ∈ {1, 2, 3, 10}, ‖w‖ = %g at the start", norm),
			Proof:  "a selected record has margin z ≥ 1.5; the hinge loss is constant above 1, the logistic loss is not",
			Points: func(add func(formula.Point)) {
				for _, d := range []int{1, 2, 3, 10} {
					e, err := firstRun(ctx, s, d, loss, norm)
					add(formula.Point{Place: formula.Placef("d=%d, records selected: %d", d, e.Selected),
						Measured: float64(e.Carrying),
						Tie:      e.Carrying == 0 && err == nil, Show: true, Err: err})
				}
			},
		}.Prepare(ctx, s)
	})
}
