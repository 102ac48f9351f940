package papers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/experiment"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// files are the experiments, file by file.
var files = []func() []experiment.Experiment{
	curriculaTables,
	laplaceFigures,
	nonconvexFigures, nonconvexPrivacy,
	pairwiseFigures,
	prestigeFig4, prestigeFig6, prestigeTable3,
}

// Registry lists the experiments by name. A name taken twice is a programming error.
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

// UnknownError is the error of a name that no experiment has.
type UnknownError struct {
	Name  string
	Known []string // the names there are
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("no experiment %q: there are %s", e.Name, strings.Join(e.Known, ", "))
}

// Lookup finds an experiment by its name; the error is an [*UnknownError].
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

// Abouts describe the experiments, by name.
func Abouts() []result.About {
	var all []result.About
	for _, e := range Registry() {
		all = append(all, e.About)
	}
	return all
}
