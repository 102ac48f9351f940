package replay

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/verify"
)

// Method names the statistics of a part.
var Method = verify.RegisterStatistics[statistics]("replay")

// statistics is the result of a search from which the evidence follows: the worst pair and the smallest one.
type statistics struct {
	Part     Part    `json:"part"`
	Tried    int64   `json:"tried"`
	Again    string  `json:"again,omitempty"`   // why a replay cannot judge the release
	Unclear  int     `json:"unclear,omitempty"` // replays without a conclusion
	Reason   string  `json:"reason,omitempty"`  // why the first of them has no conclusion
	Largest  float64 `json:"largest"`           // largest ratio of a distance to its sensitivity, if nothing is broken
	Worst    *broken `json:"worst,omitempty"`   // nil if nothing is broken
	Smallest *broken `json:"smallest,omitempty"`
}

// broken is a pair that breaks the part, with the figures of a sensitivity or a cost.
type broken struct {
	Inputs   string  `json:"inputs"`
	How      string  `json:"how"`
	Quantity string  `json:"quantity,omitempty"` // "" for parts without figures
	Claimed  float64 `json:"claimed,omitempty"`
	Measured float64 `json:"measured,omitempty"`
	Slack    float64 `json:"slack,omitempty"`
}

func (b broken) row() verify.Cell {
	c := verify.Cell{Label: fmt.Sprintf("%s: %s", b.Inputs, b.How)}
	if b.Quantity != "" {
		c.Claimed, c.Measured = verify.Num(b.Claimed), verify.Num(b.Measured)
		c.Lower = verify.Num(math.Max(0, b.Measured-b.Slack))
	}
	return c
}

// check returns an error if the figures contradict the break or are missing from its description.
func (b broken) check(p Part) error {
	if figures := p == Sensitivity || p == Account; figures != (b.Quantity != "") {
		return fmt.Errorf("part %s with the quantity %q: want one for sensitivity and account, none for other parts", p,
			b.Quantity)
	}
	switch {
	case b.Inputs == "" || b.How == "":
		return fmt.Errorf("a pair %q that breaks the part by %q: want both", b.Inputs, b.How)
	case b.Quantity == "":
	case !(b.Measured-b.Slack > b.Claimed) || !(b.Slack >= 0):
		return fmt.Errorf("%v is measured with slack %v, and %v is claimed: these figures do not break the part",
			b.Measured, b.Slack,
			b.Claimed)
	case !b.mentions(b.Claimed) || !b.mentions(b.Measured) && !b.mentions(b.Measured-b.Slack):
		return fmt.Errorf("%v is measured and %v claimed, but the description does not contain them: %s", b.Measured,
			b.Claimed, b.How)
	}
	return nil
}

// mentions reports whether the description contains a figure.
func (b broken) mentions(figure float64) bool {
	return strings.Contains(b.How, fmt.Sprintf("%.6g", figure))
}

// Judge returns the evidence on the part: refuted if a pair breaks it, otherwise inconclusive.
func (f statistics) Judge(verify.Settings) (verify.Evidence, error) {
	e := verify.Evidence{Verdict: verify.Inconclusive, Exact: true, Quantity: "replay, " + string(f.Part),
		Sense: verify.AtMost, Method: method(f.Part)}
	switch {
	case f.Worst != nil:
		e.Verdict = verify.Refuted
		if f.Smallest.Quantity != "" {
			e.Quantity = f.Smallest.Quantity
		}
		e.Cells = []verify.Cell{f.Worst.row()}
		e.CopyWorst(f.Worst.row())
		e.LookAgain(look{tried: f.Tried, smallest: f.Smallest.row(), nearest: f.Worst.row()})
	case f.Again != "":
		e.LookAgain(look{tried: f.Tried, needed: f.Again})
	default:
		e.LookAgain(look{tried: f.Tried, needed: f.needed()})
		e.Power = fmt.Sprintf("not refuted on %s; a search cannot exclude other pairs",
			verify.Plural(int(f.Tried), "pair"))
		if f.Part == Sensitivity {
			e.Power += fmt.Sprintf("; the largest difference is %.4g of the declared sensitivity", f.Largest)
		}
	}
	return e, nil
}

func (f statistics) needed() string {
	if f.Unclear > 0 {
		return fmt.Sprintf("a decision on the %d of %d runs that a replay could not judge: %s", f.Unclear, 2*f.Tried,
			f.Reason)
	}
	return fmt.Sprintf("a proof: the part was not refuted on %d pairs, which shows nothing about other pairs", f.Tried)
}

func (f statistics) Check() error {
	switch {
	case !slices.Contains(Parts, f.Part) || f.Tried < 0 || f.Unclear < 0 || !(f.Largest >= 0):
		return fmt.Errorf("part %q on %d pairs: want one of %v", f.Part, f.Tried, Parts)
	case (f.Worst == nil) != (f.Smallest == nil) || f.Worst != nil && f.Again != "":
		return fmt.Errorf("a worst pair without a smallest one, or for a release that a replay cannot judge")
	case f.Worst != nil:
		for _, p := range []*broken{f.Worst, f.Smallest} {
			if err := p.check(f.Part); err != nil {
				return err
			}
		}
	case f.Again == "" && f.Tried < 1:
		return fmt.Errorf("no pair was tried")
	}
	return nil
}
