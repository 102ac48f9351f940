package verify

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Evidence is what a check measured and the resulting verdict.
//
// A sampled limit, Lower or Upper, that decides the verdict errs with probability at most the claim's alpha, over
// all cells together. If both decide, they share alpha. In privacy audits (see [privacy.Audit]) the upper limit
// does not decide and has its own alpha.
type Evidence struct {
	Verdict                                Verdict
	Exact                                  bool    // computed, not sampled
	Quantity                               string  // name of the measured quantity
	Sense                                  Sense   // the claim states: Measured Sense Claimed
	Claimed, Measured, Lower, Upper, Ratio Number  // figures of the worst cell
	Samples                                int64   // of both inputs in all cells
	Fewer                                  int64   // samples of the input with fewer; 0 if each input has half of Samples
	Method                                 string  // method and domain
	Delta                                  Number  // certified δ at the claimed ε, for audits of (ε, δ)-DP
	Power                                  string  // violation that a sampled verdict would have detected
	Detects                                Detects // the same as figures
	Sizes                                  Sizes   // complete sizes for sampled privacy claims
	WorstCase                              string  // label of the worst cell
	Cells                                  []Cell
	Curves                                 []Curve // measured curves, for illustration
	Data                                   string  // data files
	Warnings                               []string
	Unseeded                               bool // the mechanism draws its own randomness, so another run has other figures

	Tried Tried // figures behind the verdict
	// Exactly one of the following texts is set, depending on the verdict.
	Attempt        string         // Holds, Consistent: strongest attempt to refute the claim
	Counterexample Counterexample // Refuted, Contradictory, Vacuous: simplest case
	Needed         string         // Inconclusive: sample size that would decide, and the size of this run

	// Levels lists the error probabilities at which a sequential test refutes the claim at any stopping
	// time, with the number of samples per input after which it did, or 0. Other tests have none.
	Levels []struct {
		Alpha   float64 `json:"alpha"`
		Samples int64   `json:"samples"`
	}

	// Violated is a violated statement of a refuted privacy curve.
	Violated  *CurveViolation
	Band      *ConfidenceBand // for privacy audits
	Diagnosis *Diagnosis      // for refuted claims of privacy audits

	// Assumed holds lower limits of ε under other assumptions, for audits of one training run. They do not affect the
	// verdict.
	Assumed []AssumedLimit

	// Observed accounts for the training that a log shows, for a claimed ε of a training with a log. It does not affect
	// the verdict.
	Observed *ObservedAccount

	// Events holds the events of the worst cell of a privacy audit, one per pair.
	Events []PairEvent

	// Statistics holds the sufficient statistics of the evidence. It is nil for computed evidence and for
	// checks that store none.
	Statistics *SufficientStatistics
}

// PairEvent is the event that an audit counts on one of its pairs of inputs.
type PairEvent struct {
	Pair    int    // index among the distinct pairs of the audit
	Event   string // as text
	Swapped bool   // the event should be likelier under the pair's second input
}

// AssumedLimit is a lower limit of ε at Delta, which errs with probability at most Alpha under an assumption.
type AssumedLimit struct {
	Name       string  `json:"name"`
	Assumption string  `json:"assumption"`
	Delta      float64 `json:"delta"`
	Alpha      float64 `json:"alpha"`
	Lower      Number  `json:"lower"`
	// If the assumption has a parameter Γ ≥ 1, the limit is Lower − log Γ. It is 0 at GammaZero, and the claimed ε at
	// GammaClaim, which is not set if Lower is at most the claimed ε.
	GammaZero  Number `json:"gamma_zero,omitzero"`
	GammaClaim Number `json:"gamma_claim,omitzero"`
}

// Cell is one point of the domain.
type Cell struct {
	Label      string `json:"at"`
	Claimed    Number `json:"claimed"`
	Measured   Number `json:"measured"`
	Lower      Number `json:"lower"`
	Upper      Number `json:"upper"`
	ExactValue Number `json:"exact_value"` // set if an exact value is computed in addition to the sampled one
	Delta      Number `json:"delta_lower"` // certified at the claimed ε of (ε, δ)-DP
	Samples    int64  `json:"samples"`
}

// Inside returns the cell with its estimate moved to the nearest end of its interval if it is outside. The two may
// come from different statistics: in a sequential test, the estimate comes from counts and the limit from wealth.
func (c Cell) Inside() Cell {
	if c.Measured.Set && c.Upper.Set && c.Measured.X > c.Upper.X {
		c.Measured = c.Upper
	}
	if c.Measured.Set && c.Lower.Set && c.Measured.X < c.Lower.X {
		c.Measured = c.Lower
	}
	return c
}

// CopyWorst copies a cell's figures to the top level, with the estimate inside its interval.
func (e *Evidence) CopyWorst(c Cell) {
	c = c.Inside()
	e.Claimed, e.Measured, e.Lower, e.Upper, e.Delta, e.WorstCase = c.Claimed, c.Measured, c.Lower, c.Upper, c.Delta,
		c.Label
	e.Ratio = Number{}
	if c.Claimed.Set && c.Measured.Set && c.Claimed.X != 0 && !math.IsInf(c.Claimed.X, 0) {
		e.Ratio = Num(c.Measured.X / c.Claimed.X)
	}
}

// WorstCell copies the figures of the worst point. If cells are shown and it is not among them, it is inserted
// before the given index.
func (e *Evidence) WorstCell(worst Cell, place int) {
	e.CopyWorst(worst)
	if len(e.Cells) > 0 && !slices.ContainsFunc(e.Cells, func(c Cell) bool { return c.Label == worst.Label }) {
		e.Cells = slices.Insert(e.Cells, place, worst)
	}
}

// Number is a figure that may be absent. In JSON it is a number, one of the strings "inf", "-inf" and "nan", or
// null if absent.
type Number struct {
	X   float64
	Set bool
}

// Num returns a Number that is set.
func Num(x float64) Number { return Number{X: x, Set: true} }

func (n Number) MarshalJSON() ([]byte, error) {
	switch {
	case !n.Set:
		return []byte("null"), nil
	case math.IsNaN(n.X):
		return []byte(`"nan"`), nil
	case math.IsInf(n.X, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(n.X, -1):
		return []byte(`"-inf"`), nil
	}
	return json.Marshal(n.X)
}

func (n *Number) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "null":
		*n = Number{}
		return nil
	case `"nan"`:
		*n = Num(math.NaN())
		return nil
	case `"inf"`:
		*n = Num(math.Inf(1))
		return nil
	case `"-inf"`:
		*n = Num(math.Inf(-1))
		return nil
	}
	var x float64
	if err := json.Unmarshal(data, &x); err != nil {
		return fmt.Errorf("%s is not a number: want a number, \"inf\", \"-inf\", \"nan\" or null", data)
	}
	*n = Num(x)
	return nil
}

// Curve is a curve that a check measured: means along a variable or at named places. It illustrates an experiment
// and does not affect the verdict. Curves with equal Variable and Quantity are drawn in one chart.
type Curve struct {
	Name     string       `json:"name"`     // for example "private, b = 1"
	Variable string       `json:"along"`    // for example "number of updates"; "" if the points have names
	Quantity string       `json:"quantity"` // quantity of the means, such as "testing error rate"
	Points   []CurvePoint `json:"points"`
}

// CurvePoint is the mean of Runs values. Lower and Upper are the pointwise Student's t interval at
// [CurveConfidence]; they are absent for a single value.
type CurvePoint struct {
	Label string `json:"at"` // name of the point, or "" if X is set
	X     Number `json:"x"`  // absent if the point has a name
	Mean  Number `json:"mean"`
	Lower Number `json:"lower"`
	Upper Number `json:"upper"`
	Runs  int64  `json:"runs"` // 0 for a value that was not sampled
}

// CurveViolation is a point (ε, δ) of a claimed curve that an event violates, with the measured δ.
type CurveViolation struct {
	Epsilon  float64 `json:"epsilon"`
	Delta    float64 `json:"delta"`
	Measured float64 `json:"measured"`
}

// ConfidenceBand is the certified bound on the whole privacy curve and the trade-off function, in the worse order
// of the two inputs. It holds simultaneously, except with its own probability Alpha, and does not affect the
// verdict.
type ConfidenceBand struct {
	Alpha float64     `json:"alpha"`
	Delta []BandPoint `json:"delta"` // δ at ε: claimed upper bound and certified lower bound
	// TradeOff holds type II errors at type I errors: claimed lower bound and certified upper bound.
	TradeOff []BandPoint `json:"trade_off"`
}

// BandPoint is a point of a band.
type BandPoint struct {
	At        float64 `json:"at"`
	Claimed   float64 `json:"claimed"`
	Certified float64 `json:"certified"`
}

// MissingData is the error of a check whose data is missing. Its claim gets the verdict NotRun.
type MissingData struct {
	File string // required file
	Dir  string // searched directory, or ""
}

func (e *MissingData) Error() string {
	if e.Dir == "" {
		return fmt.Sprintf("needs the file %s: give its directory with --data DIR or DPVERIFY_DATA", e.File)
	}
	return fmt.Sprintf("needs the file %s, which is not in the data directory", e.File)
}

// notRun returns the evidence of a claim without its data.
func (e *MissingData) notRun() Evidence {
	return Evidence{Verdict: NotRun, Data: e.File, Warnings: []string{e.Error()}}
}
