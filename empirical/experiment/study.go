// Package experiment runs the papers' experiments. It repeats an algorithm on data and returns series for tables
// and charts.
//
// An experiment is a value of [Experiment] with panels. A panel reads its data and declares units. A unit is a
// function that trains once and returns numbers. The package provides everything else for all experiments:
// independent streams for repeats, workers, progress, the checkpoint, means with standard deviations and intervals,
// absent data, and interruption.
//
// The results depend only on the [Options] other than Pool, Progress and Checkpoint. They are the same for any
// number of workers and any number of interruptions.
package experiment

import (
	"context"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical/experiment/result"
)

// Experiment is one figure or table of a paper.
type Experiment struct {
	result.About
	// Panels declares the figures and tables, in order. It must not read data or take long. Its result may depend
	// only on the options.
	Panels func(Options) ([]Panel, error)
}

// Panel is one figure or one table.
type Panel struct {
	Name  string // begins with the name of the experiment: "prestige/fig-4/a7a"
	Title string
	// Start reads the data, with [Options.Rows] if it needs rows, and prepares everything that the units share. If
	// the error wraps fs.ErrNotExist, the data is absent: the panel is not run, and the other panels run.
	Start func(context.Context, Options) (Task, error)
}

// Task is a panel with its data.
type Task struct {
	XLabel, YLabel string // axis labels with units
	LogX, LogY     bool   // logarithmic axes, as in the paper; the values must be above 0
	// Labels make the panel a table. They are the names of x = 0, 1, 2, ….
	Labels []string
	// Min and Max bound the values and clip the intervals, for example 0 and 1 for an error rate. If both are 0
	// there is no bound; ±Inf leaves one side open.
	Min, Max float64
	Repeats  int // repeats of each unit, at least 2; [Options].Repeats takes precedence
	Units    []Unit
	// Config describes everything that determines the values, except the options, the rows from [Options.Rows] and
	// the units' declarations: constants, and files read in other ways. A checkpoint with another Config is
	// rejected.
	Config string
	Notes  []string // how to read the panel
	// Finish, unless nil, is called when all units are done. It may add notes and findings.
	Finish func(*result.Result, []Outcome) error
}

// Unit is computed in one call: the values of a series at one point, or at all points if one training gives a whole
// curve.
type Unit struct {
	Series string    // units of one series are joined in order
	X      []float64 // x coordinates of the values; in a table the indices of the labels
	// Reported holds the paper's values at X, and ReportedSD their standard deviations. Each is nil, or as long as X
	// with NaN for missing values.
	Reported, ReportedSD []float64
	Aside                int  // number of additional values after those at X, only for Finish
	Once                 bool // not random: one repeat, without standard deviation and interval
	// Key names the unit's stream within its panel. The default is the series, with the point if there is only one.
	// The values at a point then do not depend on the other points.
	Key string
	// Run returns len(X)+Aside values, a pure function of d.
	Run func(ctx context.Context, d Draw) ([]float64, error)
}

// Draw is one repeat of a unit with its randomness.
type Draw struct {
	Repeat int        // starts at 0
	Rand   *rand.Rand // stream of this unit and repeat
	// Shared is a stream that is the same for all units of the panel in this repeat, for a split of the rows or for
	// paired noise.
	Shared *rand.Rand
}

// Outcome holds the values of a unit. Values[repeat] has len(X)+Aside values, or is nil if the repeat was not done.
type Outcome struct {
	Unit   Unit
	Values [][]float64
}

// Over returns the values at index i of all finished repeats.
func (o Outcome) Over(i int) []float64 {
	var values []float64
	for _, v := range o.Values {
		if v != nil {
			values = append(values, v[i])
		}
	}
	return values
}
