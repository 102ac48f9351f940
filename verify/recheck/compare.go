package recheck

import (
	"fmt"
	"slices"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/canary"
	"github.com/dpverify/dpverify/verify/runs"
)

// compare holds stored evidence against what its facts give: all figures that a verdict, an interval or a power
// rests on.
func (c *Claim) compare(stored, again verify.Evidence, texts bool) {
	c.text("verdict", string(stored.Verdict), string(again.Verdict))
	c.text("exact", fmt.Sprint(stored.Exact), fmt.Sprint(again.Exact))
	c.text("sense", string(stored.Sense), string(again.Sense))
	worst := func(e verify.Evidence) verify.Cell {
		return verify.Cell{Claimed: e.Claimed, Measured: e.Measured, Lower: e.Lower, Upper: e.Upper, Delta: e.Delta,
			Samples: e.Samples}
	}
	c.cell("", worst(stored), worst(again))
	c.number("ratio", stored.Ratio, again.Ratio)
	c.cells(stored.Cells, again.Cells)
	c.detects(stored.Detects, again.Detects)
	c.sizes(stored.Sizes, again.Sizes)
	c.tried(stored.Tried, again.Tried)
	c.cell("counterexample.", stored.Counterexample.Cell, again.Counterexample.Cell)
	c.levels(stored, again)
	c.series(stored.Series, again.Series)
	c.curves(stored, again)
	if texts {
		c.text("power", stored.Power, again.Power)
		c.text("needed", stored.Needed, again.Needed)
	}
}

// cells are compared in their order; those beyond the recomputed ones describe, and rest on no counts.
func (c *Claim) cells(stored, again []verify.Cell) {
	if len(stored) < len(again) {
		c.count("cells", int64(len(stored)), int64(len(again)))
		return
	}
	for i, cell := range stored {
		if i >= len(again) {
			c.Unchecked = append(c.Unchecked, cell.At)
			continue
		}
		c.cell(fmt.Sprintf("cells[%d].", i), cell, again[i])
	}
}

func (c *Claim) cell(where string, stored, again verify.Cell) {
	c.number(where+"claimed", stored.Claimed, again.Claimed)
	c.number(where+"measured", stored.Measured, again.Measured)
	c.number(where+"lower", stored.Lower, again.Lower)
	c.number(where+"upper", stored.Upper, again.Upper)
	c.number(where+"delta_lower", stored.Delta, again.Delta)
	c.number(where+"exact_value", stored.ExactValue, again.ExactValue)
	c.count(where+"samples", stored.Samples, again.Samples)
}

func (c *Claim) detects(stored, again verify.Detects) {
	c.float("detects.effect", stored.Effect, again.Effect)
	c.text("detects.relative", fmt.Sprint(stored.Relative), fmt.Sprint(again.Relative))
	c.float("detects.probability", stored.Probability, again.Probability)
	c.number("detects.mass", stored.Mass, again.Mass)
}

func (c *Claim) sizes(stored, again verify.Sizes) {
	c.float("sizes.near", stored.Near, again.Near)
	c.float("sizes.near_delta", stored.NearDelta, again.NearDelta)
	c.float("sizes.near_mass", stored.NearMass, again.NearMass)
	c.text("sizes.near_seen", fmt.Sprint(stored.NearSeen), fmt.Sprint(again.NearSeen))
	c.float("sizes.gross", stored.Gross, again.Gross)
	c.float("sizes.gross_delta", stored.GrossDelta, again.GrossDelta)
	c.number("sizes.gross_mass", stored.GrossMass, again.GrossMass)
	c.float("sizes.wanted_mass", stored.WantedMass, again.WantedMass)
	c.float("sizes.probability", stored.Probability, again.Probability)
}

func (c *Claim) tried(stored, again verify.Tried) {
	c.count("tried.cases", stored.Cases, again.Cases)
	c.cell("tried.nearest.", stored.Nearest, again.Nearest)
	c.number("tried.margin", stored.Margin, again.Margin)
}

// levels are error probabilities at which a sequential test refutes.
func (c *Claim) levels(stored, again verify.Evidence) {
	c.count("levels", int64(len(stored.Levels)), int64(len(again.Levels)))
	for i := range min(len(stored.Levels), len(again.Levels)) {
		c.float(fmt.Sprintf("levels[%d].alpha", i), stored.Levels[i].Alpha, again.Levels[i].Alpha)
		c.count(fmt.Sprintf("levels[%d].samples", i), stored.Levels[i].Samples, again.Levels[i].Samples)
	}
}

// series are compared where they follow from the facts, which those of means do not: they are beside the verdict.
func (c *Claim) series(stored, again []verify.Series) {
	if c.Method != canary.Basis && c.Method != runs.Basis {
		for _, s := range stored {
			c.Unchecked = append(c.Unchecked, s.Name)
		}
		return
	}
	c.count("series", int64(len(stored)), int64(len(again)))
	for i := range min(len(stored), len(again)) {
		s, a := stored[i].Points, again[i].Points
		c.count(fmt.Sprintf("series[%d].points", i), int64(len(s)), int64(len(a)))
		for k := range min(len(s), len(a)) {
			where := fmt.Sprintf("series[%d].points[%d].", i, k)
			c.number(where+"x", s[k].X, a[k].X)
			c.number(where+"mean", s[k].Mean, a[k].Mean)
			c.number(where+"lower", s[k].Lower, a[k].Lower)
			c.number(where+"upper", s[k].Upper, a[k].Upper)
			c.count(where+"runs", int64(s[k].Runs), int64(a[k].Runs))
		}
	}
}

// curves are what is certified of a whole privacy curve, and where one is violated.
func (c *Claim) curves(stored, again verify.Evidence) {
	c.text("violated_at", fmt.Sprint(stored.Violated != nil), fmt.Sprint(again.Violated != nil))
	if v, w := stored.Violated, again.Violated; v != nil && w != nil {
		c.float("violated_at.epsilon", v.Epsilon, w.Epsilon)
		c.float("violated_at.delta", v.Delta, w.Delta)
		c.float("violated_at.measured", v.Measured, w.Measured)
	}
	c.text("band", fmt.Sprint(stored.Band != nil), fmt.Sprint(again.Band != nil))
	if stored.Band == nil || again.Band == nil {
		return
	}
	c.float("band.alpha", stored.Band.Alpha, again.Band.Alpha)
	for _, of := range []struct {
		name string
		at   [2][]point
	}{
		{"delta", [2][]point{pointsOf(stored.Band.Delta), pointsOf(again.Band.Delta)}},
		{"trade_off", [2][]point{pointsOf(stored.Band.TradeOff), pointsOf(again.Band.TradeOff)}},
	} {
		c.count("band."+of.name, int64(len(of.at[0])), int64(len(of.at[1])))
		for i := range min(len(of.at[0]), len(of.at[1])) {
			if !slices.EqualFunc(of.at[0][i][:], of.at[1][i][:], Same) {
				c.differ(fmt.Sprintf("band.%s[%d]", of.name, i), fmt.Sprint(of.at[0][i]), fmt.Sprint(of.at[1][i]))
			}
		}
	}
}

func (c *Claim) text(field, stored, again string) {
	if stored != again {
		c.differ(field, stored, again)
	}
}

func (c *Claim) count(field string, stored, again int64) {
	c.text(field, fmt.Sprint(stored), fmt.Sprint(again))
}

func (c *Claim) float(field string, stored, again float64) {
	if !Same(stored, again) {
		c.differ(field, fmt.Sprint(stored), fmt.Sprint(again))
	}
}

func (c *Claim) number(field string, stored, again verify.Number) {
	if stored.Set != again.Set || !Same(stored.X, again.X) {
		c.differ(field, inWords(stored), inWords(again))
	}
}

func inWords(n verify.Number) string {
	if !n.Set {
		return "none"
	}
	return fmt.Sprint(n.X)
}
