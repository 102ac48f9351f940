package verify

import (
	"context"
	"fmt"
	"iter"
	"math"
)

// Sense is how the measured side of a relation stands to the claimed side.
type Sense string

const (
	Equals  Sense = "="
	AtMost  Sense = "≤"
	Below   Sense = "<"
	AtLeast Sense = "≥"
	Above   Sense = ">"
)

// Relation checks that formulas are related as claimed over a domain, and
// reports the worst point. Its arithmetic is exact up to the stated error.
type Relation struct {
	Quantity string // what Measured is
	Sense    Sense  // Measured Sense Claimed
	Domain   string // the points, in words
	// Proof says why the points decide the whole domain. Without one, a verdict
	// of Holds speaks of this grid alone, and the method says so.
	Proof  string
	Points iter.Seq[Point]
	// Contradiction marks a relation between two statements of the paper itself:
	// broken, it is Inconsistent and not Refuted.
	Contradiction bool
}

// Point is one place where both sides are evaluated.
type Point struct {
	At                func() string
	Measured, Claimed float64
	// Error bounds the floating-point error, relative to the larger side; 0
	// means 1e-12, which is ample for a handful of library calls.
	Error float64
	Tie   bool // the two sides are equal by algebra, whatever their last bits
	Show  bool // a row of the report, even if it is not the worst
}

// At formats a place when it is needed.
func At(format string, args ...any) func() string {
	return func() string { return fmt.Sprintf(format, args...) }
}

const (
	defaultError = 1e-12
	maxCells     = 64 // rows of the report from one relation
)

// standing of one point: how far it is on the wrong side, relative to the
// larger side.
func (r Relation) standing(p Point) (excess float64, broken, undecided bool, err error) {
	if math.IsNaN(p.Measured) || math.IsNaN(p.Claimed) {
		return 0, false, false, fmt.Errorf("at %s: measured %v, claimed %v", p.At(), p.Measured, p.Claimed)
	}
	tolerance := p.Error
	if tolerance == 0 {
		tolerance = defaultError
	}
	strict := r.Sense == Below || r.Sense == Above
	if p.Tie || p.Measured == p.Claimed {
		return 0, strict && p.Tie, strict && !p.Tie, nil
	}
	scale := math.Max(math.Abs(p.Measured), math.Abs(p.Claimed))
	excess = p.Measured/scale - p.Claimed/scale
	if math.IsInf(scale, 1) {
		excess = math.Copysign(math.Inf(1), p.Measured-p.Claimed)
	}
	switch r.Sense {
	case Equals:
		excess = math.Abs(excess)
	case AtLeast, Above:
		excess = -excess
	}
	if strict {
		return excess, excess > tolerance, math.Abs(excess) <= tolerance, nil
	}
	return excess, excess > tolerance, false, nil
}

// Prepare evaluates every point; nothing is left to sample.
func (r Relation) Prepare(ctx context.Context, _ Settings) (Trial, error) {
	e := Evidence{Exact: true, Quantity: r.Quantity, Verdict: Holds, Method: r.method()}
	var worst Point
	worstExcess, points := math.Inf(-1), 0
	for p := range r.Points {
		if points%4096 == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		points++
		excess, broken, undecided, err := r.standing(p)
		if err != nil {
			return nil, err
		}
		if p.Show && len(e.Cells) < maxCells {
			e.Cells = append(e.Cells, p.cell())
		}
		switch {
		case broken:
			e.Verdict = Refuted
			excess = math.Max(excess, math.SmallestNonzeroFloat64) // a tie outranks a point that is right
		case undecided && e.Verdict == Holds:
			e.Verdict = Inconclusive
		}
		if excess > worstExcess {
			worst, worstExcess = p, excess
		}
	}
	if points == 0 {
		return nil, fmt.Errorf("the domain %q has no points", r.Domain)
	}
	if e.Verdict == Refuted && r.Contradiction {
		e.Verdict = Inconsistent
	}
	e.WorstOf(worst.cell())
	return Decided(e), nil
}

func (p Point) cell() Cell {
	m := Num(p.Measured)
	return Cell{At: p.At(), Claimed: Num(p.Claimed), Measured: m, Lower: m, Upper: m, ExactValue: m}
}

func (r Relation) method() string {
	if r.Proof == "" {
		return "evaluated on this grid: " + r.Domain
	}
	return "evaluated on " + r.Domain + "; the whole domain follows: " + r.Proof
}
