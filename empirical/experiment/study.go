// Package experiment runs the papers' experiments. It repeats an algorithm on data and returns series for tables
// and charts.
//
// An experiment is one file: values of [Experiment] from a function that the table
// of all experiments names. It declares panels; a panel reads its data and declares units;
// a unit is a function that trains once and returns numbers. The package does
// the rest in one way for all of them: repeats on streams of their own, workers,
// progress, the checkpoint, means with deviations and intervals, panels without
// data, interruption. A run is a pure function of its [Options] but for Pool,
// Progress and Checkpoint: any number of workers, and any number of
// interruptions, give the same results.
package experiment

import (
	"context"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// Experiment is one figure or table of a paper.
type Experiment struct {
	result.About
	// Panels declares the pictures and tables, in order. It reads no data and
	// costs nothing; what it settles from the options is the same in every run.
	Panels func(Options) ([]Panel, error)
}

// Panel is one picture or one table.
type Panel struct {
	Name  string // begins with the experiment's: "prestige/fig-4/a7a"
	Title string
	// Start reads the data, through [Options.Rows] where rows are wanted, and
	// settles what all units share. An error that is fs.ErrNotExist says that data is
	// absent: the panel is then not run, and the others go on.
	Start func(context.Context, Options) (Task, error)
}

// Task is a panel whose data is there.
type Task struct {
	XLabel, YLabel string // with their units
	LogX, LogY     bool   // how the paper draws its axes; the values must be above 0
	// Labels make the panel a table: they are the words for x = 0, 1, 2, …
	Labels []string
	// Min and Most bound what the values can be, and cut the intervals: 0 and 1
	// for an error rate. Both 0 is no bound; ±Inf leaves one side open.
	Min, Max float64
	Repeats  int // of each unit, at least 2; [Options].Repeats goes before
	Units    []Unit
	// Config tells all that decides the values beside the options, the rows from
	// [Options.Rows] and the units' declarations: constants, files read otherwise. A
	// checkpoint made under another Config is refused.
	Config string
	Notes  []string // how to read it
	// Finish, unless nil, is called once all units are done: it may add notes and findings.
	Finish func(*result.Result, []Outcome) error
}

// Unit is what is computed at once: the values of a series at one point, or at
// all of them where one training makes a whole curve.
type Unit struct {
	Series string    // units of one series are joined, in the order of the units
	X      []float64 // where its values stand; in a table the label's index
	// Reported are the paper's own figures at X, and PrintedSD their deviations: nil, or
	// as long as X with NaN where nothing is printed.
	Reported, ReportedSD []float64
	Aside                int  // values after those at X, for Finish alone
	Once                 bool // nothing is random: one repeat, no deviation, no interval
	// Key names the unit's stream within its panel. Empty is the series, with the
	// point where there is but one, so that a point's values do not depend on which
	// others are asked for.
	Key string
	// Run returns len(X)+Aside values, a pure function of d.
	Run func(ctx context.Context, d Draw) ([]float64, error)
}

// Draw is one repeat of a unit, with its randomness.
type Draw struct {
	Repeat int        // from 0
	Rand   *rand.Rand // a stream of this unit and repeat
	// Shared is a stream that begins alike for all units of the panel in this
	// repeat: for a split of the rows, or for noise that is to be compared in pairs.
	Shared *rand.Rand
}

// Outcome is what a unit has left: Values[repeat] has len(X)+Aside values, and is nil
// where the repeat was not done.
type Outcome struct {
	Unit   Unit
	Values [][]float64
}

// Over are the values at place i of all repeats that were done.
func (o Outcome) Over(i int) []float64 {
	var values []float64
	for _, v := range o.Values {
		if v != nil {
			values = append(values, v[i])
		}
	}
	return values
}
