package papers

import (
	"cmp"
	"context"

	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/empirical/study"
	"github.com/dpverify/dpverify/empirical/study/studydata"
)

func prestigeFig4() []study.Experiment {
	return []study.Experiment{{
		About: studydata.About{
			Name:   "prestige/fig-4",
			Title:  "Testing error rate of SGD, DJW and PRESTIGE against the privacy budget",
			Source: "Han et al. 2018, Sect. 4, Fig. 4",
			Data:   "a7a and mnist-3-8, or two classes in LIBSVM or CSV with --train",
			Takes: []studydata.Knob{studydata.Given, studydata.Epochs, studydata.Epsilons, studydata.Totals, studydata.Lambda,
				studydata.Radius},
		},
		Panels: fig4Panels,
	}}
}

// SGD has no literal arm: the paper gives it no step size.
var fig4Arms = []hanArm{
	{name: "SGD", learner: hanSGD, step: localsgd.StepBall, project: true},
	{name: "DJW, literal", learner: hanDJW},
	{name: "PRESTIGE, literal", learner: hanPRESTIGE},
	{name: "DJW, projected", learner: hanDJW, step: localsgd.StepBall, project: true},
	{name: "PRESTIGE, projected", learner: hanPRESTIGE, step: localsgd.StepBall, project: true},
}

// fig4Panels declares a panel a data set and reading of the budget: all readings, or
// only those whose levels are given. The training is with hinge loss.
func fig4Panels(o study.Options) ([]study.Panel, error) {
	var panels []study.Panel
	for _, set := range o.Sets("a7a", "mnist-3-8") {
		for _, reading := range hanReadings(o) {
			name := study.PanelName("prestige/fig-4", set, reading.name)
			panels = append(panels, study.Panel{
				Name: name, Title: hanTitle("Testing error rate, hinge loss", set),
				Start: func(_ context.Context, o study.Options) (study.Task, error) { return fig4Start(o, name, set, reading) },
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

func fig4Start(o study.Options, name, set string, reading hanReading) (study.Task, error) {
	h, err := newHan(o, name, set)
	if err != nil {
		return study.Task{}, err
	}
	perUpdate := reading.perUpdate(h.train.Len(), cmp.Or(o.Epochs, hanEpochs))
	return study.Task{
		XLabel: reading.label, YLabel: "testing error rate", Least: 0, Most: 1,
		Repeats: o.Pick(3, hanRepeats, 100),
		Units:   h.curves(fig4Arms, reading.levels, perUpdate),
		Config:  h.settled(perUpdate, fig4Arms),
		Notes:   append([]string{h.levelNote(reading.levels, perUpdate)}, h.about()...),
		Finish:  h.finish,
	}, nil
}
