package prestige

import (
	"fmt"
	"math"
	"slices"

	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

const (
	parameters = "Sect. 4.1, Parameters&Metrics: budget ε·n·T_max up to 1.6, T_max = 10, ε_r : ε_s = 1 : 4; Table 2"
	lines      = "; Algorithm 1, "
)

// settingsClaims returns the claims about the parameters that are printed for the experiments (Sect. 4.1, Table 2,
// Algorithm 1), put into the paper's own algorithm and bounds, the gravest first.
//
//	settings.go        the parameters, and the claims
//	settings_noise.go  what an update carries: data, noise, length
//	settings_run.go    what a run does, costs and shows
//	settings_walk.go   signal and noise along the updates of a run, to be drawn
//
// The privacy of one update is the budget over n·T_max, as Sect. 4.1 prints it, unless a claim says
// otherwise; the largest of the printed budgets is taken, which has the least noise. R is printed nowhere:
// lengths are in units of R.
func settingsClaims() []verify.Claim {
	return slices.Concat(settingsNoiseClaims(), settingsRunClaims())
}

func settingsNoiseClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/settings/data", Source: "Sect. 4.1, Alg. 1", Kind: verify.Privacy,
			Origin: verify.Observation, Place: parameters + lines + "Rescale and both lines Sample",
			Statement: "of the n·T_max updates of a run fewer than one, in expectation, depends on its record at all, on " +
				"every data set: the others are uniform random directions",
			Check: informative(wholeRun),
			Control: verify.Control{Check: informative(everyUpdate), Want: checks.Refuted,
				Fault: "the budget is ε of one update"},
		},
		{
			ID: "prestige/settings/error", Source: "Sect. 4.1, Table 3", Kind: verify.Experiment,
			Origin: verify.Observation,
			Place: parameters + "; Algorithm 1, a start symmetric about 0, b = 0; Table 3, which " +
				"prints 7 % to 58 %",
			Statement: "no run of DJW or PRESTIGE, from a start symmetric about 0, misclassifies fewer than 49.8 % of the " +
				"test rows in expectation, with any loss and λ, on any data set",
			Check: leastError(wholeRun),
			Control: verify.Control{Check: leastError(everyUpdate), Want: checks.Refuted,
				Fault: "the budget is ε of one update"},
		},
		{
			ID: "prestige/settings/curriculum", Source: "Sect. 4.1, Alg. 1", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place:  parameters + lines + "P-Curriculum and If: a record with |⟨w, x⟩ + b| ≥ |D_th|",
			Statement: "a record whose label w predicts is admitted with at most 1/100,000 more probability than one whose " +
				"label w contradicts: the curriculum is a fair coin",
			Check:   admission(wholeRun),
			Control: verify.Control{Check: admission(everyUpdate), Want: checks.Refuted, Fault: "the budget is ε of one update"},
		},
		{
			ID: "prestige/settings/rotation", Source: "Sects. 4.1, 4.2, Alg. 1", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place: parameters + "; Sect. 4.2, Robustness of PRESTIGE, second paragraph: Q = 1 with " +
				"large probability; Algorithm 1, both lines Sample",
			Statement: "P(Q = 1), and the probability that a private gradient lies within 90° of its gradient, exceed ½ by " +
				"less than 1/100,000 on every data set",
			Check:   rotation(wholeRun),
			Control: verify.Control{Check: rotation(everyUpdate), Want: checks.Refuted, Fault: "the budget is ε of one update"},
		},
		{
			ID: "prestige/settings/noise", Source: "Sect. 4.1, Lemma 2", Kind: verify.Unbiasedness,
			Origin: verify.Observation,
			Place:  parameters + "; Lemma 2, eq. (11), with half of its B, for which it is unbiased",
			Statement: "a private gradient is over a million times as long as the longest gradient, and its root mean square " +
				"in each single coordinate over 100,000 times",
			Check: noiseOverGradient(wholeRun),
			Control: verify.Control{Check: noiseOverGradient(everyUpdate), Want: checks.Refuted,
				Fault: "the budget is ε of one update"},
		},
		{
			ID: "prestige/settings/signal", Source: "Sect. 4.1, Alg. 1", Kind: verify.Rate,
			Origin:    verify.Observation,
			Place:     parameters + lines + "Update η and P-Update, over a whole run, whatever λ and R",
			Statement: "what the data add to w over a whole run is shorter than a ten-thousandth of what the noise adds",
			Check:     signalOverNoise(wholeRun),
			Control: verify.Control{Check: signalOverNoise(everyUpdate), Want: checks.Refuted,
				Fault: "the budget is ε of one update"},
		},
		{
			ID: "prestige/settings/step", Source: "Sect. 4.1, Alg. 1", Kind: verify.Rate,
			Origin: verify.Observation,
			Place: "Sect. 4.1: λ from 10⁻³; Algorithm 1, Update η: R/(λB√t), and Sample: ‖g_p‖ = B; " +
				"Table 2",
			Statement: "at λ = 10⁻³ every single update of a run on A7A or on Diabetes, to the last one, is longer than the " +
				"diameter of the ball that w is said to lie in",
			Check:   stepOverDiameter(1e-3),
			Control: verify.Control{Check: stepOverDiameter(1), Want: checks.Refuted, Fault: "λ = 1"},
		},
		{
			ID: "prestige/settings/bound", Source: "Theorem 1, Sect. 4.1", Kind: verify.Rate,
			Origin: verify.Observation,
			Place:  "Theorem 1, its display, at T = n·T_max and each λ of the range; " + parameters,
			Statement: "the bound of Theorem 1 is over a thousand times the gap 2LR that no w in the ball exceeds, on every " +
				"data set and at every λ of the range",
			Check: boundOverTrivial(wholeRun),
			Control: verify.Control{Check: boundOverTrivial(everyUpdate), Want: checks.Refuted,
				Fault: "the budget is ε of one update"},
		},
	}
}

func settingsRunClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/settings/updates", Source: "Alg. 1, Sect. 4.1", Kind: verify.Rate,
			Origin: verify.Observation,
			Place: "Algorithm 1, If and Update D_th, with D_th = 1.5, μ = 1, T_max = 10; |z| ≤ 1 in " +
				"the unit ball",
			Formerly: []string{"prestige/settings/threshold"},
			Statement: "with rows and w in the unit ball the first of the ten epochs makes no update, and the last seven " +
				"admit every record: a label is held back for being adverse in two epochs at most",
			Check: admitted(paper.PrestigeDecrease),
			Control: verify.Control{Check: admitted(0.1), Want: checks.Refuted,
				Fault: "μ = 0.1: D_th stays among the scores for longer"},
		},
		{
			ID: "prestige/settings/constant", Source: "Lemma 2, Alg. 1", Kind: verify.Identity,
			Origin: verify.Observation, Place: "Algorithm 1, Initialize: η₀ = R/B, Update η, Sample: ‖g_p‖ = B: B cancels",
			Statement: "the constant B of Lemma 2 has no effect on w: a run with half of it ends at the same w",
			Check:     runChange(constantB),
			Control: verify.Control{Check: runChange(constantL), Want: checks.Refuted,
				Fault: "L is doubled, which does change runs where ε is that of one update"},
		},
		{
			ID: "prestige/settings/whole-run", Source: "Sect. 4.1", Kind: verify.Privacy,
			Origin:    verify.Observation,
			Place:     parameters + "; Lemma 1; Algorithm 1, Sequentially pick: each record once an epoch",
			Statement: "the stated total budget ε·n·T_max is n times the ε of all updates that use one record, composed",
			Check:     statedOverComposed(false),
			Control:   verify.Control{Check: statedOverComposed(true), Want: checks.Refuted, Fault: "the budget is ε·T_max"},
		},
		{
			ID: "prestige/settings/observer", Source: "Alg. 1, Def. 2", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place: parameters + lines + "If: no update is made for a refused record; Definition 2: " +
				"any two records",
			Statement: "to an observer of w before and after a record, one with ⟨w, x⟩ = 0 and one with |⟨w, x⟩| ≥ D_th " +
				"differ by a δ of at least .49, even at ε = 1.6",
			Check: updateDelta(paper.PrestigeFirstThreshold),
			Control: verify.Control{Check: updateDelta(math.Inf(-1)), Want: checks.Refuted,
				Fault: "a threshold that admits every " +
					"record"},
		},
		{
			ID: "prestige/settings/hiding", Source: "Alg. 1, Def. 2", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place: parameters + lines + "If: an observer of the number of updates of an epoch alone, " +
				"w taken as it stands, with |⟨w, x⟩| ≥ D_th for all other records",
			Statement: "to an observer of the number of updates of an epoch alone, a record that may be admitted and one that " +
				"cannot differ by a δ below .01, where without other records it is .5",
			Check: epochDelta(func(rows int) int { return rows }),
			Control: verify.Control{Check: epochDelta(func(int) int { return 1 }), Want: checks.Refuted,
				Fault: "the record is alone"},
		},
		{
			ID: "prestige/settings/tuning", Source: "Sect. 4.1", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place: "Sect. 4.1, Parameters&Metrics: λ by 10-fold cross-validation in {10⁻³, …, 10³}, " +
				"seven powers of ten; the budget counts one run",
			Statement: "selecting λ trains 63 more times on each record: with these counted, a run costs 64 times the ε that " +
				"is stated",
			Check: trainings(paper.PrestigeFolds, 1, 64),
			Control: verify.Control{Check: trainings(paper.PrestigeFolds, 1, 1), Want: checks.Refuted,
				Fault: "only the last run " +
					"is counted"},
		},
		{
			ID: "prestige/settings/tuning/ramp", Source: "Sect. 4.1", Kind: verify.Privacy,
			Origin: verify.Observation,
			Place: "Sect. 4.1, Miscellaneous (1): s* of the ramp loss is chosen in [−2, 0], the text " +
				"does not say on which data nor among how many values; read as by the cross-validation that selects λ, among two",
			Statement: "selecting s* beside λ, among as few as two values, trains 126 more times on each record: with these " +
				"counted, a run with the ramp loss costs 127 times the ε that is stated",
			Check: trainings(paper.PrestigeFolds, 2, 127),
			Control: verify.Control{Check: trainings(paper.PrestigeFolds, 2, 64), Want: checks.Refuted,
				Fault: "only the selection " +
					"of λ is counted"},
		},
		{
			ID: "prestige/settings/repeats", Source: "Sect. 4.1", Kind: verify.Privacy,
			Origin: verify.Observation, Place: "Sect. 4.1, Parameters&Metrics: five total budgets from 0.8 to 1.6, each " +
				"experiment repeated 20 times, of which the mean is plotted",
			Statement: "the 100 runs on one data set behind one curve, 20 at each of five budgets, cost 120 by Lemma 1, where " +
				"the largest total budget that is stated is 1.6",
			Check:   curve(paper.PrestigeRepeats),
			Control: verify.Control{Check: curve(1), Want: checks.Refuted, Fault: "one run at each budget is counted"},
		},
	}
}

// set is a row of Table 2.
type set struct {
	name       string
	rows, dims float64
}

// overSets adds the points of f at each data set of Table 2.
func overSets(f func(s set, add func(formula.Point))) func(add func(formula.Point)) {
	return func(add func(formula.Point)) {
		for _, row := range paper.PrestigeTable2.Rows {
			rows, _, err1 := paper.PrestigeTable2.Number(row.Name, "Training")
			dims, _, err2 := paper.PrestigeTable2.Number(row.Name, "Features")
			for _, err := range []error{err1, err2} {
				if err != nil {
					add(formula.Point{Place: formula.Placef("%s", row.Name), Err: err})
				}
			}
			f(set{row.Name, rows, dims}, add)
		}
	}
}

// updates are those of a run that admits every record.
func (s set) updates() float64 { return s.rows * paper.PrestigeEpochs }

// reading is ε of one update.
type reading func(s set) float64

func wholeRun(s set) float64  { return maxBudget() / s.updates() }
func everyUpdate(set) float64 { return maxBudget() }

func maxBudget() float64 { return slices.Max(paper.PrestigeBudgets) }

// of divides ε of one update between label and gradient.
func (r reading) of(s set) (label, gradient float64) {
	return paper.PrestigeLabelShare * r(s), (1 - paper.PrestigeLabelShare) * r(s)
}

func (s set) words() string { return fmt.Sprintf("%s, n = %.0f, d = %.0f", s.name, s.rows, s.dims) }
