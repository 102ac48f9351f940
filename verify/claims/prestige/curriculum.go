package prestige

import (
	"context"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// The settings of Sect. 4.1 and of Algorithm 1's initialisation.
const (
	firstThreshold = paper.PrestigeFirstThreshold
	decrease       = paper.PrestigeDecrease
	paperEpochs    = paper.PrestigeEpochs
)

func curriculumClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/def-3", Source: "Def. 3, Fig. 3", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Definition 3, \"predicted label\", and the paragraph after Remark 1, on Fig. 3",
			Statement: "the product of label and predicted label orders the records of Fig. 3 as z_B < z_D < z_C < 0 < z_A",
			Check:     figureOrder(predictedLabel, ""),
			Control: verify.Control{Check: figureOrder(score, orderProof), Want: checks.Holds,
				Fault: "none: the score ⟨w, x⟩ + b in place of the predicted label"},
			Corrected: "prestige/def-3/corrected",
		},
		{
			ID: "prestige/def-3/corrected", Source: "Def. 3, as line 8 of Alg. 1 has it", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 1, P-Curriculum: the score ⟨w, x⟩ + b where Definition 3 has the " +
				"predicted label",
			Statement: "the product of label and score ⟨w, x⟩ + b orders the records of Fig. 3 as z_B < z_D < z_C < 0 < z_A, " +
				"when B is farther from the hyperplane than D, and D than C",
			Check: figureOrder(score, orderProof),
			Control: verify.Control{Check: figureOrder(predictedLabel, ""), Want: checks.Refuted,
				Fault: "the predicted label, which knows no distance"},
		},
		{
			ID: "prestige/alg-1/threshold", Source: "Alg. 1, Update D_th", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Sect. 3.3, the last sentences of the paragraph after Remark 1; Algorithm 1, " +
				"Update D_th",
			Statement: "D_th falls from epoch to epoch",
			Check:     thresholdFalls(decrease),
			Control:   verify.Control{Check: thresholdFalls(-decrease), Want: checks.Refuted, Fault: "D_th + μ√T"},
		},
		{
			ID: "prestige/alg-1/threshold/epochs", Source: "Alg. 1, Sect. 4.1", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Algorithm 1, Update D_th; Sect. 4.1: μ = 1, T_max = 10; Algorithm 1, Initialize: " +
				"D_th = 1.5",
			Statement: "with D_th = 1.5, μ = 1 and rows in the unit ball the threshold decides over some record in each of " +
				"the ten epochs, for w in a ball of radius up to 10",
			Check: thresholdDecides(paperDecrease, ""),
			Control: verify.Control{Check: thresholdDecides(slowDecrease, slowProof), Want: checks.Holds,
				Fault: "none: μ chosen for the radius"},
			Corrected: "prestige/alg-1/threshold/epochs/corrected",
		},
		{
			ID: "prestige/alg-1/threshold/epochs/corrected", Source: "Alg. 1, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 1, Update D_th, with D_th and μ chosen for R",
			Statement: "with the first D_th at R, the largest score in the ball, and μ = 2R/(√1 + … + √9) the threshold " +
				"decides over some record in each of the ten epochs",
			Check: thresholdDecides(slowDecrease, slowProof),
			Control: verify.Control{Check: thresholdDecides(paperDecrease, ""), Want: checks.Refuted,
				Fault: "D_th = 1.5 and μ = 1, whatever the radius"},
		},
		{
			ID: "prestige/alg-1/first-epoch", Source: "Sect. 3.3", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Sect. 3.3, end of the paragraph after Remark 1: the first epoch establishes a " +
				"robust model; Algorithm 1, Compute g",
			Statement: "with the hinge loss the updates of the first epoch depend on data: the loss has a part in some gradient",
			Check:     firstEpoch(erm.Hinge{}, 4),
			Control: verify.Control{Check: firstEpoch(erm.Logistic{}, 4), Want: checks.Holds,
				Fault: "none: the logistic loss, whose slope is zero nowhere"},
			Corrected: "prestige/alg-1/first-epoch/corrected",
		},
		{
			ID: "prestige/alg-1/first-epoch/corrected", Source: "Sect. 3.3, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 1, Compute g, with the logistic loss of Sect. 4.1",
			Statement: "with the logistic loss the updates of the first epoch depend on data",
			Check:     firstEpoch(erm.Logistic{}, 4),
			Control: verify.Control{Check: firstEpoch(erm.Hinge{}, 4), Want: checks.Refuted,
				Fault: "the hinge loss, flat wherever z ≥ D_th > 1"},
		},
		{
			ID: "prestige/alg-1/first-epoch/unit-ball", Source: "Sect. 3.3", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Sect. 3.3, end of the paragraph after Remark 1: the first epoch updates; " +
				"Algorithm 1, If, where |z| ≤ ‖w‖‖x‖",
			Statement: "with rows and w in the unit ball the first epoch makes an update",
			Check:     firstSelection(1),
			Control:   verify.Control{Check: firstSelection(4), Want: checks.Holds, Fault: "none: w of norm 4"},
			Corrected: "prestige/alg-1/first-epoch/unit-ball/corrected",
		},
		{
			ID: "prestige/alg-1/first-epoch/unit-ball/corrected", Source: "Sect. 3.3, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Algorithm 1, If, with ‖w‖ > D_th",
			Statement: "with rows in the unit ball and ‖w‖ = 4 > D_th the first epoch makes an update",
			Check:     firstSelection(4),
			Control:   verify.Control{Check: firstSelection(1), Want: checks.Refuted, Fault: "‖w‖ = 1 < D_th"},
		},
	}
}

// figure is a record of Fig. 3: its signed distance to the hyperplane and its label.
type figure struct {
	name            string
	distance, label float64
}

func predictedLabel(f figure) float64 {
	if f.distance >= 0 {
		return f.label
	}
	return -f.label
}

func score(f figure) float64 { return f.label * f.distance }

const orderProof = "z = −distance for B, C and D, whose labels are wrong, and +distance for A"

// figureOrder places the records of Fig. 3 at distances c < d < b and a.
func figureOrder(z func(figure) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "z of a record", Sense: verify.Below, Proof: proof,
		Domain: "distances of C, D, B and A to the hyperplane from 10⁻³ to 10³, each of the first three less than the next",
		Points: func(add func(formula.Point)) {
			for _, scale := range []float64{1e-3, 1, 1e3} {
				for _, gap := range []float64{1.001, 2, 100} {
					records := []figure{{"B", -scale * gap * gap, 1}, {"D", scale * gap, -1}, {"C", -scale, 1},
						{"the hyperplane", 0, 1}, {"A", scale, 1}}
					for i := range records[:4] {
						f, g := records[i], records[i+1]
						left, right := z(f), z(g)
						if g.distance == 0 {
							right = 0
						}
						if f.distance == 0 {
							left = 0
						}
						add(formula.Point{Place: formula.Placef("%s before %s, distances %.4g and %.4g", f.name, g.name,
							math.Abs(f.distance),
							math.Abs(g.distance)),
							Measured: left, Claimed: right, Tie: left == right, Show: scale == 1 && gap == 2})
					}
				}
			}
		},
	}
}

// thresholdFalls compares D_th with that of the epoch before.
func thresholdFalls(mu float64) verify.Check {
	return formula.Check{
		Quantity: "D_th", Sense: verify.Below, Domain: "epochs 2 to 100 against the epoch before",
		Proof: "each epoch takes μ√T > 0 away",
		Points: func(add func(formula.Point)) {
			for epoch := 2; epoch <= 100; epoch++ {
				now, before := paper.Threshold(firstThreshold, mu, epoch),
					paper.Threshold(firstThreshold, mu, epoch-1)
				add(formula.Point{Place: formula.Placef("epoch %d", epoch), Measured: now, Claimed: before,
					Show: epoch <= paperEpochs})
			}
		},
	}
}

// paperDecrease and slowDecrease are D_th in an epoch for w in the ball of a radius.
func paperDecrease(epoch int, _ float64) float64 {
	return paper.Threshold(firstThreshold, decrease, epoch)
}

func slowDecrease(epoch int, radius float64) float64 {
	return paper.Threshold(radius, 2*radius/-paper.Threshold(0, 1, paperEpochs), epoch)
}

const slowProof = "D_th runs from R down to −R"

// thresholdDecides asks whether D_th lies within the range of scores, [−R, R].
func thresholdDecides(threshold func(epoch int, radius float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "|D_th|", Sense: verify.AtMost, Proof: proof,
		Domain: "epochs 1 to 10, R ∈ {1, 2, 5, 10}, scores |⟨w, x⟩| ≤ R",
		Points: func(add func(formula.Point)) {
			for _, radius := range []float64{1, 2, 5, 10} {
				for epoch := 1; epoch <= paperEpochs; epoch++ {
					add(formula.Point{Place: formula.Placef("R=%g, epoch %d", radius, epoch), Measured: math.Abs(threshold(epoch,
						radius)),
						Claimed: radius, Show: radius == 1 || radius == 10})
				}
			}
		},
	}
}

// firstRun is the first epoch of Algorithm 1 on rows of the unit sphere, from a w of the
// given norm: λ = 10⁻³, ε_r = 0.2, ε_s = 0.8.
func firstRun(ctx context.Context, s verify.Settings, d int, loss erm.Loss, norm float64) (localsgd.Epoch, error) {
	r := s.Stream("first epoch", fmt.Sprint(d))
	const rows = 400
	values, labels := make([]float64, 0, rows*d), make([]float64, rows)
	for i := range labels {
		values = append(values, onSphere(r, d)...)
		labels[i] = float64(2*r.IntN(2) - 1)
	}
	// The first row lies along w, so that some score is ‖w‖ in every dimension.
	w := make([]float64, d)
	for k := range w {
		w[k] = norm * values[k]
	}
	data, err := dataset.NewDense(d, values, labels)
	if err != nil {
		return localsgd.Epoch{}, err
	}
	result, err := localsgd.PRESTIGE(ctx, r, data,
		localsgd.Config{Loss: loss, Lambda: 1e-3, Radius: norm, Lipschitz: 1e-3*norm + 1, Epochs: 1, Step: localsgd.StepBall,
			Project: true, Init: w},
		localsgd.Privacy{Epsilon: 0.8, Bound: 1000, Premise: localsgd.PremiseClip},
		localsgd.Curriculum{Epsilon: 0.2, Threshold: firstThreshold, Decrease: decrease})
	if err != nil {
		return localsgd.Epoch{}, err
	}
	return result.Epochs[0], nil
}

// firstEpoch counts the gradients of the first epoch that have a part from the loss.
func firstEpoch(loss erm.Loss, norm float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "gradients of the first epoch with a part from the loss", Sense: verify.Above,
			Domain: fmt.Sprintf("runs on 400 rows of the unit sphere at d ∈ {1, 2, 3, 10}, ‖w‖ = %g at the start", norm),
			Proof:  "a selected record has margin z ≥ 1.5; the hinge loss is flat above 1, the logistic loss nowhere",
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

// firstSelection counts the records that the first epoch selects.
func firstSelection(norm float64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "records selected in the first epoch", Sense: verify.Above,
			Domain: fmt.Sprintf("runs on 400 rows of the unit sphere at d ∈ {1, 2, 3, 10}, ‖w‖ = %g at the start", norm),
			Proof:  "|z| ≤ ‖w‖‖x‖, and D_th = 1.5",
			Points: func(add func(formula.Point)) {
				for _, d := range []int{1, 2, 3, 10} {
					e, err := firstRun(ctx, s, d, erm.Hinge{}, norm)
					add(formula.Point{Place: formula.Placef("d=%d", d), Measured: float64(e.Selected), Tie: e.Selected == 0 &&
						err == nil,
						Show: true, Err: err})
				}
			},
		}.Prepare(ctx, s)
	})
}
