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

// figureClaims are what the text says of Fig. 4 and 6 and Table 3 prints, measured on A7A.
func figureClaims() []verify.Claim {
	const (
		tuning  = "; λ of the paper's range, and for PRESTIGE R, as they serve each learner best on the test rows in a pilot"
		usually = "; λ = 10⁻³, R = 10"
		// Budgets of 1.4 and 1.6 of one update leave the domain of Algorithm 1.
		outside = ", beyond the ε_s ≤ 1 of Algorithm 1 (prestige/budget/per-update)"
	)
	fig4 := func(reading string) string {
		return "on A7A with hinge loss, at the budget 1.6 as " + reading +
			", SGD errs less than PRESTIGE in most runs, and PRESTIGE less than DJW"
	}
	fig4Twin := verify.Control{Check: checks.Shared(twinRace(paperOrder)), Want: checks.Consistent,
		Fault: "none: PRESTIGE has 800 times the ε of DJW, on separable synthetic rows"}
	falling := fallingTwin()
	table := func(reading string) string {
		return "on A7A, with projection and at the budget 1 as " + reading +
			", PRESTIGE errs no more than Table 3 prints in most runs, with hinge and with Gompertz loss"
	}
	return []verify.Claim{
		{
			ID: "prestige/fig-4", Source: "Fig. 4, Sects. 4.1-4.2", Kind: verify.Experiment,
			Origin: verify.Stated, Place: "Fig. 4 and Sect. 4.2, Robustness of PRESTIGE; Sect. 4.1: the budget; " +
				"Algorithm 1 as printed" + tuning,
			Statement: fig4("ε n T_max, with the printed step and without projection"),
			Check:     fig4Race(perRun, true, paperOrder), Control: fig4Twin, Corrected: "prestige/fig-4/corrected",
		},
		{
			ID: "prestige/fig-4/per-record", Source: "Fig. 4, Sect. 4.2", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Fig. 4, Sect. 4.1: the budget read as that of a record; projection" + tuning,
			Statement: fig4("ε T_max, that of a record, with projection"),
			Check:     fig4Race(perRecord, false, paperOrder), Control: fig4Twin, Corrected: "prestige/fig-4/corrected",
		},
		{
			ID: "prestige/fig-4/per-update", Source: "Fig. 4, Sect. 4.2", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Fig. 4, Sect. 4.1: the budget read as ε of one update" + outside +
				"; projection" + tuning,
			Statement: fig4("ε of one update, with projection"),
			Check:     fig4Race(perUpdate, false, paperOrder), Control: fig4Twin, Corrected: "prestige/fig-4/corrected",
		},
		{
			ID: "prestige/fig-4/unprojected", Source: "Fig. 4, Sect. 4.2", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Fig. 4, Sect. 4.1: the budget read as ε of one update" + outside +
				"; step and lack of projection as printed" + tuning,
			Statement: fig4("ε of one update, with the printed step and without projection"),
			Check:     fig4Race(perUpdate, true, paperOrder), Control: fig4Twin, Corrected: "prestige/fig-4/corrected",
		},
		{
			ID: "prestige/fig-4/corrected", Source: "Fig. 4, corrected", Kind: verify.Experiment,
			Origin: verify.Correction,
			Place:  "Fig. 4, as measured at ε of one update" + outside + ", with projection" + tuning,
			Statement: "on A7A with hinge loss, at ε = 1.6 of one update and with projection, SGD errs less than DJW in most " +
				"runs, and DJW less than PRESTIGE",
			Check: fig4Race(perUpdate, false, measuredOrder),
			Control: verify.Control{Check: twinRace(measuredOrder), Want: checks.Refuted,
				Fault: "DJW has far less privacy to spend than PRESTIGE"},
		},
		{
			ID: "prestige/fig-6", Source: "Fig. 6, Sect. 4.2", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Fig. 6 and Sect. 4.2, Effectiveness of Mini-Batch Trick, second " +
				"observation; the budget read as ε of one update" + usually,
			Statement: "on A7A with hinge loss, at ε = 0.8 of one update and with projection, DJW errs less with batches of " +
				"10 than of 1 in most runs",
			Check: fig6Race(djw, false), Control: fig6Twin(false), Corrected: "prestige/fig-6/corrected",
		},
		{
			ID: "prestige/fig-6/corrected", Source: "Fig. 6, corrected", Kind: verify.Experiment,
			Origin: verify.Correction, Place: "Fig. 6, as measured at ε of one update with projection" + usually,
			Statement: "on A7A with hinge loss, at ε = 0.8 of one update and with projection, DJW errs less with batches of 1 " +
				"than of 10 in most runs",
			Check: fig6Race(djw, false).reversed(),
			Control: verify.Control{Check: fig6Sphere(false).reversed(), Want: checks.Refuted,
				Fault: "the batches of 10 have a hundred times the ε, on separable synthetic rows"},
		},
		{
			ID: "prestige/fig-6/prestige", Source: "Fig. 6, Sect. 4.2", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Fig. 6 and Sect. 4.2, Effectiveness of Mini-Batch Trick, second " +
				"observation, of PRESTIGE; the budget read as ε of one update" + usually,
			Statement: "on A7A with hinge loss, at ε = 0.8 of one update and with projection, PRESTIGE errs less with batches " +
				"of 10 than of 1 in most runs",
			Check: fig6Race(prestige, false), Control: fig6Twin(false),
		},
		{
			ID: "prestige/fig-6/deviation", Source: "Fig. 6, Sect. 4.2", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Fig. 6 and Sect. 4.2, Effectiveness of Mini-Batch Trick, second " +
				"observation: the deviations; the budget read as ε of one update" + usually,
			Statement: "on A7A with hinge loss, at ε = 0.8 of one update and with projection, the errors of two runs of DJW " +
				"lie nearer to each other with batches of 10 than of 1, more often than not",
			Check: fig6Race(djw, true), Control: fig6Twin(true),
		},
		{
			ID: "prestige/fig-6/falling", Source: "Fig. 6, Sect. 4.2", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Fig. 6 and Sect. 4.2, Effectiveness of Mini-Batch Trick, first observation, of " +
				"DJW; the budget read as ε of one update" + outside + "; its ends" + usually,
			Statement: "on A7A with hinge loss, batches of 10 and projection DJW errs less at ε = 1.6 of one update than at " +
				"0.8 in most runs",
			Check: fallingRace(djw, 10), Control: falling,
		},
		{
			ID: "prestige/fig-6/methods", Source: "Fig. 6, Sect. 4.2", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Fig. 6 and Sect. 4.2, Effectiveness of Mini-Batch Trick, third observation; the " +
				"budget read as ε of one update" + usually,
			Statement: "on A7A with hinge loss, at ε = 0.8 of one update and with projection, PRESTIGE with batches of 10 " +
				"errs less than DJW with batches of 10 in most runs",
			Check: methodsRace(), Control: methodsTwin(), Corrected: "prestige/fig-6/methods/corrected",
		},
		{
			ID: "prestige/fig-6/methods/corrected", Source: "Fig. 6, corrected", Kind: verify.Experiment,
			Origin: verify.Correction,
			Place:  "Fig. 6, third observation, as measured at ε of one update with projection" + usually,
			Statement: "on A7A with hinge loss, at ε = 0.8 of one update and with projection, DJW with batches of 10 errs " +
				"less than PRESTIGE with batches of 10 in most runs",
			Check: methodsRace().reversed(),
			Control: verify.Control{Check: methodsSphere().reversed(), Want: checks.Refuted,
				Fault: "PRESTIGE has 800 times the ε of DJW, on separable synthetic rows"},
		},
		{
			ID: "prestige/table-3/a7a", Source: "Table 3, row A7A", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Table 3, row A7A; Sect. 4.1: the total ε × n × T_max; projection" + tuning,
			Statement: table("ε n T_max, as printed"),
			Check:     tableRace(perRun, false), Control: tableTwin(false), Corrected: "prestige/table-3/a7a/corrected",
		},
		{
			ID: "prestige/table-3/a7a/per-record", Source: "Table 3, row A7A", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Table 3, row A7A, the budget read as ε × T_max of a record" + tuning,
			Statement: table("ε T_max, that of a record"),
			Check:     tableRace(perRecord, false), Control: tableTwin(false), Corrected: "prestige/table-3/a7a/corrected",
		},
		{
			ID: "prestige/table-3/a7a/per-update", Source: "Table 3, row A7A", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Table 3, row A7A, the budget read as ε of one update" + tuning,
			Statement: table("ε of one update"),
			Check:     tableRace(perUpdate, false), Control: tableTwin(false), Corrected: "prestige/table-3/a7a/corrected",
		},
		{
			ID: "prestige/table-3/a7a/corrected", Source: "Table 3, row A7A, corrected", Kind: verify.Experiment,
			Origin: verify.Correction, Place: "Table 3, row A7A, as measured at ε of one update" + tuning,
			Statement: "on A7A, with projection and at ε = 1 of one update, PRESTIGE errs more than Table 3 prints in most " +
				"runs, with hinge and with Gompertz loss",
			Check: tableRace(perUpdate, true), Control: tableTwin(true),
		},
		{
			ID: "prestige/fig-4/constant", Source: "Fig. 4, Table 3, row A7A", Kind: verify.Experiment,
			Origin: verify.Implied, Place: "Fig. 4 and Table 3, A7A, at the budget 1.6 read as ε of one update" + outside +
				", with projection, R = 1 and λ = 10⁻³, which of the range serve PRESTIGE best; Algorithm 1, If; what is left of " +
				"the error is the share of a class",
			Statement: "where PRESTIGE errs least on A7A its classifier ignores its input: in most runs it gives more than " +
				"99.5 % of the test rows one answer",
			Check: constantRace("PRESTIGE", prestige),
			Control: verify.Control{Check: constantSphere(), Want: checks.Refuted,
				Fault: "SGD without privacy on separable synthetic rows"},
		},
		{
			ID: "prestige/fig-4/falling", Source: "Fig. 4, Sect. 4.2", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Sect. 4.2, Robustness of PRESTIGE, second paragraph, third sentence: errors " +
				"fall with the budget, read as ε of one update" + outside + ", with projection; its ends" + usually,
			Statement: "on A7A with hinge loss and projection DJW errs less at ε = 1.6 of one update than at 0.8 in most runs",
			Check:     fallingRace(djw, 1), Control: falling,
		},
		{
			ID: "prestige/fig-4/falling/prestige", Source: "Fig. 4, Sect. 4.2", Kind: verify.Experiment,
			Origin: verify.Reading, Place: "Sect. 4.2, Robustness of PRESTIGE, second paragraph, third sentence: errors " +
				"fall with the budget, read as ε of one update" + outside + ", with projection; its ends" + usually,
			Statement: "on A7A with hinge loss and projection PRESTIGE errs less at ε = 1.6 of one update than at 0.8 in " +
				"most runs",
			Check: fallingRace(prestige, 1), Control: falling,
		},
	}
}

// constantRace holds the share of test rows with one answer above 99.5 %.
func constantRace(name string, kind method) race {
	return race{rows: a7a, runs: 40, alike: true, fixed: []fixed{{"99.5 %", 0.995, nil}},
		orders: []mean.Order{{Less: 1, More: 0}}, arms: func(int) []arm {
			return []arm{{name: name, learner: kind, loss: erm.Hinge{}, epsilon: largestBudget, lambda: usualLambda, radius: 1}}
		}}
}

// constantSphere is what constantRace must refute.
func constantSphere() race {
	c := constantRace("SGD", sgd)
	c.rows, c.runs = sphere, 1600
	return c
}

// fallingRace sets the largest budget against the least, each as ε of one update.
func fallingRace(kind method, batch int) race {
	runs := int64(64)
	if batch > 1 { // the order is rarer with batches
		runs = 128
	}
	return race{rows: a7a, orders: []mean.Order{{Less: 1, More: 0}}, runs: runs, arms: func(int) []arm {
		return usualArms(arm{name: "budget 0.8", learner: kind, epsilon: slices.Min(paper.PrestigeBudgets), batch: batch},
			arm{name: "budget 1.6", learner: kind, epsilon: largestBudget, batch: batch})
	}}
}

func fallingTwin() verify.Control {
	sound := race{rows: sphere, orders: []mean.Order{{Less: 1, More: 0}}, runs: 1600, arms: func(int) []arm {
		return usualArms(arm{name: "ε = 0.01", learner: djw, epsilon: 0.01}, arm{name: "ε = 10", learner: djw, epsilon: 10})
	}}
	return verify.Control{Check: checks.Shared(sound), Want: checks.Consistent,
		Fault: "none: a thousandfold ε, on separable synthetic rows"}
}

// fig6Race sets batches of 10 against batches of 1.
func fig6Race(kind method, spread bool) race {
	c := race{rows: a7a, orders: []mean.Order{{Less: 1, More: 0}}, runs: 192, spread: spread,
		arms: func(int) []arm { return batchArms(kind, 0.8) }}
	if spread {
		c.runs = 20 // of two runs each
	}
	return c
}

func batchArms(kind method, epsilon float64) []arm {
	return usualArms(arm{name: "batch 1", learner: kind, epsilon: epsilon, batch: 1},
		arm{name: "batch 10", learner: kind, epsilon: epsilon, batch: 10})
}

// fig6Sphere gives the batches of 10 a hundred times the ε: then they are the better ones.
func fig6Sphere(spread bool) race {
	return race{rows: sphere, orders: []mean.Order{{Less: 1, More: 0}}, runs: 1600, spread: spread, arms: func(int) []arm {
		arms := batchArms(djw, 0.1)
		arms[1].epsilon = 10
		return arms
	}}
}

func fig6Twin(spread bool) verify.Control {
	return verify.Control{Check: fig6Sphere(spread), Want: checks.Consistent,
		Fault: "none: the batches of 10 have a hundred times the ε, on separable synthetic rows"}
}

// methodsRace sets PRESTIGE against DJW, each with batches of 10.
func methodsRace() race {
	return race{rows: a7a, orders: []mean.Order{{Less: 0, More: 1}}, runs: 64, arms: func(int) []arm {
		return usualArms(arm{name: "PRESTIGE", learner: prestige, epsilon: 0.8, batch: 10},
			arm{name: "DJW", learner: djw, epsilon: 0.8, batch: 10})
	}}
}

// methodsSphere gives PRESTIGE 8 of both privacies and DJW 0.01: then it errs less.
func methodsSphere() race {
	return race{rows: sphere, orders: []mean.Order{{Less: 0, More: 1}}, runs: 1600, arms: func(int) []arm {
		return usualArms(arm{name: "PRESTIGE", learner: prestige, epsilon: 8, labelEpsilon: 8, batch: 10},
			arm{name: "DJW", learner: djw, epsilon: 0.01, batch: 10})
	}}
}

func methodsTwin() verify.Control {
	return verify.Control{Check: methodsSphere(), Want: checks.Consistent,
		Fault: "none: PRESTIGE has 800 times the ε of DJW, on separable synthetic rows"}
}

// The losses of Table 3 that are measured: the default, and PRESTIGE's best.
func tableArms(e float64) []arm {
	return usualArms(arm{name: "hinge", learner: prestige, epsilon: e, loss: erm.Hinge{}},
		arm{name: "Gompertz", learner: prestige, epsilon: e, loss: erm.Gompertz{C: 2}})
}

// tableRace holds PRESTIGE against its printed error rates, or these against it.
func tableRace(update func(rows float64) float64, above bool) verify.Check {
	return race{
		rows: a7a, tune: true, runs: 40, arms: func(n int) []arm { return tableArms(update(float64(n))) },
		fixed:  []fixed{printedCell("A7A", "PRESTIGE", "Hinge"), printedCell("A7A", "PRESTIGE", "Gompertz")},
		orders: belowFixed(above),
	}
}

// belowFixed sets two arms below two fixed values, or above.
func belowFixed(above bool) []mean.Order {
	if above {
		return []mean.Order{{Less: 2, More: 0}, {Less: 3, More: 1}}
	}
	return []mean.Order{{Less: 0, More: 2}, {Less: 1, More: 3}}
}

// tableTwin has so much privacy to spend on synthetic rows that half of them wrong is far off.
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
		Want: checks.Consistent, Fault: "none: against one half, with ε = 8 for label and gradient, on " +
			"separable synthetic rows",
	}
	if above {
		t.Want, t.Fault = checks.Refuted,
			"the error is said to be above one half, with ε = 8 for label and gradient, on separable synthetic rows"
	}
	return t
}

// printedCell is a printed rate at the upper end of its rounding.
func printedCell(set, method, loss string) fixed {
	text, _, _ := strings.Cut(table3.Cell(set+", "+method, loss).Text, "±")
	value, err := strconv.ParseFloat(text, 64)
	return fixed{fmt.Sprintf("printed (%s, %s loss) %s", method, loss, text), value + 0.00005, err}
}
