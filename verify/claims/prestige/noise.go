package prestige

import (
	"cmp"
	"math"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// noiseClaims are the readings of eq. (26): what the mean of ε_t = G_t − ∇F(w_t) is
// taken over, and which F is meant. G_t has the mean g_t: Lemma 2, corrected.
func noiseClaims() []verify.Claim {
	const corrected = "prestige/eq-26/corrected"
	return []verify.Claim{
		{
			ID: "prestige/eq-17/bias", Source: "before eq. (17)", Kind: verify.Unbiasedness,
			Origin: verify.Reading, Place: "Proof of Theorem 1, the two sentences before eq. (17): |E[∇f_it(w)] − ∇F(w)| " +
				"falls with D_th; at which w is not said: read at any one",
			Statement: "for one w, the mean gradient of the records that the curriculum selects is no farther from ∇F(w), F " +
				"over the perturbed labels, in an epoch than in the one before",
			Check: selectionBias(falling, ""),
			Control: verify.Control{Check: selectionBias(vanishing, vanishingProof), Want: checks.Holds,
				Fault: "none: the epochs in which every record is selected"},
			Corrected: "prestige/eq-17/bias/corrected",
		},
		{
			ID: "prestige/eq-17/bias/corrected", Source: "before eq. (17), corrected", Kind: verify.Unbiasedness,
			Origin: verify.Correction, Place: "Algorithm 1, If, once D_th is below every z; eq. (1) over ỹ",
			Statement: "for one w, the mean gradient of the records that the curriculum selects is ∇F(w), F over the " +
				"perturbed labels, as soon as D_th is at most the least z",
			Check:   selectionBias(vanishing, vanishingProof),
			Control: verify.Control{Check: selectionBias(falling, ""), Want: checks.Refuted, Fault: "the epochs before that"},
		},
		{
			ID: "prestige/eq-26", Source: "eq. (26)", Kind: verify.Unbiasedness,
			Origin: verify.Stated, Place: "eq. (26), given w^(t), over the records that the If of Algorithm 1 selects",
			Statement: "given w_t, the gradient of a record that the curriculum selects has the mean ∇F(w_t)",
			Check:     noiseMean(selectedByCurriculum, ""),
			Control: verify.Control{Check: noiseMean(allPerturbed, uniformProof), Want: checks.Holds,
				Fault: "none: every record selected, F with the perturbed labels"},
			Corrected: corrected,
		},
		{
			ID: "prestige/eq-26/true-labels", Source: "eq. (26)", Kind: verify.Unbiasedness,
			Origin: verify.Reading, Place: "eq. (26), F of eq. (1) over the labels as they are; every record selected",
			Statement: "given w_t and with every record selected, the gradient under the perturbed label has the mean " +
				"∇F(w_t) of the true labels",
			Check: noiseMean(allTrue, ""),
			Control: verify.Control{Check: noiseMean(allPerturbed, uniformProof), Want: checks.Holds,
				Fault: "none: F with the perturbed labels"},
			Corrected: corrected,
		},
		{
			ID: "prestige/eq-26/without-replacement", Source: "eq. (26), Shuffle of Alg. 1", Kind: verify.Unbiasedness,
			Origin: verify.Implied, Place: "eq. (26); Algorithm 1, Shuffle and Sequentially pick: without replacement",
			Statement: "in the second update of an epoch, which takes the record that the first left, ⟨ε_2, w_2 " +
				"− w*⟩ has mean zero",
			Check: secondUpdate(false, ""),
			Control: verify.Control{Check: secondUpdate(true, uniformProof), Want: checks.Holds,
				Fault: "none: the second record drawn from both"},
			Corrected: corrected,
		},
		{
			ID: corrected, Source: "eq. (26), corrected", Kind: verify.Unbiasedness,
			Origin: verify.Correction, Place: "eq. (1) over ỹ, with records drawn anew and all selected",
			Statement: "given w_t, a record drawn uniformly and anew, selected whatever its curriculum, gives a gradient of " +
				"mean ∇F(w_t), where F is over the perturbed labels",
			Check: noiseMean(allPerturbed, uniformProof),
			Control: verify.Control{Check: noiseMean(selectedByCurriculum, ""), Want: checks.Refuted,
				Fault: "selection by the curriculum"},
		},
	}
}

const uniformProof = "the mean over a uniform draw and over ỹ is the sum that defines F's gradient"

// twoRecords are the data: rows of dimension 1, hinge loss, λ = 1, ε_r = 0.2.
var twoRecords = []example{{1, 1}, {0.5, -1}}

// pick is one outcome of drawing a record and perturbing its label.
type pick struct {
	record  example // with the perturbed label
	truth   float64
	mass    float64
	margins float64 // z
}

// picks are all outcomes at w, each record as likely as the other.
func picks(w float64) ([]pick, error) {
	m, err := paper.RandomizedResponse(labelEpsilon)
	if err != nil {
		return nil, err
	}
	var out []pick
	for _, e := range twoRecords {
		for _, turned := range []int{0, 1} {
			y := e.y * float64(1-2*turned)
			out = append(out, pick{example{e.x, y}, e.y, m[0][turned] / float64(len(twoRecords)), w * e.x * y})
		}
	}
	return out, nil
}

func gradientAt(w float64, e example) float64 { return w + erm.Hinge{}.Derivative(e.y*w*e.x)*e.y*e.x }

// means is E[g_t] over what is selected, and ∇F, at w and D_th.
type means func(w, threshold float64) (g, gradient float64, err error)

func selectedByCurriculum(w, threshold float64) (g, gradient float64, err error) {
	all, err := picks(w)
	mass := 0.0
	for _, p := range all {
		gradient += p.mass * gradientAt(w, p.record)
		if p.margins >= threshold {
			g, mass = g+p.mass*gradientAt(w, p.record), mass+p.mass
		}
	}
	if mass == 0 { // nothing is selected: no update, and no noise
		return gradient, gradient, err
	}
	return g / mass, gradient, err
}

func allTrue(w, _ float64) (g, gradient float64, err error) {
	all, err := picks(w)
	for _, p := range all {
		g += p.mass * gradientAt(w, p.record)
		gradient += p.mass * gradientAt(w, example{p.record.x, p.truth})
	}
	return g, gradient, err
}

func allPerturbed(w, _ float64) (g, gradient float64, err error) {
	_, gradient, err = selectedByCurriculum(w, 0)
	g, _, err2 := selectedByCurriculum(w, math.Inf(-1))
	if err == nil {
		err = err2
	}
	return g, gradient, err
}

// bias is |E[g] − ∇F| at a threshold beside the claim: that of the threshold before, or 0 where the least z
// reaches it; ok tells whether there is a claim.
type bias func(w, threshold, before float64) (measured, claimed float64, ok bool, err error)

func falling(w, threshold, before float64) (measured, claimed float64, ok bool, err error) {
	now, _, err1 := biasAt(w, threshold)
	then, some, err2 := biasAt(w, before)
	return now, then, some, cmp.Or(err1, err2)
}

func vanishing(w, threshold, _ float64) (measured, claimed float64, ok bool, err error) {
	now, _, err := biasAt(w, threshold)
	return now, 0, -math.Abs(w) >= threshold, err // the longer row has norm 1
}

// biasAt tells beside the bias whether any record is selected.
func biasAt(w, threshold float64) (size float64, some bool, err error) {
	g, gradient, err := selectedByCurriculum(w, threshold)
	return math.Abs(g - gradient), math.Abs(w) >= threshold, err
}

const vanishingProof = "every record and either of its labels is selected, with its own probability"

// selectionBias follows the bias along the epochs of Algorithm 1 at one w, from the first that selects a record.
func selectionBias(of bias, proof string) verify.Check {
	return formula.Check{
		Quantity: "1 + |E[g_t | w] − ∇F(w)|", Sense: verify.AtMost, Proof: proof,
		Domain: "records (1, +1) and (½, −1) of dimension 1, hinge loss, λ = 1, ε_r = 0.2; w from −3 to 3, epochs 2 to 10 " +
			"with D_th = 1.5 at first, μ = 1",
		Points: func(add func(formula.Point)) {
			for w := -3.0; w <= 3; w += 0.25 {
				for epoch := 2; epoch <= paperEpochs; epoch++ {
					threshold := paper.Threshold(firstThreshold, decrease, epoch)
					measured, claimed, ok, err := of(w, threshold, paper.Threshold(firstThreshold, decrease, epoch-1))
					if ok || err != nil {
						add(formula.Point{Place: formula.Placef("w=%g, epoch %d, D_th=%.3g", w, epoch, threshold), Measured: 1 + measured,
							Claimed: 1 + claimed, Show: w == 1.5, Err: err})
					}
				}
			}
		},
	}
}

func noiseMean(of means, proof string) verify.Check {
	return formula.Check{
		Quantity: "E[g_t | w_t]", Sense: verify.Equals, Proof: proof,
		Domain: "records (1, +1) and (½, −1) of dimension 1, hinge loss, λ = 1, ε_r = 0.2; w from −3 to 3, " +
			"D_th ∈ {1.5, 0.5, −0.9}",
		Points: func(add func(formula.Point)) {
			for _, threshold := range []float64{1.5, 0.5, -0.9} {
				for w := -3.0; w <= 3; w += 0.75 {
					g, gradient, err := of(w, threshold)
					add(formula.Point{Place: formula.Placef("w=%g, D_th=%g", w, threshold), Measured: g, Claimed: gradient,
						Show: w == 3 || w == -1.5, Err: err})
				}
			}
		},
	}
}

// secondUpdate computes E⟨g_2 − ∇F(w_2), w_2 − w*⟩ exactly, F with true labels that are
// not perturbed: w_1 is fixed, w_2 has four values.
func secondUpdate(replace bool, proof string) verify.Check {
	return formula.Check{
		Quantity: "E⟨ε_2, w_2 − w*⟩", Sense: verify.Equals, Proof: proof,
		Domain: "records (1, +1) and (½, −1), true labels, hinge loss, λ = 1, R = 1, L = 2, ε_s = 0.8, the unbiased B; w_1 " +
			"from −1 to 1, w* ∈ {−1, 0, 1}",
		Points: func(add func(formula.Point)) {
			for _, star := range []float64{-1, 0, 1} {
				for w := -1.0; w <= 1; w += 0.25 {
					mean, err := secondNoise(w, star, replace)
					add(formula.Point{Place: formula.Placef("w_1=%g, w*=%g", w, star), Measured: mean, Claimed: 0, Show: star == 0,
						Err: err})
				}
			}
		},
	}
}

func secondNoise(w, star float64, replace bool) (mean float64, err error) {
	const lipschitz = 2
	bound, err := bounds.PrivateSamplingBound(1, gradientEpsilon, lipschitz)
	if err != nil {
		return 0, err
	}
	sampler, err := mechanism.NewPrivateSampling(1, gradientEpsilon, lipschitz, bound)
	if err != nil {
		return 0, err
	}
	for first, e := range twoRecords {
		up := upward(sampler, gradientAt(w, e), lipschitz)
		for _, move := range []struct{ sign, mass float64 }{{1, up}, {-1, 1 - up}} {
			second := w + move.sign*bounds.StepSize(1, 1, bound, 1)*bound
			full, next := 0.0, 0.0
			for k, other := range twoRecords {
				g := gradientAt(second, other)
				full += g / 2
				switch {
				case replace:
					next += g / 2
				case k != first:
					next += g
				}
			}
			mean += move.mass / 2 * (next - full) * (second - star)
		}
	}
	return mean, nil
}
