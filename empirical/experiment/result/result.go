// Package result defines the results of experiments as plain data. Package reports renders them.
package result

// About says what an experiment is.
type About struct {
	Name   string `json:"name"`   // as the paper's ledger has it: "prestige/fig-4"
	Source string `json:"source"` // where it stands
	Title  string `json:"title"`  // what it shows
	Data   string `json:"data"`   // what data it needs, in words
	// Takes are the options from Train on that it heeds; others are refused, never ignored.
	Takes []Knob `json:"-"`
}

// Knob is an option that only some experiments heed, under its flag's name.
type Knob string

const (
	Given    Knob = "train" // rows given in place of the paper's data sets
	Epochs   Knob = "epochs"
	Epsilons Knob = "epsilon"
	Totals   Knob = "total-epsilon"
	Lambda   Knob = "lambda"
	Radius   Knob = "radius"
)

// State says how far a panel came.
type State string

const (
	Finished State = "finished"
	Partial  State = "partial" // interrupted; it holds what was finished
	NotRun   State = "not-run" // data is absent, or the run ended before
	Failed   State = "error"
)

// Result is one panel.
type Result struct {
	Name, Title, XLabel, YLabel string
	LogX, LogY                  bool
	Labels                      []string // of x = 0, 1, …, in a table
	Series                      []Series
	Notes                       []string // how to read it, and what was seen on the way
	Findings                    []string // what the figures say, computed
	State                       State    // empty is Finished
	Reason                      string   // of a state other than Finished
}

// Series is one line of a figure: at X[i], Mean[i] and SD[i] (divisor n-1) over
// N[i] repeats, and an interval [Lower[i], Upper[i]] of the mean at [Confidence].
// With one repeat SD and interval are NaN. The first five have the same length;
// the others have it too, or are nil.
type Series struct {
	Name                      string
	X, Mean, SD, Lower, Upper []float64
	N                         []int
	Reported, ReportedSD      []float64 // the paper's figures, NaN where it prints none
}

// Confidence is the level of the intervals of a series: each, by itself, covers
// the mean over all seeds with this probability.
const Confidence = 0.95
