package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// files lists the experiments by file.
var files = []func() []experiment.Experiment{
	curriculaTables,
	laplaceFigures,
	nonconvexFigures, nonconvexPrivacy,
	pairwiseFigures,
	prestigeFig4, prestigeFig6, prestigeTable3,
}

// Registry returns all experiments, ordered by name. It panics if two have the same name.
func Registry() []experiment.Experiment {
	var all []experiment.Experiment
	for _, of := range files {
		all = append(all, of()...)
	}
	slices.SortFunc(all, func(a, b experiment.Experiment) int { return strings.Compare(a.Name, b.Name) })
	for i := range all[1:] {
		if all[i].Name == all[i+1].Name {
			panic("study: two experiments are named " + all[i].Name)
		}
	}
	return all
}

// UnknownError is the error for the name of an unknown experiment.
type UnknownError struct {
	Name  string
	Known []string // names of all experiments
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no experiment %q: there are %s", e.Name, strings.Join(e.Known, ", "))
}

// Lookup returns the experiment with the given name, or an [*UnknownError].
func Lookup(name string) (experiment.Experiment, error) {
	all := Registry()
	names := make([]string, 0, len(all))
	for _, e := range all {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return experiment.Experiment{}, &UnknownError{Name: name, Known: names}
}

// Abouts returns the descriptions of all experiments, ordered by name.
func Abouts() []result.About {
	var all []result.About
	for _, e := range Registry() {
		all = append(all, e.About)
	}
	return all
}
