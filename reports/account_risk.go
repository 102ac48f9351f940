package reports

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant"
	"github.com/dpverify/dpverify/reports/internal/format"
	"github.com/dpverify/dpverify/verify"
)

// Risk is the target of a calibration to a risk, and what calibrating an ε at Delta to the same limit costs.
type Risk struct {
	accountant.Risk
	Delta       float64
	Comparisons []RiskComparison // one for each method
}

// RiskComparison compares the number that one method found for the risk with the number for the largest ε at which
// (ε, δ)-DP alone implies the limit.
type RiskComparison struct {
	Method       string
	Epsilon      float64
	Risk, Number float64 // the number for the risk, and for ε; NaN if there is none
	Ratio        float64 // Number/Risk, or NaN
	Reason       string  // why there is no number for ε, or ""
}

// section returns the comparison as a table. quantity names the solved number.
func (r *Risk) section(quantity string) section {
	s := section{Level: 2, Title: words("Comparison with a calibrated ε")}
	s.Say("A guarantee of ε at δ = " + format.Shortest(r.Delta) + ", without further knowledge, implies the same limit " +
		"by the bound " + r.Bound() + ". The table shows the largest such ε. The numbers are the ends that meet the " +
		"targets, rounded to six digits. The ratio is the number for ε divided by the number for the risk.")
	t := &grid{Columns: []format.Column{format.Left("method"), format.Right("ε"), format.Right(quantity + " for the risk"),
		format.Right(quantity + " for ε"), format.Right("ratio")}}
	var reasons listing
	for _, c := range r.Comparisons {
		t.Row(methodCell(c.Method), words(sixDigits(c.Epsilon)), words(sixDigits(c.Risk)), words(sixDigits(c.Number)),
			words(sixDigits(c.Ratio)))
		if c.Reason != "" {
			reasons = append(reasons, item{Head: words(label(c.Method), ": "+c.Reason)})
		}
	}
	if s.Add(t); len(reasons) > 0 {
		s.Add(reasons)
	}
	return s
}

func sixDigits(x float64) string {
	if math.IsNaN(x) {
		return "–"
	}
	return format.Shortest(roundCoordinate(x))
}

type riskJSON struct {
	Kind        string               `json:"kind"`
	At          verify.Number        `json:"at"`
	Limit       verify.Number        `json:"limit"`
	Delta       verify.Number        `json:"delta"`
	Bound       string               `json:"bound"`
	Comparisons []riskComparisonJSON `json:"comparisons"`
}

type riskComparisonJSON struct {
	Method  string        `json:"method"`
	Epsilon verify.Number `json:"epsilon"`
	Risk    verify.Number `json:"for_risk"`
	Number  verify.Number `json:"for_epsilon"`
	Ratio   verify.Number `json:"ratio"`
	Reason  string        `json:"reason,omitempty"`
}

func (r *Risk) json() *riskJSON {
	if r == nil {
		return nil
	}
	number := func(x float64) verify.Number {
		if math.IsNaN(x) {
			return verify.Number{}
		}
		return verify.Num(x)
	}
	j := &riskJSON{Kind: string(r.Kind), Limit: number(r.Limit), Delta: number(r.Delta), Bound: r.Bound(),
		Comparisons: []riskComparisonJSON{}}
	if r.Kind != accountant.Advantage {
		j.At = number(r.At)
	}
	for _, c := range r.Comparisons {
		j.Comparisons = append(j.Comparisons, riskComparisonJSON{c.Method, number(c.Epsilon), number(c.Risk),
			number(c.Number), number(c.Ratio), c.Reason})
	}
	return j
}
