package sensitivity

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// PairsMethod is the method of [RecomputePairs].
const PairsMethod = "sensitivity/pairs"

// pairsFacts are what the evidence of a search over pairs follows from: the differences that it measured at the worst
// pair and at the smallest one beyond the claim.
type pairsFacts struct {
	Quantity string    `json:"quantity"`
	Norm     string    `json:"norm"`
	Claimed  float64   `json:"claimed"`
	Tried    int64     `json:"tried"`
	Space    bool      `json:"space,omitempty"` // a search went on from the pairs that moved most
	Worst    pairFacts `json:"worst"`
	Smallest pairFacts `json:"smallest"`
}

// pairFacts are a pair, the difference of its outputs and the most that rounding may have done to it.
type pairFacts struct {
	At    string  `json:"at"`
	Value float64 `json:"value"`
	Slack float64 `json:"slack"`
}

func (f pairsFacts) broken(p pairFacts) bool { return p.Value-p.Slack > f.Claimed }

func (f pairsFacts) row(p pairFacts) verify.Cell {
	return verify.Cell{Label: p.At, Claimed: verify.Num(f.Claimed), Measured: verify.Num(p.Value),
		Lower: verify.Num(math.Max(0, p.Value-p.Slack))}
}

// evidence is the verdict on the worst pair, in words.
func (f pairsFacts) evidence() verify.Evidence {
	e := verify.Evidence{Exact: true, Quantity: fmt.Sprintf("%s-sensitivity of %s", f.Norm, f.Quantity),
		Sense: verify.AtMost, Verdict: verify.Inconclusive,
		Method: fmt.Sprintf("the map was evaluated on %d pairs of neighbours", f.Tried)}
	if f.broken(f.Worst) {
		e.Verdict = verify.Refuted
	}
	if f.Space {
		e.Method += ", of which a local search went on from those that it moves most between"
	}
	if e.Verdict == verify.Inconclusive {
		e.Power = fmt.Sprintf("the largest difference found after %d pairs is %.4g; a search cannot show that none is larger",
			f.Tried, f.Worst.Value)
		if f.Worst.Value > f.Claimed {
			e.Power += fmt.Sprintf("; it is more than is claimed, by no more than rounding may do, %.2g", f.Worst.Slack)
		}
	}
	worst := f.row(f.Worst)
	e.Cells = []verify.Cell{worst}
	e.CopyWorst(worst)
	e.LookAgain(pairLook{tried: f.Tried, worst: worst, smallest: f.row(f.Smallest), broken: e.Verdict == verify.Refuted})
	e.Statistics = verify.NewStatistics(PairsMethod, f)
	return e
}

// RecomputePairs returns the evidence of [Pairs] from its facts.
func RecomputePairs(b verify.SufficientStatistics, _ verify.Settings) (verify.Evidence, error) {
	var f pairsFacts
	if err := b.Read(&f); err != nil {
		return verify.Evidence{}, err
	}
	known := false
	for _, n := range []Norm{L1, L2, LInf} {
		known = known || n.String() == f.Norm
	}
	of := func(p pairFacts) bool { return p.Value >= 0 && p.Slack >= 0 && p.At != "" }
	switch {
	case !known || !(f.Claimed >= 0 && f.Claimed <= math.MaxFloat64) || f.Tried < 1:
		return verify.Evidence{},
			fmt.Errorf("%d pairs in the norm %q, claimed %v: want at least one in L1, L2 or LInf, and a "+
				"finite number ≥ 0", f.Tried, f.Norm, f.Claimed)
	case !of(f.Worst) || !of(f.Smallest) || f.broken(f.Worst) != f.broken(f.Smallest):
		return verify.Evidence{},
			fmt.Errorf("the worst pair differs by %v and the smallest by %v: want distances, both beyond "+
				"the claim or neither", f.Worst.Value, f.Smallest.Value)
	}
	return f.evidence(), nil
}
