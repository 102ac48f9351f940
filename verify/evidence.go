package verify

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
)

// Evidence is what a check measured and the verdict that follows.
//
// A sampled limit, Lower or Upper, that decides the verdict errs with at most the claim's alpha,
// over all cells together; where both decide, they share it. In audits of privacy (see
// [privacy.Audit]) the upper limit decides nothing and has an alpha of its own.
type Evidence struct {
	Verdict                                Verdict
	Exact                                  bool    // computed, not sampled
	Quantity                               string  // what the figures below are figures of
	Sense                                  Sense   // Measured Sense Claimed is what the claim says
	Claimed, Measured, Lower, Upper, Ratio Number  // of the worst cell
	Samples                                int64   // of both inputs, in all cells together
	Fewer                                  int64   // of the input that has fewer; 0 where each has half of Samples
	Method                                 string  // how it was measured, on what domain
	Delta                                  Number  // certified at the claimed ε, of an audit of (ε, δ)
	Power                                  string  // what a sampled verdict would have seen
	Detects                                Detects // the same in figures
	Sizes                                  Sizes   // and in full, of sampled privacy
	WorstCase                              string  // where the worst cell is
	Cells                                  []Cell
	Curves                                 []Curve // curves measured on the way, for the eye
	Data                                   string  // the files it was measured on
	Warnings                               []string
	Unseeded                               bool // the mechanism has randomness of its own: another run has other figures

	Tried Tried // what stands behind the verdict, in figures
	// The same in words; the verdict decides which one is there.
	Attempt        string         // Holds, Consistent: the strongest attempt to break the claim
	Counterexample Counterexample // Refuted, Contradictory, Vacuous: the simplest case
	Needed         string         // Inconclusive: the size that would decide, and that of the run

	// Levels are error probabilities at which a sequential test refutes the claim, for any time to
	// stop, and the samples of each input after which it did, 0 if it did not; none of other tests.
	Levels []struct {
		Alpha   float64 `json:"alpha"`
		Samples int64   `json:"samples"`
	}

	// Violated is, of a refuted claim of a whole privacy curve, a statement of it that is violated.
	Violated  *CurveViolation
	Band      *ConfidenceBand // of an audit of privacy
	Diagnosis *Diagnosis      // of a refuted claim, of an audit of privacy

	// Events of the worst cell, of an audit of privacy: one for each pair that it speaks of.
	Events []PairEvent

	// Statistics are the counts that the evidence follows from; nil for computed evidence and for checks that store none.
	Statistics *SufficientStatistics
}

// PairEvent is the event that an audit counts on one of its pairs of inputs.
type PairEvent struct {
	Pair    int    // its index among the pairs of the audit, without those that repeat another
	Event   string // in words
	Swapped bool   // the event is to be likelier under the pair's second input
}

// Cell is one point of the domain.
type Cell struct {
	Label      string `json:"at"`
	Claimed    Number `json:"claimed"`
	Measured   Number `json:"measured"`
	Lower      Number `json:"lower"`
	Upper      Number `json:"upper"`
	ExactValue Number `json:"exact_value"` // where one is computed beside the sampled one
	Delta      Number `json:"delta_lower"` // certified at the claimed ε, of (ε, δ)
	Samples    int64  `json:"samples"`
}

// Inside returns the cell with its estimate in its own interval: the nearest end of the interval, if the estimate is
// outside. They may follow from different statistics: in a sequential test, the estimate from counts and the limit from
// wealth.
func (c Cell) Inside() Cell {
	if c.Measured.Set && c.Upper.Set && c.Measured.X > c.Upper.X {
		c.Measured = c.Upper
	}
	if c.Measured.Set && c.Lower.Set && c.Measured.X < c.Lower.X {
		c.Measured = c.Lower
	}
	return c
}

// WorstOf copies a cell's figures to the top level, with the estimate inside its interval.
func (e *Evidence) CopyWorst(c Cell) {
	c = c.Inside()
	e.Claimed, e.Measured, e.Lower, e.Upper, e.Delta, e.WorstCase = c.Claimed, c.Measured, c.Lower, c.Upper, c.Delta,
		c.Label
	e.Ratio = Number{}
	if c.Claimed.Set && c.Measured.Set && c.Claimed.X != 0 && !math.IsInf(c.Claimed.X, 0) {
		e.Ratio = Num(c.Measured.X / c.Claimed.X)
	}
}

// WorstCell takes the figures of the worst point. Where cells are shown it is one of
// them: before the cell place, where it stands on the domain, if it is not among them.
func (e *Evidence) WorstCell(worst Cell, place int) {
	e.CopyWorst(worst)
	if len(e.Cells) > 0 && !slices.ContainsFunc(e.Cells, func(c Cell) bool { return c.Label == worst.Label }) {
		e.Cells = slices.Insert(e.Cells, place, worst)
	}
}

// Number is a figure that may be absent. In JSON it is a number, one of the
// strings "inf", "-inf", "nan", or null where it is absent.
type Number struct {
	X   float64
	Set bool
}

// Num is a figure that is there.
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
		return fmt.Errorf("%s is no number: want a number, \"inf\", \"-inf\", \"nan\" or null", data)
	}
	*n = Num(x)
	return nil
}

// Curve is a curve that a check measured on its way: means along a variable, or at
// places that have names. It shows what an experiment looks like; no verdict rests
// on it. Curves of one Variable and Quantity are drawn in one picture.
type Curve struct {
	Name     string       `json:"name"`     // "private, b = 1"
	Variable string       `json:"along"`    // "number of updates"; "" where the points have names
	Quantity string       `json:"quantity"` // what the means are means of: "testing error rate"
	Points   []CurvePoint `json:"points"`
}

// CurvePoint is the mean of Runs values. Lower and Upper are Student's interval of
// the mean at [CurveConfidence], each by itself; they are absent for one value.
type CurvePoint struct {
	Label string `json:"at"` // its name; "" where X tells the place
	X     Number `json:"x"`  // absent where the point has a name
	Mean  Number `json:"mean"`
	Lower Number `json:"lower"`
	Upper Number `json:"upper"`
	Runs  int64  `json:"runs"` // 0 for a value that was not drawn
}

// CurveViolation is the (ε, δ) of a claimed curve that an event violates, and the δ that the counts have there.
type CurveViolation struct {
	Epsilon  float64 `json:"epsilon"`
	Delta    float64 `json:"delta"`
	Measured float64 `json:"measured"`
}

// ConfidenceBand is what an audit certifies of the whole privacy curve and of the trade-off function, in the worse
// order of two
// inputs: all of it holds together, but with probability Alpha, which is its own; no verdict rests on it.
type ConfidenceBand struct {
	Alpha float64     `json:"alpha"`
	Delta []BandPoint `json:"delta"` // δ at ε: the most that is claimed, and certified from below
	// Least type II errors at type I errors: the least that is claimed, and certified from above
	TradeOff []BandPoint `json:"trade_off"`
}

// BandPoint is a point of a band.
type BandPoint struct {
	At        float64 `json:"at"`
	Claimed   float64 `json:"claimed"`
	Certified float64 `json:"certified"`
}

// MissingData is the error of a check whose data is not there. Its claim gets the
// verdict NotRun.
type MissingData struct {
	File string // the file that is wanted
	Dir  string // where it was looked for; "" if no directory was given
}

func (e *MissingData) Error() string {
	if e.Dir == "" {
		return fmt.Sprintf("needs the file %s: give its directory with --data DIR or DPVERIFY_DATA", e.File)
	}
	return fmt.Sprintf("needs the file %s, which is not in the data directory", e.File)
}

// notRun is the evidence of a claim without its data.
func (e *MissingData) notRun() Evidence {
	return Evidence{Verdict: NotRun, Data: e.File, Warnings: []string{e.Error()}}
}
