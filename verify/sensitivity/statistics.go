package sensitivity

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// PairsMethod is the name of the statistics of [Pairs] in a report.
var PairsMethod = verify.RegisterStatistics[pairsStatistics]("sensitivity/pairs")

// pairsStatistics holds the differences at the worst pair and at the smallest pair that exceeds the claim.
type pairsStatistics struct {
	Quantity string         `json:"quantity"`
	Norm     string         `json:"norm"`
	Claimed  float64        `json:"claimed"`
	Tried    int64          `json:"tried"`
	Space    bool           `json:"space,omitempty"` // a local search followed
	Worst    pairStatistics `json:"worst"`
	Smallest pairStatistics `json:"smallest"`
}

// pairStatistics is a pair with the difference of its outputs and a bound on the rounding error.
type pairStatistics struct {
	At    string  `json:"at"`
	Value float64 `json:"value"`
	Slack float64 `json:"slack"`
}

// broken reports whether a difference exceeds the claim by more than rounding.
func (f pairsStatistics) broken(p pairStatistics) bool { return p.Value-p.Slack > f.Claimed }

func (f pairsStatistics) row(p pairStatistics) verify.Cell {
	return verify.Cell{Label: p.At, Claimed: verify.Num(f.Claimed), Measured: verify.Num(p.Value),
		Lower: verify.Num(math.Max(0, p.Value-p.Slack))}
}

// Judge returns the verdict on the worst pair.
func (f pairsStatistics) Judge(verify.Settings) (verify.Evidence, error) {
	e := verify.Evidence{Exact: true, Quantity: fmt.Sprintf("%s-sensitivity of %s", f.Norm, f.Quantity),
		Sense: verify.AtMost, Verdict: verify.Inconclusive,
		Method: fmt.Sprintf("evaluation of the map on %d pairs of neighbors", f.Tried)}
	if f.broken(f.Worst) {
		e.Verdict = verify.Refuted
	}
	if f.Space {
		e.Method += ", with a local search from the pairs with the largest differences"
	}
	if e.Verdict == verify.Inconclusive {
		e.Power = fmt.Sprintf("the largest difference found in %d pairs is %.4g; a search cannot show that no difference "+
			"is larger", f.Tried, f.Worst.Value)
		if f.Worst.Value > f.Claimed {
			e.Power += fmt.Sprintf("; it exceeds the claim by at most the possible rounding error, %.2g", f.Worst.Slack)
		}
	}
	worst := f.row(f.Worst)
	e.Cells = []verify.Cell{worst}
	e.CopyWorst(worst)
	e.LookAgain(pairLook{tried: f.Tried, worst: worst, smallest: f.row(f.Smallest), broken: e.Verdict == verify.Refuted})
	return e, nil
}

// Check returns an error if the statistics cannot come from a search.
func (f pairsStatistics) Check() error {
	known := false
	for _, n := range []Norm{L1, L2, LInf} {
		known = known || n.String() == f.Norm
	}
	valid := func(p pairStatistics) bool { return p.Value >= 0 && p.Slack >= 0 && p.At != "" }
	switch {
	case !known || !(f.Claimed >= 0 && f.Claimed <= math.MaxFloat64) || f.Tried < 1:
		return fmt.Errorf("%d pairs in the norm %q, claimed %v: want at least one in L1, L2 or LInf, and a "+
			"finite number ≥ 0", f.Tried, f.Norm, f.Claimed)
	case !valid(f.Worst) || !valid(f.Smallest) || f.broken(f.Worst) != f.broken(f.Smallest):
		return fmt.Errorf("the worst pair differs by %v and the smallest by %v: want distances, both or neither above the "+
			"claim", f.Worst.Value, f.Smallest.Value)
	}
	return nil
}
