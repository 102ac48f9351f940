package prestige

import (
	"fmt"
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

// settingsClaims returns observations: the parameters that are printed for the experiments (Sect. 4.1, Table 2,
// Algorithm 1), put into the paper's own algorithm and bounds.
//
//	settings.go        the parameters, and the claims
//	settings_noise.go  data, noise and length of an update
//	settings_run.go    admitted records, the constant B and the selection of λ
//
// By default the ε of one update is the budget divided by n·T_max, as printed in Sect. 4.1, with the largest printed
// budget, which has the least noise. The paper does not state R, so lengths are in units of R.
func settingsClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/settings/data", Kind: verify.Privacy, Origin: verify.Observation,
			Place: parameters + lines + "Rescale and both lines Sample",
			Statement: "fewer than one of the n·T_max updates of a run depends on its record, in expectation, on every " +
				"data set of Table 2. Setting: the total budget as printed, ε·n·T_max = 1.6; PRESTIGE and DJW; gradients " +
				"of norm L, the longest",
			Check:   informative(wholeRun),
			Control: checks.Faulty(informative(everyUpdate), "the budget is ε of one update"),
			Formerly: []string{"prestige/settings/curriculum", "prestige/settings/noise", "prestige/settings/signal",
				"prestige/settings/bound"},
		},
		{
			ID: "prestige/settings/rotation", Kind: verify.Privacy, Origin: verify.Observation,
			Place: parameters + "; Sect. 4.2, fourth and fifth sentence, and Robustness of PRESTIGE, second paragraph: Q = " +
				"1 with large probability; Algorithm 1, both lines Sample",
			Statement: "the probability that Q = 1, which the text calls large, is below 0.84 (DJW) and 0.79 (PRESTIGE) " +
				"if 1.6 is the ε of one update. If 1.6 is the total ε·n·T_max, as printed, it exceeds 0.5 by less than " +
				"10⁻⁵ on every data set of Table 2",
			Check: rotation(wholeRun),
			Control: verify.Control{Check: rotation(everyUpdate), Want: checks.Refuted, Fault: "the budget is ε of one " +
				"update"},
			Formerly: []string{"prestige/alg-1/angle/budget", "prestige/alg-1/angle/budget/corrected"},
		},
		{
			ID: "prestige/settings/step", Kind: verify.Rate, Origin: verify.Observation,
			Place: "Sect. 4.1, Parameters&Metrics: λ from 10⁻³; Algorithm 1, Update η: R/(λB√t), and Sample: ‖g_p‖ = B; " +
				"Table 2",
			Statement: "each of the n·T_max possible updates of a run on A7A and on Diabetes, even the last, is longer " +
				"than the diameter 2R of the ball that contains w by Theorem 1. Setting: Algorithm 1 as printed (step " +
				"R/(λB√t), no projection), λ = 10⁻³",
			Check:   stepOverDiameter(1e-3),
			Control: checks.Faulty(stepOverDiameter(1), "λ = 1"),
		},
		{
			ID: "prestige/settings/updates", Kind: verify.Rate, Origin: verify.Observation,
			Place: "Algorithm 1, If and Update D_th: with D_th = 1.5, μ = 1, T_max = 10; Sect. 3.3, the last sentences of " +
				"the paragraph after Remark 1; |z| ≤ 1 in the unit ball",
			Statement: "the curriculum decides in only two of the ten epochs. D_th falls from epoch to epoch, the first " +
				"epoch makes no update, and epochs 4 to 10 admit every record. Setting: D_th = 1.5, μ = 1, rows of norm " +
				"1, w kept in the unit ball by projection",
			Check:   admitted(paper.PrestigeDecrease),
			Control: checks.Faulty(admitted(0.1), "μ = 0.1: D_th stays above −1 for more epochs"),
			Formerly: []string{"prestige/settings/threshold", "prestige/alg-1/threshold", "prestige/alg-1/threshold/epochs",
				"prestige/alg-1/threshold/epochs/corrected", "prestige/alg-1/first-epoch/unit-ball"},
		},
		{
			ID: "prestige/settings/constant", Kind: verify.Identity, Origin: verify.Observation,
			Place: "Algorithm 1, Initialize: η₀ = R/B, Update η, and Sample, ‖g_p‖ = B: B cancels",
			Statement: "the constant B of Lemma 2 has no effect on w, because the step length is η_t‖G‖ = R/(λ√t). A " +
				"run with B/2 and the same random draws ends at the same w",
			Check:   runChange(constantB),
			Control: checks.Faulty(runChange(constantL), "L doubled, which changes a run at ε = 1.6 per update"),
		},
		{
			ID: "prestige/settings/tuning", Kind: verify.Privacy, Origin: verify.Observation,
			Place: "Sect. 4.1, Parameters&Metrics: λ by 10-fold cross-validation in {10⁻³, …, 10³}, seven powers of ten; " +
				"the budget counts one run",
			Statement: "selecting λ by 10-fold cross-validation over the seven powers of ten from 10⁻³ to 10³ trains 63 " +
				"more times on each record. By Lemma 1 the selection and the run that follows cost 64 times the ε of that " +
				"run",
			Check:    trainings(64),
			Control:  checks.Faulty(trainings(1), "only the last run counted"),
			Formerly: []string{"prestige/settings/tuning/ramp"},
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

// updates returns the number of updates of a run that admits every record.
func (s set) updates() float64 { return s.rows * paper.PrestigeEpochs }

// reading returns the ε of one update on a data set, by one reading of the budget.
type reading func(s set) float64

func wholeRun(s set) float64  { return maxBudget() / s.updates() }
func everyUpdate(set) float64 { return maxBudget() }

func maxBudget() float64 { return slices.Max(paper.PrestigeBudgets) }

func (s set) words() string { return fmt.Sprintf("%s, n = %.0f, d = %.0f", s.name, s.rows, s.dims) }
