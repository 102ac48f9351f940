package study

import (
	"fmt"
	"slices"
	"strings"
)

// files are the experiments, file by file.
var files = []func() []Experiment{
	curriculaTables,
	laplaceFigures,
	nonconvexFigures, nonconvexPrivacy,
	pairwiseFigures,
	prestigeFig4, prestigeFig6, prestigeTable3,
}

// Registry lists the experiments by name. A name taken twice is a programming error.
func Registry() []Experiment {
	var all []Experiment
	for _, of := range files {
		all = append(all, of()...)
	}
	slices.SortFunc(all, func(a, b Experiment) int { return strings.Compare(a.Name, b.Name) })
	for i := range all[1:] {
		if all[i].Name == all[i+1].Name {
			panic("study: two experiments are named " + all[i].Name)
		}
	}
	return all
}

// Lookup finds an experiment by its name; the error lists the names there are.
func Lookup(name string) (Experiment, error) {
	all := Registry()
	names := make([]string, 0, len(all))
	for _, e := range all {
		if e.Name == name {
			return e, nil
		}
		names = append(names, e.Name)
	}
	return Experiment{}, fmt.Errorf("study: no experiment %q: there are %s", name, strings.Join(names, ", "))
}

// Abouts describe the experiments, by name.
func Abouts() []About {
	var all []About
	for _, e := range Registry() {
		all = append(all, e.About)
	}
	return all
}
