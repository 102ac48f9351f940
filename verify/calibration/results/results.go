// Package results defines the rows of the calibration tables as plain data. Package reports renders them.
package results

import (
	"math"

	"github.com/dpverify/dpverify/verify"
)

// Event is a group of verdicts that is counted over the runs of a case.
type Event string

const (
	Refuted     Event = "refuted"       // or contradictory, or vacuous
	Confirmed   Event = "confirmed"     // holds or consistent
	Unconfirmed Event = "not confirmed" // anything else: claims that no sample refutes
)

// Counts tells whether a verdict is in the group.
func (e Event) Counts(v verify.Verdict) bool {
	confirmed := v == verify.Holds || v == verify.Consistent
	switch e {
	case Confirmed:
		return confirmed
	case Unconfirmed:
		return !confirmed
	}
	return v == verify.Refuted || v == verify.Contradictory || v == verify.Vacuous
}

// Detected is the least rate at which a fault is to be seen, and Overlooked the largest at
// which a false claim may be confirmed that says how large a violation it would have seen.
const (
	Detected   = 0.99
	Overlooked = 0.01
)

// IntervalError is the error probability of the exact intervals of rates.
const IntervalError = 1e-3

// CalibrationRow is how often a check said what is counted.
type CalibrationRow struct {
	Kind     string                   `json:"kind"`
	Name     string                   `json:"check"`
	True     bool                     `json:"claim_true"`
	Counted  Event                    `json:"counted"`
	Alpha    float64                  `json:"alpha"` // of each run
	Runs     int64                    `json:"runs"`
	Refuted  int64                    `json:"refuted"` // or contradictory, or vacuous
	Count    int64                    `json:"count"`   // of the verdicts counted
	Verdicts map[verify.Verdict]int64 `json:"verdicts"`
	Lower    verify.Number            `json:"lower"` // exact 99.9 % interval of the rate of Count
	Upper    verify.Number            `json:"upper"`
	AtMost   bool                     `json:"at_most"` // the rate is to be at most Limit, else at least
	Limit    float64                  `json:"limit"`
	Expected string                   `json:"expected"` // the same in words
	About    string                   `json:"-"`        // what the cases of its kind are, in a sentence
}

// Rate is the share of the runs that is counted.
func (r CalibrationRow) Rate() float64 { return float64(r.Count) / float64(r.Runs) }

// Calibrated tells whether the rate agrees with what is stated, as far as the interval
// can tell.
func (r CalibrationRow) Calibrated() bool {
	if r.AtMost {
		return r.Lower.X <= r.Limit
	}
	return r.Upper.X >= r.Limit
}

// TooFewRuns reports whether the runs cannot show that the rate is within the limit: even a perfect count has an
// interval that reaches beyond it. It is false of a limit of 0, which one error breaks.
func (r CalibrationRow) TooFewRuns() bool {
	end := math.Pow(IntervalError/2, 1/float64(r.Runs)) // of the Clopper–Pearson interval of Runs in Runs
	if r.AtMost {
		return r.Limit > 0 && !(1-end <= r.Limit)
	}
	return !(end >= r.Limit)
}

// PowerRow is a subject at a number of samples.
type PowerRow struct {
	Mechanism string        `json:"mechanism"`
	Samples   int64         `json:"n"`
	Delta     float64       `json:"delta"`
	Reachable verify.Number `json:"reachable"` // the exact ε over the inputs
	Certified verify.Number `json:"certified"` // the median of the certified ε
	Min       verify.Number `json:"least"`     // over the runs
	Max       verify.Number `json:"most"`
	Oracle    verify.Number `json:"oracle"`
	// Seconds of the median run; it is the one figure that is not a function of the
	// seed.
	Seconds float64 `json:"seconds"`
}

// Share of the oracle that was certified.
func (r PowerRow) Share() float64 { return r.Certified.X / r.Oracle.X }

// StoppingRow is how many samples of each input an anytime audit draws until it refutes a claim.
type StoppingRow struct {
	Case      string        `json:"case"`
	Median    verify.Number `json:"median"`
	Runs      int           `json:"runs"`
	Min       verify.Number `json:"least"`      // over the runs
	Max       verify.Number `json:"most"`       // infinite where a run did not refute the claim
	Alpha     float64       `json:"alpha"`      // of each run
	Oracle    verify.Number `json:"oracle"`     // expected, were the densities known
	Wanted    verify.Number `json:"wanted"`     // the largest median; null of what is measured beside
	BestKnown string        `json:"best_known"` // of a public sequential auditor, whose level is asymptotic
}

// TrainingRow is a training, sound or with a fault, audited by an attack in one run with many canaries and in many runs
// with one.
type TrainingRow struct {
	Fault   string        `json:"fault"` // "" of the sound training
	Attack  string        `json:"attack"`
	Account verify.Number `json:"account"` // the upper end of the ε that the accountant proves of what it was told
	Claimed verify.Number `json:"claimed"`
	Delta   float64       `json:"delta"`
	Alpha   float64       `json:"alpha"` // of each design of each seed
	Seeds   int           `json:"seeds"`
	OneRun  Detection     `json:"one_run"`          // in canaries, of the run that refuted
	Runs    Detection     `json:"many_runs"`        // in trainings, with the canary and without together
	Cannot  string        `json:"cannot,omitempty"` // why there is no such training, and nothing was measured
}

// Detection is at what size a design refuted the claim.
type Detection struct {
	Seeds  int           `json:"found"`  // of the seeds
	Median verify.Number `json:"median"` // over the seeds; infinite where most refuted nothing
	Min    verify.Number `json:"least"`
	Max    verify.Number `json:"most"`
	UpTo   int           `json:"up_to"` // that was tried
	// Seconds of a processor that a seed took in the mean; not a function of the seed.
	Seconds float64 `json:"seconds"`
}

// Median of ascending numbers, of which there is at least one.
func Median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
