package papers

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

func prestigeFig6() []experiment.Experiment {
	return []experiment.Experiment{{
		About: result.About{
			Name:   "prestige/fig-6",
			Title:  "Testing error rate of SGD, DJW and PRESTIGE with mini-batches against the privacy budget",
			Source: "Han et al. 2018, Sect. 4, Fig. 6",
			Data:   "a7a and mnist-3-8, or two classes in LIBSVM or CSV with --train",
			Takes:  []result.Knob{result.Given, result.Epochs, result.Epsilons, result.Lambda, result.Radius},
		},
		Panels: fig6Panels,
	}}
}

var fig6Batches = []int{1, 5, 10}

// fig6Arms returns the learners with each batch size under one interpretation. SGD, a baseline of Sect. 4.1, has no
// literal version, because the paper gives no step size for it.
func fig6Arms(step localsgd.Step, project bool) (arms []hanArm) {
	for _, learner := range []struct {
		name string
		kind hanLearner
	}{{"SGD", hanSGD}, {"DJW", hanDJW}, {"PRESTIGE", hanPRESTIGE}} {
		if learner.kind == hanSGD && !project {
			continue
		}
		for _, batch := range fig6Batches {
			arms = append(arms, hanArm{name: fmt.Sprintf("%s (%d)", learner.name, batch), learner: learner.kind, step: step,
				project: project, batch: batch})
		}
	}
	return arms
}

// fig6Panels declares two panels for each data set: one with projection, and one for the paper's literal algorithm.
// The budget is ε of one update, because the learners learn under this interpretation.
func fig6Panels(o experiment.Options) ([]experiment.Panel, error) {
	readings := hanReadings(o)
	reading := readings[len(readings)-1]
	var panels []experiment.Panel
	for _, set := range o.Sets("a7a", "mnist-3-8") {
		for _, kind := range []struct {
			name string
			arms []hanArm
		}{{"projected", fig6Arms(localsgd.StepBall, true)}, {"literal", fig6Arms(localsgd.StepPaper, false)}} {
			name := experiment.PanelName("prestige/fig-6", set, kind.name)
			panels = append(panels, experiment.Panel{
				Name: name, Title: hanTitle("Testing error rate with mini-batches (size), "+kind.name, set),
				Start: func(_ context.Context, o experiment.Options) (experiment.Task, error) {
					return fig6Start(o, name, set, reading, kind.arms)
				},
			})
		}
	}
	return panels, nil
}

func fig6Start(o experiment.Options, name, set string, reading hanReading, arms []hanArm) (experiment.Task, error) {
	h, err := newHan(o, name, set)
	if err != nil {
		return experiment.Task{}, err
	}
	return experiment.Task{
		XLabel: reading.label, YLabel: "testing error rate", Min: 0, Max: 1,
		Repeats: o.Pick(3, hanRepeats, 100),
		Units:   h.curves(arms, reading.levels, 1),
		Config:  h.settled(arms),
		Notes: slices.Concat([]string{
			h.levelNote(reading.levels, 1),
			"A batch averages gradients at the same w, each privatized first except for SGD; the paper states no rule.",
		}, h.about()),
		Finish: func(r *result.Result, outcomes []experiment.Outcome) error {
			r.Findings = fig6Findings(r.Series)
			return h.finish(r, outcomes)
		},
	}, nil
}

// fig6Findings compares mean errors and standard deviations over the levels.
func fig6Findings(series []result.Series) (findings []string) {
	for from := 0; from < len(series); from += len(fig6Batches) {
		var names, means, deviations []string
		for _, s := range series[from : from+len(fig6Batches)] {
			names = append(names, s.Name)
			means = append(means, fmt.Sprintf("%.4f", stat.Mean(s.Mean, nil)))
			deviations = append(deviations, fmt.Sprintf("%.4f", stat.Mean(s.SD, nil)))
		}
		findings = append(findings, fmt.Sprintf("%s: mean error over the levels %s, mean standard deviation %s.",
			strings.Join(names, ", "), strings.Join(means, ", "), strings.Join(deviations, ", ")))
	}
	return findings
}
