package prestige

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/privacy"
)

// The privacy levels of Sect. 4.1 at ε = 1: ε_r : ε_s = 1 : 4.
const (
	labelEpsilon    = paper.PrestigeLabelShare
	gradientEpsilon = 1 - paper.PrestigeLabelShare
	stepEpsilon     = labelEpsilon + gradientEpsilon
)

func wholeClaims() []verify.Claim {
	return slices.Concat([]verify.Claim{
		{
			ID: "prestige/alg-1/p-curriculum", Kind: verify.Privacy, Origin: verify.Stated,
			Place: "Sect. 3.3, Algorithm Realization: second sentence, p-curriculum privacy with ε_r (line 9), applied to " +
				"labels, which randomized response perturbs; for records that differ in x see prestige/alg-1/privacy",
			Statement: "the decision whether a record is selected is ε_r-locally private for records that differ only in " +
				"the label",
			Check:    selectionLoss(labelEpsilon),
			Control:  checks.Faulty(selectionLoss(0.95*labelEpsilon), "ε_r understated by 5 %"),
			Formerly: []string{"prestige/remark-3", "prestige/alg-1/p-curriculum/corrected", "prestige/remark-3/corrected"},
		},
	}, checks.Pair(verify.Claim{
		ID: "prestige/alg-1/privacy", Kind: verify.Privacy, Origin: verify.Stated,
		Place: "Sect. 3.3, Composite Privacy: with Definition 2, any two records (x, y)",
		Statement: "one step of Algorithm 1 with D_th = 1.5 is (ε_r+ε_s)-locally private for any two records (x, y), " +
			"as Definition 2 requires. The observer knows w before and after the step",
		Check:    stepLoss(firstThreshold, records, stepEpsilon),
		Formerly: []string{"prestige/alg-1/privacy/sampled", "prestige/settings/observer"},
	}, verify.Claim{
		Place: "Algorithm 1, Rescale and Sample: without its If",
		Statement: "one step that selects every record, D_th = −∞, is ε_s-locally private for any two records (x, y) " +
			"with gradients of norm at most L",
		Check: stepLoss(math.Inf(-1), records, gradientEpsilon),
	}, "a step that selects every record", "the threshold of the first epoch"), []verify.Claim{
		{
			ID: "prestige/alg-1/privacy-label", Kind: verify.Privacy, Origin: verify.Reading,
			Place: "Sect. 3.3, Composite Privacy: applied to neighbors that differ only in the label; Algorithm 1, " +
				"P-Curriculum: y enters only through ỹ",
			Statement: "for records that differ only in the label, one step of Algorithm 1 is ε_r-locally private, " +
				"hence also (ε_r+ε_s)-locally private. It is not ε-locally private for any ε below ε_r",
			Check:    stepLoss(firstThreshold, labels, labelEpsilon),
			Control:  checks.Faulty(stepLoss(firstThreshold, labels, 0.95*labelEpsilon), "0.95 ε_r claimed"),
			Formerly: []string{"prestige/alg-1/privacy-label/tight"},
		},
		{
			ID: "prestige/alg-1/epochs/once", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Algorithm 1, P-Curriculum: with ỹ drawn once before the loop over T",
			Statement: "a run of ten epochs is ε_r-locally private for records that differ only in the label, if each " +
				"label is perturbed once for the whole run instead of once per epoch",
			Check:    runLoss{epsilon: labelEpsilon, memoize: true, proof: afterLabel}.check(),
			Control:  checks.Faulty(runLoss{epsilon: labelEpsilon}.check(), "a new perturbation in each epoch"),
			Formerly: []string{"prestige/alg-1/epochs/corrected"},
		},
		{
			ID: "prestige/alg-1/epochs/composed", Kind: verify.Privacy, Origin: verify.Implied,
			Place: "Lemma 1: over the T_max epochs of Algorithm 1; Sect. 3.3, Composite Privacy, whose ε_r+ε_s is of one " +
				"step",
			Statement: "a run of T_max = 10 epochs is T_max·ε_r-locally private for records that differ only in the " +
				"label, if each epoch perturbs the labels again",
			Check:    runLoss{epsilon: paperEpochs * labelEpsilon, proof: composedProof}.check(),
			Control:  checks.Faulty(runLoss{epsilon: stepEpsilon}.check(), "the ε_r+ε_s of one step claimed"),
			Formerly: []string{"prestige/alg-1/epochs"},
		},
		{
			ID: "prestige/budget", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Sect. 4.1, Parameters&Metrics: the total privacy budget ε × n × T_max; Lemma 1; Algorithm 1, " +
				"Sequentially pick: each record once an epoch",
			Statement: "by sequential composition (Lemma 1) a run costs each record ε·T_max, because each epoch uses it " +
				"once. The printed total ε·n·T_max is n times as large",
			Check:    budget(func(_, epochs int) int { return epochs }),
			Control:  checks.Faulty(budget(func(n, epochs int) int { return n * epochs }), "a factor n, the number of records"),
			Formerly: []string{"prestige/budget/corrected", "prestige/settings/whole-run"},
		},
	})
}

const (
	composedProof = "each epoch is a function of x, of the w before it and of a label perturbed at ε_r"
	afterLabel    = "given x, the run is a function of the perturbed label and of independent randomness, that is " +
		"post-processing, which keeps ε_r-privacy"
)

// example is a record (x, y) of dimension 1.
type example struct{ x, y float64 }

// neighbors returns pairs of neighboring records: any two, as in Definition 2, or two that differ only in the label.
type neighbors func() (pairs [][2]example)

// records returns all pairs of different records with x ∈ {0, 0.5, 1} and y = ±1.
func records() (pairs [][2]example) {
	var all []example
	for _, x := range []float64{0, 0.5, 1} {
		all = append(all, example{x, 1}, example{x, -1})
	}
	for i, a := range all {
		for _, b := range all[i+1:] {
			pairs = append(pairs, [2]example{a, b})
		}
	}
	return pairs
}

func labels() (pairs [][2]example) {
	for _, x := range []float64{0, 0.5, 1} {
		pairs = append(pairs, [2]example{{x, 1}, {x, -1}})
	}
	return pairs
}

const exampleWords = "d = 1, rows x ∈ {0, ½, 1}, labels ±1, w = 2 at the start, hinge loss, λ = 1, R = 2, L = 3, ε_r " +
	"= 0.2, ε_s = 0.8"

// selectionLoss compares the privacy loss of the selection of a record with epsilon, for records that differ only in
// the label.
func selectionLoss(epsilon float64) verify.Check {
	return privacy.Exact{
		Domain: "whether the step with D_th = 1.5 at w = 2 selects a record; " + exampleWords,
		Proof:  "the selection depends on the label only through ỹ, and P(ỹ) changes by at most a factor e^ε_r",
		Pairs: func() ([]privacy.DistributionPair, error) {
			return lawPairs(labels, epsilon, func(e example) ([]float64, error) {
				law, err := runLaw{epochs: 1, threshold: firstThreshold}.of(e)
				return []float64{law[""], 1 - law[""]}, err
			})
		},
	}
}

// stepLoss compares the privacy loss of w after one step with epsilon. The step leaves w unchanged or moves it to one
// of two values.
func stepLoss(threshold float64, pairs neighbors, epsilon float64) verify.Check {
	return privacy.Exact{
		Domain: fmt.Sprintf("the distribution of w after one step with D_th = %s; %s",
			strings.Replace(fmt.Sprint(threshold), "-Inf", "−∞", 1), exampleWords),
		Proof: "a label acts only through ỹ; if every record is selected, G has a density between 1 − m and 1 + m for " +
			"every record, m = tanh(ε_s/2)",
		Pairs: func() ([]privacy.DistributionPair, error) {
			return lawPairs(pairs, epsilon, func(e example) ([]float64, error) {
				law, err := runLaw{epochs: 1, threshold: threshold}.of(e)
				return []float64{law[""], law["+"], law["-"]}, err
			})
		},
	}
}

// runLoss is a check of the privacy loss of w after a run of ten epochs, for records that differ only in the label.
type runLoss struct {
	epsilon float64
	memoize bool
	proof   string
}

func (l runLoss) check() verify.Check {
	return privacy.Exact{
		Domain: "the distribution of w after ten epochs on one record, D_th = 1.5, μ = 1; " + exampleWords,
		Proof:  l.proof,
		Pairs: func() ([]privacy.DistributionPair, error) {
			law := runLaw{epochs: paperEpochs, threshold: firstThreshold, memoize: l.memoize}
			return lawPairs(labels, l.epsilon, func(e example) ([]float64, error) {
				masses, err := law.of(e)
				return aligned(masses, paperEpochs), err
			})
		},
	}
}

// lawPairs returns the output distributions of a release at each pair of neighbors.
func lawPairs(pairs neighbors, epsilon float64,
	law func(example) ([]float64, error)) (out []privacy.DistributionPair, err error) {
	for _, pair := range pairs() {
		p, err := law(pair[0])
		if err != nil {
			return nil, err
		}
		q, err := law(pair[1])
		if err != nil {
			return nil, err
		}
		out = append(out, privacy.DistributionPair{
			Place: fmt.Sprintf("(x, y) = (%g, %+g) and (%g, %+g)", pair[0].x, pair[0].y, pair[1].x, pair[1].y),
			P:     p, Q: q, Epsilon: epsilon,
		})
	}
	return out, nil
}

// budget compares ε × uses with the composed ε of the updates of a run that use one record.
func budget(uses func(n, epochs int) int) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		return formula.Check{
			Quantity: "ε of all updates that use one record", Sense: verify.Equals,
			Domain: "runs on n ∈ {1, 2, 50} records over 1 and 10 epochs that select every record, ε = 1 per update",
			Proof:  "an epoch is a permutation of the records",
			Points: func(add func(formula.Point)) {
				for _, n := range []int{1, 2, 50} {
					for _, epochs := range []int{1, paperEpochs} {
						spent, err := spentOnARecord(ctx, s, n, epochs)
						add(formula.Point{Place: formula.Placef("n=%d, T_max=%d", n, epochs), Measured: spent,
							Claimed: stepEpsilon * float64(uses(n, epochs)), Show: true, Err: err})
					}
				}
			},
		}.Prepare(ctx, s)
	})
}

// spentOnARecord returns the composed ε of the updates of a run that use one record; each record has the same number.
func spentOnARecord(ctx context.Context, s verify.Settings, n, epochs int) (float64, error) {
	labels := make([]float64, n)
	for i := range labels {
		labels[i] = 1
	}
	data, err := dataset.NewDense(1, append([]float64{}, labels...), labels)
	if err != nil {
		return 0, err
	}
	result, err := localsgd.PRESTIGE(ctx, s.Common("budget"), data,
		localsgd.Config{Loss: erm.Hinge{}, Lambda: 1, Radius: 2, Lipschitz: 3, Epochs: epochs},
		localsgd.Privacy{Epsilon: gradientEpsilon, Bound: 10, Premise: localsgd.PremiseClip},
		localsgd.Curriculum{Epsilon: labelEpsilon, Threshold: math.Inf(-1)})
	if err != nil {
		return 0, err
	}
	each := make([]float64, result.Steps/n)
	for i := range each {
		each[i] = stepEpsilon
	}
	return bounds.SequentialComposition(each...)
}
