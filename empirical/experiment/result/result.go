// Package result defines the results of experiments as plain data. Package reports renders them.
package result

// About describes an experiment.
type About struct {
	Name   string `json:"name"`   // name in the paper's claim set: "prestige/fig-4"
	Source string `json:"source"` // place in the paper
	Title  string `json:"title"`  // title of the figure or table
	Data   string `json:"data"`   // required data, in words
	// Takes lists the options from Train on that the experiment uses. Other options are rejected.
	Takes []Knob `json:"-"`
}

// Knob is an option that only some experiments use, named like its flag.
type Knob string

const (
	Given    Knob = "train" // rows that replace the paper's data sets
	Epochs   Knob = "epochs"
	Epsilons Knob = "epsilon"
	Totals   Knob = "total-epsilon"
	Lambda   Knob = "lambda"
	Radius   Knob = "radius"
)

// State is the state of a panel at the end of the run.
type State string

const (
	Finished State = "finished"
	Partial  State = "partial" // interrupted; the result holds the finished parts
	NotRun   State = "not-run" // data is absent, or the run ended before
	Failed   State = "error"
)

// Result is the result of one panel.
type Result struct {
	Name, Title, XLabel, YLabel string
	LogX, LogY                  bool
	Labels                      []string // labels of x = 0, 1, … in a table
	Series                      []Series
	Notes                       []string // how to read the panel, and observations during the run
	Findings                    []string // computed conclusions from the values
	State                       State    // empty is Finished
	Reason                      string   // reason of a state other than Finished
}

// Series is one line of a figure. At X[i] it has Mean[i] and the standard deviation SD[i] (divisor n-1) over N[i]
// repeats, and an interval [Lower[i], Upper[i]] for the mean at level [Confidence]. With one repeat, SD and
// interval are NaN. The first five slices have the same length. The others have this length or are nil.
type Series struct {
	Name                      string
	X, Mean, SD, Lower, Upper []float64
	N                         []int
	Reported, ReportedSD      []float64 // values printed in the paper, NaN if there is none
}

// Confidence is the level of each interval of a series: an interval covers the mean over all seeds with this
// probability.
const Confidence = 0.95
