package experiment

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// Options holds the options of a run. The zero values of Repeats and the later fields select the experiment's
// defaults.
type Options struct {
	Seed   empirical.Seed
	Budget empirical.Budget // empty means standard
	// Pool holds the processor slots; nil means one slot.
	Pool *empirical.Pool
	// Progress, unless nil, is called after each finished part, one call at a time.
	Progress func(Progress)
	// Checkpoint, unless empty, is a file that stores finished parts. A run with an existing checkpoint does only
	// the missing parts.
	Checkpoint string
	// Flaw, unless nil, receives an error for each damaged part of the checkpoint, which is not used.
	Flaw func(error)
	// Build identifies the program. A checkpoint of another build is rejected, because other code may give other
	// values.
	Build string

	// Open reads a data set by its name in [dataset]; test may be nil. If the data is absent, the error wraps
	// fs.ErrNotExist and names the file. If Open is nil, there is no data.
	Open func(name string) (train, test *dataset.Dataset, err error)
	// Dir is the directory of the data sets, for experiments that read more than rows of two classes; may be empty.
	Dir string

	Repeats int // repeats of each unit, at least 2

	// Train holds rows that replace the paper's data sets. Without Test, a quarter of them is held out.
	Train, Test *dataset.Dataset

	Epochs   int       // passes over the training set
	Epsilons []float64 // privacy levels of one update, each above 0
	Totals   []float64 // privacy levels of a whole run, each above 0
	Lambda   float64   // λ of the regularizer
	Radius   float64   // radius R of the ball that contains the weights

	prints *fingerprints // digests of the rows that were read; nil without a checkpoint
}

// Progress reports the progress of a run.
type Progress struct {
	Panel        string
	Index, Total int // index of the panel, from 0, and number of panels
	Done, OfDone int // finished parts and all parts of the panel
}

// Share returns the finished share of the whole run in [0, 1], with equal weights for the panels.
func (p Progress) Share() float64 {
	share := float64(p.Index)
	if p.OfDone > 0 {
		share += float64(p.Done) / float64(p.OfDone)
	}
	return share / float64(p.Total)
}

// Pick returns the value for the budget.
func (o Options) Pick(quick, standard, thorough int) int {
	switch o.Budget {
	case empirical.Quick:
		return quick
	case empirical.Thorough:
		return thorough
	}
	return standard
}

// Sets returns the names of the data sets for which panels are made, or only "" if rows are given.
func (o Options) Sets(names ...string) []string {
	if o.Train != nil {
		return []string{""}
	}
	return names
}

// PanelName joins the nonempty parts of a panel's name, for example "prestige/fig-4/a7a/total".
func PanelName(parts ...string) string {
	name := ""
	for _, part := range parts {
		if part == "" {
			continue
		}
		if name != "" {
			name += "/"
		}
		name += part
	}
	return name
}

// testShare is the share of the rows that is held out if there is no test set.
const testShare = 0.25

// Rows returns the training and test rows of a data set as in the files, or the given rows for "". Missing values
// are filled as in [dataset.Known]. Without a test set a quarter of the rows is held out, drawn from the seed once
// for all repeats. Sparse sets are widened to a common dimension.
func (o Options) Rows(set string) (train, test *dataset.Dataset, err error) {
	if train, test, err = o.read(set); err != nil {
		return nil, nil, err
	}
	o.prints.add(set, train, test)
	if test == nil {
		labels := []string{"split"}
		if set != "" {
			labels = append(labels, set)
		}
		if train, test, err = train.Split(o.Seed.Derive(labels...).Common(), testShare); err != nil {
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
	if train.Missing()+test.Missing() == 0 {
		return train, test, nil
	}
	return filling(set).Both(train, test)
}

// AllRows returns all rows of a data set without a test set, as in the files, for experiments that split it in
// every repeat with [Draw].Shared. If the data set has a test set of its own, AllRows returns the training rows.
func (o Options) AllRows(set string) (*dataset.Dataset, error) {
	all, _, err := o.read(set)
	if err != nil {
		return nil, err
	}
	o.prints.add(set, all)
	return all, nil
}

// filling returns the rule that fills a data set's missing values; given rows have none.
func filling(set string) dataset.Preparation {
	source, err := dataset.Known(set)
	if err != nil {
		return dataset.Preparation{}
	}
	return source.Preparation
}

func (o Options) read(set string) (train, test *dataset.Dataset, err error) {
	switch {
	case set == "" && o.Train == nil:
		return nil, nil, errors.New("study: no training set is given")
	case set == "":
		return o.Train, o.Test, nil
	case o.Open == nil:
		return nil, nil, fmt.Errorf("data set %s: no data is given: %w", set, fs.ErrNotExist)
	}
	return o.Open(set)
}

// check returns an error for options that are outside their domain or that e does not use.
func (o Options) check(e Experiment) error {
	if o.Budget != "" {
		if _, err := empirical.ParseBudget(string(o.Budget)); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	if o.Repeats < 0 || o.Repeats == 1 {
		return fmt.Errorf("%s: %d repeats: a deviation needs at least 2", e.Name, o.Repeats)
	}
	if !(o.Lambda >= 0 && o.Lambda <= math.MaxFloat64) || !(o.Radius >= 0 && o.Radius <= math.MaxFloat64) || o.Epochs < 0 {
		return fmt.Errorf("%s: Lambda %v, Radius %v, Epochs %d: want finite numbers above 0", e.Name, o.Lambda, o.Radius,
			o.Epochs)
	}
	for _, given := range []struct {
		knob result.Knob
		set  bool
	}{
		{result.Given, o.Train != nil || o.Test != nil}, {result.Epochs, o.Epochs != 0},
		{result.Epsilons, len(o.Epsilons) > 0},
		{result.Totals, len(o.Totals) > 0}, {result.Lambda, o.Lambda != 0}, {result.Radius, o.Radius != 0},
	} {
		if given.set && !slices.Contains(e.Takes, given.knob) {
			return fmt.Errorf("%s: takes no --%s: it is fixed in this experiment", e.Name, given.knob)
		}
	}
	for _, level := range slices.Concat(o.Totals, o.Epsilons) {
		if !(level > 0 && level <= math.MaxFloat64) {
			return fmt.Errorf("%s: privacy level %v: need a finite number above 0", e.Name, level)
		}
	}
	return nil
}

// settings describes everything that determines a run's values, except repeats, seed and data.
func (o Options) settings() string {
	return fmt.Sprintf("build %q budget %q epochs %d epsilons %v totals %v lambda %v radius %v given %t",
		o.Build, o.Budget, o.Epochs, o.Epsilons, o.Totals, o.Lambda, o.Radius, o.Train != nil)
}

// fingerprints holds digests of the rows that a panel has read.
type fingerprints struct{ all []byte }

func (f *fingerprints) add(set string, sets ...*dataset.Dataset) {
	if f == nil {
		return
	}
	h := sha256.New()
	h.Write([]byte(set))
	var buf []byte
	for _, s := range sets {
		buf = append(buf[:0], 0)
		if s == nil {
			h.Write(buf)
			continue
		}
		buf = binary.BigEndian.AppendUint64(buf, uint64(s.Dim()))
		for i := range s.Len() {
			row := s.Row(i)
			buf = binary.BigEndian.AppendUint64(buf, math.Float64bits(s.Label(i)))
			buf = binary.BigEndian.AppendUint64(buf, uint64(len(row.Values)))
			for _, c := range row.Columns {
				buf = binary.BigEndian.AppendUint32(buf, uint32(c))
			}
			for _, v := range row.Values {
				buf = binary.BigEndian.AppendUint64(buf, math.Float64bits(v))
			}
			h.Write(buf)
			buf = buf[:0]
		}
	}
	f.all = h.Sum(f.all)
}
