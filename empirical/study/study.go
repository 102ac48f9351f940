// Package study runs the papers' experiments: an algorithm on data, repeated,
// to series that can be tabulated or drawn.
//
// An experiment is one file: a value of [Experiment] handed to register in an
// init function. A run is a pure function of its [Options] but for Pool and
// Progress: any number of workers gives the same results.
package study

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
)

// Experiment is one figure or table of a paper.
type Experiment struct {
	Name   string // as the paper's ledger has it: "prestige/fig-4"
	Title  string // what it shows
	Source string // where it stands
	Data   string // what data it needs, in words
	Run    func(context.Context, Options) ([]Result, error)
}

// Options are what a run is given. Zero values of the fields from Repeats on
// stand for the experiment's own, which its documentation names.
type Options struct {
	Seed empirical.Seed
	// Pool holds the processor slots; nil is one slot.
	Pool *empirical.Pool
	// Progress, unless nil, is called after each finished part, one call at a time.
	Progress func(done, total int)

	// Train is required. Without Test, a quarter of Train is held out, drawn
	// from the seed once for all repeats.
	Train, Test *dataset.Dataset
	// Prepare is done to the rows; nil is the experiment's own choice.
	Prepare *dataset.Preparation

	Repeats  int       // runs of each point, at least 2
	Epochs   int       // passes over the training set
	Epsilons []float64 // privacy levels of one update, each above 0
	Budgets  []float64 // total privacy budgets, each above 0
	Lambda   float64   // λ of the regulariser
	Radius   float64   // R of the ball that holds the weights
}

// Series is one line of a figure: at X[i], Mean[i] and SD[i] over the repeats,
// and an interval [Lower[i], Upper[i]] of the mean. All have the same length.
type Series struct {
	Name                      string
	X, Mean, SD, Lower, Upper []float64
}

// Result is one panel of a figure.
type Result struct {
	Name, Title, XLabel, YLabel string
	Series                      []Series
	Notes                       []string // how to read it, and what was seen on the way
}

// testShare is the part of the training file held out where no test file is given.
const testShare = 0.25

var registry []Experiment

// register adds an experiment; a name taken twice is a programming error.
func register(e Experiment) {
	if _, err := Lookup(e.Name); err == nil {
		panic("study: two experiments are named " + e.Name)
	}
	registry = append(registry, e)
}

// Registry lists the experiments by name.
func Registry() []Experiment {
	return slices.SortedFunc(slices.Values(registry), func(a, b Experiment) int { return strings.Compare(a.Name, b.Name) })
}

// Lookup finds an experiment by its name; the error lists the names there are.
func Lookup(name string) (Experiment, error) {
	for _, e := range registry {
		if e.Name == name {
			return e, nil
		}
	}
	names := make([]string, 0, len(registry))
	for _, e := range Registry() {
		names = append(names, e.Name)
	}
	return Experiment{}, fmt.Errorf("study: no experiment %q: there are %s", name, strings.Join(names, ", "))
}

// sets returns the prepared training and test sets of a run.
func (o Options) sets(prepare dataset.Preparation) (train, test *dataset.Dataset, err error) {
	train, test = o.Train, o.Test
	if train == nil {
		return nil, nil, fmt.Errorf("study: no training set is given")
	}
	if test == nil {
		if train, test, err = train.Split(o.Seed.Derive("split").Rand(), testShare); err != nil {
			return nil, nil, err
		}
	}
	dim := max(train.Dim(), test.Dim())
	if train, err = train.Widened(dim); err != nil {
		return nil, nil, fmt.Errorf("study: training set: %w", err)
	}
	if test, err = test.Widened(dim); err != nil {
		return nil, nil, fmt.Errorf("study: test set: %w", err)
	}
	fitted, err := prepare.Fit(train)
	if err != nil {
		return nil, nil, err
	}
	if train, err = fitted.Apply(train); err != nil {
		return nil, nil, err
	}
	test, err = fitted.Apply(test)
	return train, test, err
}
