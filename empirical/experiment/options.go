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

// Options are what a run is given. Zero values of the fields from Repeats on
// stand for the experiment's own.
type Options struct {
	Seed   empirical.Seed
	Budget empirical.Budget // empty is standard
	// Pool holds the processor slots; nil is one slot.
	Pool *empirical.Pool
	// Progress, unless nil, is called after each finished part, one call at a time.
	Progress func(Progress)
	// Checkpoint, unless empty, is a file that keeps finished parts; a run that
	// finds it there does only what it lacks.
	Checkpoint string
	// Flaw, unless nil, is told what of the checkpoint is damaged and not used.
	Flaw func(error)
	// Build tells the program from others; a checkpoint of another one is refused,
	// because its values may be those of other code.
	Build string

	// Open reads a data set by its name in [dataset]; test may be nil. An absent
	// one is an error that is fs.ErrNotExist and names the file. Nil has no data.
	Open func(name string) (train, test *dataset.Dataset, err error)
	// Dir is the directory of the data sets, for experiments that read more than
	// rows of two classes; empty where none was given.
	Dir string

	Repeats int // of each unit, at least 2

	// Train are rows given in place of the paper's data sets; without Test, a
	// quarter is held out.
	Train, Test *dataset.Dataset
	Prepare     *dataset.Preparation // done to the rows; nil is the experiment's own choice

	Epochs   int       // passes over the training set
	Epsilons []float64 // privacy levels of one update, each above 0
	Totals   []float64 // privacy levels of a whole run, each above 0
	Lambda   float64   // λ of the regulariser
	Radius   float64   // R of the ball that holds the weights

	prints *fingerprints // of the rows read; nil without a checkpoint
}

// Progress tells how far a run is.
type Progress struct {
	Panel        string
	Index, Total int // the panel's index, from 0, and how many there are
	Done, OfDone int // parts of the panel
}

// Share is the part of the whole run that is done, in [0, 1]; panels count alike.
func (p Progress) Share() float64 {
	share := float64(p.Index)
	if p.OfDone > 0 {
		share += float64(p.Done) / float64(p.OfDone)
	}
	return share / float64(p.Total)
}

// Pick is what the budget says.
func (o Options) Pick(quick, standard, thorough int) int {
	switch o.Budget {
	case empirical.Quick:
		return quick
	case empirical.Thorough:
		return thorough
	}
	return standard
}

// Sets are the data sets to make panels of: names, or "" alone where rows are given.
func (o Options) Sets(names ...string) []string {
	if o.Train != nil {
		return []string{""}
	}
	return names
}

// PanelName is "prestige/fig-4/a7a/total", without the parts that are empty.
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

// testShare is the part of the rows held out where there is no test set.
const testShare = 0.25

// Rows returns the training and test rows of a data set as they are in the
// files, or the given ones for "", with missing values filled as
// [dataset.Known] says. Without a test set a quarter of the rows is
// held out, drawn from the seed once for all repeats. Sparse sets are widened to
// a common dimension.
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

// AllRows returns all rows of a data set that comes in one piece, as they are in the files, for experiments that split
// it in every repeat by [Draw].Shared. If the data set has a test set of its own, AllRows returns the training rows.
func (o Options) AllRows(set string) (*dataset.Dataset, error) {
	all, _, err := o.read(set)
	if err != nil {
		return nil, err
	}
	o.prints.add(set, all)
	return all, nil
}

// filling is what takes the place of a data set's missing values: none in given rows.
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

// Prepared are the rows after the preparation, fitted on the training rows.
// Options.Prepare goes before.
func (o Options) Prepared(prepare dataset.Preparation, train,
	test *dataset.Dataset) (*dataset.Dataset, *dataset.Dataset, error) {
	if o.Prepare != nil {
		prepare = *o.Prepare
	}
	return prepare.Both(train, test)
}

// check refuses options outside their domain and those that e does not heed.
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
		{result.Given, o.Train != nil || o.Test != nil || o.Prepare != nil}, {result.Epochs, o.Epochs != 0},
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

// settings tell all that decides a run's values, but the repeats, the seed and the data.
func (o Options) settings() string {
	prepare := ""
	if o.Prepare != nil {
		prepare = fmt.Sprintf("%+v", *o.Prepare)
	}
	return fmt.Sprintf("build %q budget %q epochs %d epsilons %v totals %v lambda %v radius %v given %t prepare %s",
		o.Build, o.Budget, o.Epochs, o.Epsilons, o.Totals, o.Lambda, o.Radius, o.Train != nil, prepare)
}

// fingerprints are digests of the rows that a panel has read.
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
