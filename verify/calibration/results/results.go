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
	Unconfirmed Event = "not confirmed" // any other verdict, for claims that no sample refutes
)

// Counts reports whether a verdict is in the group.
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

// Detected is the minimum rate at which a fault must be detected. Overlooked is the maximum rate at which a false
// claim may be confirmed if the evidence states that its violation would have been detected.
const (
	Detected   = 0.99
	Overlooked = 0.01
)

// IntervalError is the error probability of the exact confidence intervals of rates.
const IntervalError = 1e-3

// CalibrationRow is the result of the runs of a case: the count of its event and of each verdict.
type CalibrationRow struct {
	Kind     string                   `json:"kind"`
	Name     string                   `json:"check"`
	True     bool                     `json:"claim_true"`
	Counted  Event                    `json:"counted"`
	Alpha    float64                  `json:"alpha"` // of each run
	Runs     int64                    `json:"runs"`
	Refuted  int64                    `json:"refuted"` // or contradictory, or vacuous
	Count    int64                    `json:"count"`   // runs with the counted event
	Verdicts map[verify.Verdict]int64 `json:"verdicts"`
	Lower    verify.Number            `json:"lower"` // exact 99.9 % confidence interval of the rate
	Upper    verify.Number            `json:"upper"`
	AtMost   bool                     `json:"at_most"` // the rate must be at most Limit, otherwise at least
	Limit    float64                  `json:"limit"`
	Expected string                   `json:"expected"` // the limit in words
	About    string                   `json:"-"`        // description of the cases of its kind, in a sentence
}

// Rate returns the fraction of runs with the counted event.
func (r CalibrationRow) Rate() float64 { return float64(r.Count) / float64(r.Runs) }

// Calibrated reports whether the confidence interval of the rate contains a rate within the limit.
func (r CalibrationRow) Calibrated() bool {
	if r.AtMost {
		return r.Lower.X <= r.Limit
	}
	return r.Upper.X >= r.Limit
}

// TooFewRuns reports whether the runs are too few to show that the rate is within the limit, because even a perfect
// count has an interval that exceeds it. It returns false for a limit of 0, which one error violates.
func (r CalibrationRow) TooFewRuns() bool {
	end := math.Pow(IntervalError/2, 1/float64(r.Runs)) // of the Clopper–Pearson interval of Runs in Runs
	if r.AtMost {
		return r.Limit > 0 && !(1-end <= r.Limit)
	}
	return !(end >= r.Limit)
}

// PowerRow is the power of the audit of a subject at a number of samples.
type PowerRow struct {
	Mechanism string        `json:"mechanism"`
	Samples   int64         `json:"n"`
	Delta     float64       `json:"delta"`
	Reachable verify.Number `json:"reachable"` // the true ε over the inputs
	Certified verify.Number `json:"certified"` // the median of the certified ε
	Min       verify.Number `json:"least"`     // over the runs
	Max       verify.Number `json:"most"`
	Oracle    verify.Number `json:"oracle"`
	// Seconds is the duration of the median run. It is the only field that is not a function of the seed.
	Seconds float64 `json:"seconds"`
}

// Share returns the certified ε divided by the oracle's ε.
func (r PowerRow) Share() float64 { return r.Certified.X / r.Oracle.X }

// StoppingRow is the number of samples of each input that a sequential audit draws until it refutes a claim.
type StoppingRow struct {
	Case      string        `json:"case"`
	Median    verify.Number `json:"median"`
	Runs      int           `json:"runs"`
	Min       verify.Number `json:"least"`      // over the runs
	Max       verify.Number `json:"most"`       // infinite if a run did not refute the claim
	Alpha     float64       `json:"alpha"`      // of each run
	Oracle    verify.Number `json:"oracle"`     // expected number if the densities were known
	Wanted    verify.Number `json:"wanted"`     // target for the median; null if there is no target
	BestKnown string        `json:"best_known"` // median of a public sequential auditor with an asymptotic level
}

// NightsRow is the number of nights until audits refute a claim of ε-DP about Laplace noise.
type NightsRow struct {
	Claim     float64       `json:"claim"`     // claimed ε
	Factor    float64       `json:"factor"`    // by which ε exceeds it
	Before    int           `json:"before"`    // sound nights before the violation
	Versioned bool          `json:"versioned"` // the violation begins with a new version
	Runs      int           `json:"runs"`      // projects
	Alpha     float64       `json:"alpha"`     // over all nights of a project
	Median    verify.Number `json:"median"`    // nights of the violation until an audit with an evidence file refutes
	Min       verify.Number `json:"least"`
	Max       verify.Number `json:"most"`
	Oracle    verify.Number `json:"oracle"` // nights that a bet on the best event needs on average
	Bound     verify.Number `json:"bound"`  // the same with the stake of the first night of the violation
	// Union is the median of nightly audits with α divided among 200 nights, and Single the number of projects that one
	// audit of the median's samples refutes. Both are measured without sound nights.
	Union  verify.Number `json:"union"`
	Single int           `json:"single"`
}

// GrossRow is the number of samples of each input at which an audit refutes the claim of a mechanism with a gross
// fault.
type GrossRow struct {
	Fault   string        `json:"fault"`
	Output  string        `json:"output"`  // kind of output
	Known   int64         `json:"known"`   // number at which the test of the best known event has power 0.95
	Audit   verify.Number `json:"audit"`   // number at which 95 % of the runs refute; infinite if above UpTo
	UpTo    int64         `json:"up_to"`   // largest number tried
	Control int           `json:"control"` // runs that refute the repaired mechanism, with Audit or UpTo samples
	Runs    int           `json:"runs"`
	Alpha   float64       `json:"alpha"` // of each run
}

// Ratio returns the audit's number of samples divided by the known event's.
func (r GrossRow) Ratio() float64 { return r.Audit.X / float64(r.Known) }

// TrainingRow is the result for a training algorithm, sound or with a fault, and an attack. It is audited in one run
// with many canaries, and in many runs with one canary.
type TrainingRow struct {
	Fault   string        `json:"fault"` // "" if the algorithm is sound
	Attack  string        `json:"attack"`
	Account verify.Number `json:"account"` // the accountant's upper bound on ε for the described training
	Claimed verify.Number `json:"claimed"`
	Delta   float64       `json:"delta"`
	Alpha   float64       `json:"alpha"` // of each design and seed
	Seeds   int           `json:"seeds"`
	OneRun  Detection     `json:"one_run"`          // in canaries of the run that refuted the claim
	Runs    Detection     `json:"many_runs"`        // in training runs, with and without the canary
	Cannot  string        `json:"cannot,omitempty"` // why the algorithm cannot have the fault and was not measured
}

// Detection is the size at which a design refuted the claim.
type Detection struct {
	Seeds  int           `json:"found"`  // number of seeds that refuted the claim
	Median verify.Number `json:"median"` // over the seeds; infinite if at most half refuted the claim
	Min    verify.Number `json:"least"`
	Max    verify.Number `json:"most"`
	UpTo   int           `json:"up_to"` // largest size tried
	// Seconds is the mean processor time per seed. It is not a function of the seed.
	Seconds float64 `json:"seconds"`
}

// Median returns the median of a nonempty ascending list.
func Median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
