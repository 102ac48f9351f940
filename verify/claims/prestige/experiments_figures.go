package prestige

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/dpverify/dpverify/algorithms/erm"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/mean"
)

// figureClaims returns the statements about Figs. 4 and 6 and the errors of Table 3, measured on A7A.
func figureClaims() []verify.Claim {
	const (
		rowsWords  = "; rows divided by their norm, classes as in the file, no intercept, "
		stepWords  = "step R/(B√t), which does not contain λ, projection on the ball of radius R, unbiased B"
		tuned      = rowsWords + stepWords + "; λ and R with the smallest error on the test rows"
		untuned    = rowsWords + stepWords + "; λ = 10⁻³, R = 10"
		outside    = ", beyond the ε_s ≤ 1 of Algorithm 1"
		projection = "projection and the step R/(B√t)"
	)
	fig4Twin := verify.Control{Check: checks.Shared(twinRace(paperOrder)), Want: checks.Consistent,
		Fault: "none: PRESTIGE has 800 times the ε of DJW, on separable synthetic rows"}
	return []verify.Claim{
		{
			ID: "prestige/fig-4", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 4: and Sect. 4.2, Robustness of PRESTIGE; the budget read as ε of one update, the most favorable " +
				"reading" + outside + tuned,
			Statement: "SGD errs less than PRESTIGE in most runs, and PRESTIGE less than DJW. Setting: A7A, hinge loss, " +
				"ε = 1.6 per update, projection",
			Check: fig4Race(perUpdate, paperOrder), Control: fig4Twin, Corrected: "prestige/fig-4/corrected",
			Formerly: []string{"prestige/fig-4/per-update", "prestige/fig-4/unprojected", "prestige/fig-6/methods"},
		},
		{
			ID: "prestige/fig-4/per-record", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 4: Sect. 4.1, the budget read as the budget of a record" + tuned,
			Statement: "SGD errs less than PRESTIGE in most runs, and PRESTIGE less than DJW. Setting: A7A, hinge loss, " +
				"ε·T_max = 1.6 per record, " + projection,
			Check: fig4Race(perRecord, paperOrder), Control: fig4Twin, Corrected: "prestige/fig-4/corrected",
		},
		{
			ID: "prestige/fig-4/corrected", Kind: verify.Experiment, Origin: verify.Correction,
			Place: "Fig. 4: as measured at ε of one update" + outside + tuned,
			Statement: "SGD errs less than DJW in most runs, and DJW less than PRESTIGE. Setting: A7A, hinge loss, ε = " +
				"1.6 per update, " + projection,
			Check:    fig4Race(perUpdate, measuredOrder),
			Control:  checks.Faulty(twinRace(measuredOrder), "DJW has a far smaller ε than PRESTIGE"),
			Formerly: []string{"prestige/fig-6/methods/corrected"},
		},
		{
			ID: "prestige/fig-6", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 6: and Sect. 4.2, Effectiveness of Mini-Batch Trick, second observation, of DJW; the budget read " +
				"as ε of one update; each gradient of a batch is privatized, then averaged, which the paper leaves open" +
				untuned,
			Statement: "averaging the private gradients of batches of 10 gives DJW a smaller error than single records " +
				"in most runs. Setting, ours: A7A, hinge loss, ε = 0.8 per update, λ = 10⁻³, R = 10, " + projection,
			Check: fig6Race(a7a, 0.8, 0.8),
			Control: verify.Control{Check: fig6Race(sphere, 0.1, 10), Want: checks.Consistent,
				Fault: "none: the batches of 10 have a hundred times the ε, on separable synthetic rows"},
			Formerly: []string{"prestige/fig-6/prestige", "prestige/fig-6/deviation", "prestige/fig-6/corrected"},
		},
		{
			ID: "prestige/table-3/a7a/per-update", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Table 3, row A7A: the budget read as ε of one update, the most favorable reading" + tuned,
			Statement: "in most runs PRESTIGE errs no more than Table 3 prints (0.1791 and 0.1732), with the hinge and " +
				"with the Gompertz loss. Setting: A7A, ε = 1 per update, " + projection,
			Check: tableRace(false), Control: tableTwin(false), Corrected: "prestige/table-3/a7a/corrected",
			Formerly: []string{"prestige/table-3/a7a/per-record"},
		},
		{
			ID: "prestige/table-3/a7a/corrected", Kind: verify.Experiment, Origin: verify.Correction,
			Place: "Table 3, row A7A: as measured at ε of one update" + tuned,
			Statement: "in most runs PRESTIGE errs more than Table 3 prints, with the hinge and with the Gompertz loss. " +
				"Setting: A7A, ε = 1 per update, " + projection,
			Check: tableRace(true), Control: tableTwin(true),
		},
		{
			ID: "prestige/fig-4/constant", Kind: verify.Experiment, Origin: verify.Observation,
			Place: "Fig. 4: and Table 3, A7A, at the budget 1.6 read as ε of one update" + outside + "; Algorithm 1, If" +
				rowsWords + stepWords + "; R = 1 and λ = 10⁻³, at which PRESTIGE errs least",
			Statement: "in most runs PRESTIGE gives more than 99.5 % of the test rows the same answer. Setting: A7A, " +
				"hinge loss, ε = 1.6 per update, R = 1, λ = 10⁻³",
			Check:   constantRace("PRESTIGE", prestige),
			Control: checks.Faulty(constantSphere(), "SGD without privacy on separable synthetic rows"),
		},
		{
			ID: "prestige/fig-4/falling", Kind: verify.Experiment, Origin: verify.Reading,
			Place: "Fig. 4: Sect. 4.2, Robustness of PRESTIGE, second paragraph, third sentence, errors fall as the " +
				"budget grows, read as ε of one update" + outside + "; smallest and largest budget" + untuned,
			Statement: "in most runs DJW and PRESTIGE have a smaller error with ε = 1.6 per update than with ε = 0.8. " +
				"Setting: A7A, hinge loss, λ = 10⁻³, R = 10, " + projection,
			Check: fallingRace(), Control: fallingTwin(),
			Formerly: []string{"prestige/fig-4/falling/prestige", "prestige/fig-6/falling"},
		},
	}
}

// constantRace compares the share of test rows with the same answer with 99.5 %.
func constantRace(name string, kind method) race {
	return race{rows: a7a, runs: 40, alike: true, fixed: []fixed{{"99.5 %", 0.995, nil}},
		orders: []mean.Order{{Less: 1, More: 0}}, arms: func(int) []arm {
			return []arm{{name: name, learner: kind, loss: erm.Hinge{}, epsilon: maxBudget(), lambda: usualLambda, radius: 1}}
		}}
}

// constantSphere returns the negative control of constantRace: SGD without privacy on separable rows.
func constantSphere() race {
	c := constantRace("SGD", sgd)
	c.rows, c.runs = sphere, 1600
	return c
}

// fallingRace compares the errors at the largest and the smallest budget, each as ε of one update.
func fallingRace() race {
	return race{rows: a7a, orders: []mean.Order{{Less: 1, More: 0}, {Less: 3, More: 2}}, runs: 64,
		arms: func(int) (all []arm) {
			for _, l := range []arm{{name: "DJW", learner: djw}, {name: "PRESTIGE", learner: prestige}} {
				for _, l.epsilon = range []float64{slices.Min(paper.PrestigeBudgets), maxBudget()} {
					a := l
					a.name = fmt.Sprintf("%s, budget %g", l.name, l.epsilon)
					all = append(all, a)
				}
			}
			return usualArms(all...)
		}}
}

func fallingTwin() verify.Control {
	sound := race{rows: sphere, orders: []mean.Order{{Less: 1, More: 0}}, runs: 1600, arms: func(int) []arm {
		return usualArms(arm{name: "ε = 0.01", learner: djw, epsilon: 0.01}, arm{name: "ε = 10", learner: djw, epsilon: 10})
	}}
	return verify.Control{Check: checks.Shared(sound), Want: checks.Consistent,
		Fault: "none: a thousandfold ε, on separable synthetic rows"}
}

// fig6Race compares batches of 10 with single records, at the given ε each.
func fig6Race(from func(verify.Settings) (rows, error), single, batches float64) race {
	c := race{rows: from, orders: []mean.Order{{Less: 1, More: 0}}, runs: 192, arms: func(int) []arm {
		return usualArms(arm{name: "batch 1", learner: djw, epsilon: single, batch: 1},
			arm{name: "batch 10", learner: djw, epsilon: batches, batch: 10})
	}}
	if single != batches { // the synthetic rows
		c.runs = 1600
	}
	return c
}

// tableArms returns PRESTIGE with the hinge loss, the paper's default, and with the Gompertz loss, its best in Table 3.
func tableArms(e float64) []arm {
	return usualArms(arm{name: "hinge", learner: prestige, epsilon: e, loss: erm.Hinge{}},
		arm{name: "Gompertz", learner: prestige, epsilon: e, loss: erm.Gompertz{C: 2}})
}

// tableRace compares PRESTIGE at ε = 1 per update with its printed error rates.
func tableRace(above bool) verify.Check {
	return race{
		rows: a7a, tune: true, runs: 40, arms: func(int) []arm { return tableArms(1) },
		fixed:  []fixed{printedCell("A7A", "PRESTIGE", "Hinge"), printedCell("A7A", "PRESTIGE", "Gompertz")},
		orders: belowFixed(above),
	}
}

// belowFixed orders two arms below two fixed values, or above them.
func belowFixed(above bool) []mean.Order {
	if above {
		return []mean.Order{{Less: 2, More: 0}, {Less: 3, More: 1}}
	}
	return []mean.Order{{Less: 0, More: 2}, {Less: 1, More: 3}}
}

// tableTwin is the control of tableRace: at ε = 8 on separable rows the error is far below one half.
func tableTwin(above bool) verify.Control {
	t := verify.Control{
		Check: race{
			rows: sphere, runs: 1600, orders: belowFixed(above), fixed: []fixed{{"chance", 0.5, nil}, {"chance again", 0.5,
				nil}},
			arms: func(int) []arm {
				arms := tableArms(8)
				for i := range arms {
					arms[i].labelEpsilon = arms[i].epsilon
				}
				return arms
			},
		},
		Want: checks.Consistent, Fault: "none: against one half, with ε = 8 for label and gradient, on separable " +
			"synthetic rows",
	}
	if above {
		t.Want, t.Fault = checks.Refuted,
			"the error is said to be above one half, with ε = 8 for label and gradient, on separable synthetic rows"
	}
	return t
}

// printedCell returns a printed rate at the upper end of its rounding interval.
func printedCell(set, method, loss string) fixed {
	text, _, _ := strings.Cut(table3.Cell(set+", "+method, loss).Text, "±")
	value, err := strconv.ParseFloat(text, 64)
	return fixed{fmt.Sprintf("printed (%s, %s loss) %s", method, loss, text), value + 0.00005, err}
}
