package papers

import (
	"cmp"
	"context"

	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

func prestigeFig4() []experiment.Experiment {
	return []experiment.Experiment{{
		About: result.About{
			Name:   "prestige/fig-4",
			Title:  "Testing error rate of SGD, DJW and PRESTIGE against the privacy budget",
			Source: "Han et al. 2018, Sect. 4, Fig. 4",
			Data:   "a7a and mnist-3-8, or two classes in LIBSVM or CSV with --train",
			Takes: []result.Knob{result.Given, result.Epochs, result.Epsilons, result.Totals, result.Lambda,
				result.Radius},
		},
		Panels: fig4Panels,
	}}
}

// SGD has no literal version, because the paper gives no step size for it.
var fig4Arms = []hanArm{
	{name: "SGD", learner: hanSGD, step: localsgd.StepBall, project: true},
	{name: "DJW, literal", learner: hanDJW},
	{name: "PRESTIGE, literal", learner: hanPRESTIGE},
	{name: "DJW, projected", learner: hanDJW, step: localsgd.StepBall, project: true},
	{name: "PRESTIGE, projected", learner: hanPRESTIGE, step: localsgd.StepBall, project: true},
}

// fig4Panels declares a panel for each data set and interpretation of the budget, or only for interpretations whose
// levels are given. The loss is the hinge loss.
func fig4Panels(o experiment.Options) ([]experiment.Panel, error) {
	var panels []experiment.Panel
	for _, set := range o.Sets("a7a", "mnist-3-8") {
		for _, reading := range hanReadings(o) {
			name := experiment.PanelName("prestige/fig-4", set, reading.name)
			panels = append(panels, experiment.Panel{
				Name: name, Title: hanTitle("Testing error rate, hinge loss", set),
				Start: func(_ context.Context, o experiment.Options) (experiment.Task, error) {
					return fig4Start(o, name, set, reading)
				},
			})
		}
	}
	return panels, nil
}

func hanTitle(title, set string) string {
	if set == "" {
		return title
	}
	return title + ", " + set
}

func fig4Start(o experiment.Options, name, set string, reading hanReading) (experiment.Task, error) {
	h, err := newHan(o, name, set)
	if err != nil {
		return experiment.Task{}, err
	}
	perUpdate := reading.perUpdate(h.train.Len(), cmp.Or(o.Epochs, hanEpochs))
	return experiment.Task{
		XLabel: reading.label, YLabel: "testing error rate", Min: 0, Max: 1,
		Repeats: o.Pick(3, hanRepeats, 100),
		Units:   h.curves(fig4Arms, reading.levels, perUpdate),
		Config:  h.settled(perUpdate, fig4Arms),
		Notes:   append([]string{h.levelNote(reading.levels, perUpdate)}, h.about()...),
		Finish:  h.finish,
	}, nil
}
