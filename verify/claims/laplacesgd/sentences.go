package laplacesgd

import (
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
)

// byGap names the sentence and the measure by which passes and mini-batches are compared.
const byGap = "abstract, last sentence: passes do not increase performance as much as mini-batches do, measured here " +
	"by the distance to non-private SGD, with which the thesis compares throughout; the private objective itself has " +
	"the opposite order on Occupancy (laplace-sgd/epochs/mini-batch/objective)"

// sentenceClaims returns the statements about several passes.
func sentenceClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "laplace-sgd/epochs", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 7: " + aboutPasses + "the paragraph on Fig. 7, a clear improvement; a tenth is our number",
			Statement: "the private objective is lower after ten passes than after one, on average by at least a tenth " +
				"of the larger value. Setting: " + picked + ", b = 1, η = 1/√t",
			Check: measured(mnist, "passes", falls("fall of the objective from one pass", verify.AtLeast, clearFall,
				func(x float64, last func(arm) float64) (a, b float64) { return last(passes(1)), last(passes(x)) }),
				10).times(4),
			Control: noisy,
		},
		{
			ID: "laplace-sgd/epochs/closer", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 7, the distance: " + aboutPasses + "the paragraph on Fig. 7, next to last sentence, \"much closer " +
				"to that of non-private SGD\"; \"much\" is not a number, so only \"closer\" is measured",
			Statement: "after ten passes the private objective is closer to the non-private one than after one pass, in " +
				"at least half of the permutations. Setting: " + picked + ", b = 1, as many passes for both",
			Check: figure(mnist, "passes", func(x float64, last func(arm) float64) bool {
				return gap(last, passes(x)) < gap(last, passes(1))
			}, 10),
			Control: above,
		},
		{
			ID: "laplace-sgd/epochs/occupancy", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 8: " + aboutPasses + "the paragraph on Fig. 8, a huge improvement",
			Statement: "after ten passes the private objective is on average at most half as far above the non-private " +
				"one as after one pass. Half is our number for \"huge\". Setting: Occupancy, b = 1, η = 1/√t, α = 1 for " +
				"each pass, as many passes for both, objectives above 2 counted as 2",
			Check: measured(occupancy, "passes", halfGap(passes(1), passes), 10).times(4),
			Control: checks.Faulty(checks.Shared(measured(few, "passes", halfGap(passes(1), func(float64) arm {
				return arm{0.01, 1, rootRate, 1}
			}), 1).times(4)),
				"1,000 synthetic records, one pass at α = 0.01 claimed to be closer than one at "+
					"α = 1"),
		},
		{
			ID: "laplace-sgd/epochs/two", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 7, two passes: " + aboutPasses + "the paragraph on Fig. 7, almost no difference between one epoch " +
				"and two; a fifth is our number",
			Statement: "the private objectives after one pass and after two are close: on average neither exceeds the " +
				"other by more than a fifth of the larger. Setting: " + picked + ", b = 1",
			Check: measured(mnist, "passes", twoPasses, 1, 2), Control: twoTwin,
		},
		{
			ID: "laplace-sgd/epochs/two/occupancy", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 8, two passes: " + aboutPasses + "the paragraph on Fig. 8, two passes do not have a lot of " +
				"influence; a fifth is our number",
			Statement: "the private objectives after one pass and after two are close: on average neither exceeds the " +
				"other by more than a fifth of the larger. Setting: Occupancy, b = 1",
			Check: measured(occupancy, "passes", twoPasses, 1, 2).times(8), Control: twoTwin,
		},
		{
			ID: "laplace-sgd/epochs/gap", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 8, ten passes: " + aboutPasses + "the paragraph on Fig. 8, and Sect. 5, ten passes do not reach " +
				"non-private SGD",
			Statement: "after ten passes of both, the private objective is above the non-private one, in at least half " +
				"of the permutations. Setting: Occupancy, b = 1",
			Check: figure(occupancy, "passes", stillAbove, 10).times(2), Control: above,
		},
		{
			ID: "laplace-sgd/epochs/gap/mnist", Kind: verify.Experiment, Origin: verify.Stated,
			Place: "Fig. 7, ten passes: " + aboutPasses + "the paragraph on Fig. 7, last sentence, and Sect. 5, after ten " +
				"passes it still has not converged",
			Statement: "after ten passes of both, the private objective is above the non-private one, in at least half " +
				"of the permutations. Setting: " + picked + ", b = 1",
			Check: figure(mnist, "passes", stillAbove, 10), Control: above,
		},
		{
			ID: "laplace-sgd/epochs/mini-batch", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Figs. 1 and 7: " + byGap,
			Statement: "ten passes at b = 1 end farther above their non-private counterpart (as many passes, same b) " +
				"than one pass at b = 10, in at least half of the permutations. Setting: " + picked + ", η = 1/√t, α = 1 " +
				"for each pass",
			Check: figure(mnist, "passes", passesAgainstBatch, 10), Control: above,
		},
		{
			ID: "laplace-sgd/epochs/mini-batch/occupancy", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Figs. 5 and 8: " + byGap,
			Statement: "ten passes at b = 1 end farther above their non-private counterpart (as many passes, same b) " +
				"than one pass at b = 10, in at least half of the permutations. Setting: Occupancy, η = 1/√t, α = 1 for " +
				"each pass",
			Check: figure(occupancy, "passes", passesAgainstBatch, 10).times(4), Control: above,
		},
		{
			ID: "laplace-sgd/epochs/mini-batch/objective", Kind: verify.Experiment, Origin: verify.Observation,
			Place: "Figs. 5 and 8, the objective: abstract, last sentence; by Theorem 1 ten passes cost 10, one costs 1",
			Statement: "ten private passes at b = 1 end with a smaller objective than one pass at b = 10, in at least " +
				"half of the permutations. Setting: Occupancy, α = 1 for each pass",
			Check:   figure(occupancy, "α of a pass", tenPasses(true), paperAlpha).times(8),
			Control: above,
		},
		{
			ID: "laplace-sgd/epochs/mini-batch/equal-cost", Kind: verify.Experiment, Origin: verify.Observation,
			Place: "Figs. 5 and 8, the cost: abstract, last sentence; Theorem 1",
			Statement: "at the same total cost, ten private passes at b = 1 (α = 0.1 each) end with a larger objective " +
				"than one pass at b = 10 (α = 1), in at least half of the permutations. Setting: Occupancy",
			Check:   figure(occupancy, "α of a pass", tenPasses(false), paperAlpha/10).times(4),
			Control: above,
		},
		{
			ID: "laplace-sgd/epochs/dimension", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Figs. 7 and 8: " + aboutPasses + "the paragraph on Fig. 8, and Sect. 5, the improvement is larger for " +
				"Occupancy, measured by the distance to non-private SGD; the ratio of the private objectives differs little " +
				"between the two data sets",
			Statement: "from one pass to ten, the gap between private and non-private objective shrinks to a smaller " +
				"share on Occupancy than on MNIST, in at least half of the pairs of permutations. Setting: b = 1, η = " +
				"1/√t, 15 features of MNIST picked for each permutation",
			Check: across{sets: [2]source{mnist, occupancy}, replicates: 2 * figureRuns,
				figure: func(last func(arm) float64) float64 { return gap(last, passes(10)) / gap(last, passes(1)) }},
			Control: above,
		},
	}
}

// tenPasses reports whether ten private passes at b = 1 end with a smaller objective than one pass at b = 10, or with a
// larger one.
func tenPasses(smaller bool) func(alpha float64, last func(arm) float64) bool {
	return func(alpha float64, last func(arm) float64) bool {
		ten, one := last(arm{alpha, 1, rootRate, 10}), last(private(10, rootRate))
		return ten != one && (ten < one) == smaller
	}
}

// Controls on 1,000 synthetic records.
var (
	// twoTwin is the control of the claims that two passes change little.
	twoTwin = verify.Control{
		Check: checks.Shared(measured(few, "b", falls("objective at b = 1 and α = 0.01 less that at b = 10", verify.AtMost,
			1-1/near, func(_ float64, last func(arm) float64) (a, b float64) {
				return last(arm{0.01, 1, rootRate, 1}), last(private(10, rootRate))
			}), 1).times(4)),
		Want: checks.Refuted, Fault: "1,000 synthetic records, b = 10 against b = 1 at α = 0.01, claimed to differ little",
	}
	// above is the control of the claims that one run ends above another.
	above = checks.Faulty(checks.Shared(figure(few, "b", func(_ float64, last func(arm) float64) bool {
		return last(plain(1, rootRate)) > last(private(50, rootRate))
	}, 1).times(4)), "1,000 synthetic records, b = 1 without noise claimed to end above b = 50 at α = 1")
)

// passes returns an arm of private SGD with b = 1 and x passes.
func passes(x float64) arm { return arm{paperAlpha, 1, rootRate, int(x)} }

// gap returns the last objective of an arm minus that of the same arm without privacy.
func gap(last func(arm) float64, a arm) float64 { return last(a) - last(a.withoutPrivacy()) }

func (a arm) withoutPrivacy() arm {
	a.alpha = 0
	return a
}

func stillAbove(x float64, last func(arm) float64) bool { return gap(last, passes(x)) > 0 }

func passesAgainstBatch(x float64, last func(arm) float64) bool {
	return gap(last, passes(x)) > gap(last, private(10, rootRate))
}
