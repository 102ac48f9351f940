package papers

import (
	"cmp"
	"context"
	"slices"

	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

func prestigeTable3() []experiment.Experiment {
	return []experiment.Experiment{{
		About: result.About{
			Name:   "prestige/table-3",
			Title:  "Testing error rate of SGD, DJW and PRESTIGE with four losses, and the printed ones",
			Source: "Han et al. 2018, Sect. 4, Table 3",
			Data:   "a7a and, but for quick, mnist-3-8, or two classes in LIBSVM or CSV with --train",
			Takes:  []result.Knob{result.Given, result.Epochs, result.Lambda, result.Radius},
		},
		Panels: table3Panels,
	}}
}

// table3Budget is the budget of Table 3 (Sect. 4.2).
const table3Budget = 1

// Losses with the paper's parameters: c* = 2, and s* in [-2, 0]. The paper does not print s*, so the middle is
// used.
var (
	table3Losses = []erm.Loss{erm.Hinge{}, erm.Gompertz{C: 2}, erm.Logistic{}, erm.Ramp{S: -1}}
	table3Labels = []string{"Hinge", "Gompertz", "Logistic", "Ramp"}
)

// Table 3 has no row for SGD, but Sect. 4.1 lists it as a baseline of this comparison.
var table3Arms = []hanArm{
	{name: "SGD", learner: hanSGD, step: localsgd.StepBall, project: true},
	{name: "DJW, literal", learner: hanDJW},
	{name: "DJW, projected", learner: hanDJW, step: localsgd.StepBall, project: true},
	{name: "PRESTIGE, literal", learner: hanPRESTIGE},
	{name: "PRESTIGE, projected", learner: hanPRESTIGE, step: localsgd.StepBall, project: true},
}

// table3Panels declares a table for each data set and interpretation of the budget. A quick run omits MNIST, which
// takes more than a minute.
func table3Panels(o experiment.Options) ([]experiment.Panel, error) {
	sets := o.Sets("a7a", "mnist-3-8")
	if o.Budget == empirical.Quick {
		sets = sets[:1]
	}
	var panels []experiment.Panel
	for _, set := range sets {
		for _, reading := range hanReadings(o) {
			name := experiment.PanelName("prestige/table-3", set, reading.name)
			panels = append(panels, experiment.Panel{
				Name: name, Title: hanTitle("Testing error rate with four losses at budget 1", set),
				Start: func(_ context.Context, o experiment.Options) (experiment.Task, error) {
					return table3Start(o, name, set, reading)
				},
			})
		}
	}
	return panels, nil
}

func table3Start(o experiment.Options, name, set string, reading hanReading) (experiment.Task, error) {
	h, err := newHan(o, name, set)
	if err != nil {
		return experiment.Task{}, err
	}
	perUpdate := reading.perUpdate(h.train.Len(), cmp.Or(o.Epochs, hanEpochs))
	var units []experiment.Unit
	for _, a := range table3Arms {
		row, known := hanNames[set]
		known = known && a.learner != hanSGD
		for i, loss := range table3Losses {
			u := h.unit(a, loss, table3Budget*perUpdate, float64(i))
			if known {
				method := map[hanLearner]string{hanDJW: "DJW", hanPRESTIGE: "PRESTIGE"}[a.learner]
				mean, deviation, err := printed.PrestigeTable3.Number(row+", "+method, table3Labels[i])
				if err != nil {
					return experiment.Task{}, err
				}
				u.Reported, u.ReportedSD = []float64{mean}, []float64{deviation}
			}
			units = append(units, u)
		}
	}
	return experiment.Task{
		XLabel: "loss", YLabel: "testing error rate", Labels: table3Labels, Min: 0, Max: 1,
		Repeats: o.Pick(3, hanRepeats, 100),
		Units:   units,
		Config:  h.settled(perUpdate, table3Arms, table3Losses),
		Notes: slices.Concat([]string{
			"The budget 1 is read as " + reading.label + ".", h.levelNote([]float64{table3Budget}, perUpdate),
			"Gompertz loss with c* = 2, ramp loss with s* = -1, where the paper says in [-2, 0]. Printed figures are next to " +
				"both readings of the step.",
		}, h.about()),
		Finish: h.finish,
	}, nil
}
