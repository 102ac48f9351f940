package formula

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/internal/tolerance"
	"github.com/dpverify/dpverify/verify"
)

// Check compares two formulas over a domain and reports the worst point. The arithmetic is exact up to the stated
// error.
type Check struct {
	Quantity string       // description of Measured
	Sense    verify.Sense // the claim is: Measured Sense Claimed
	Domain   string       // description of the points; with a grid, only what its axes do not say
	// Proof explains why the points decide the whole domain. Without it, Holds applies only to the evaluated points, and
	// the method says so.
	Proof string
	// Points evaluates the domain and adds its points in a fixed order. add does not return if no further point is
	// needed: after a point that could not be evaluated, and when the run ends.
	Points func(add func(Point))
	// Grid and At replace Points: At adds the points at each combination of grid values.
	Grid Grid
	At   func(at []float64, add func(Point))
	// Contradiction marks a relation between two statements of the paper itself. A violation is then Contradictory
	// instead of Refuted.
	Contradiction bool
	// Void marks a relation that tests whether another statement applies to anything. After a violation that statement is
	// Vacuous.
	Void bool
	// Curves collects the curves that the points record during evaluation; may be nil.
	Curves *verify.PlottedCurves
}

// Point is one place at which both sides are evaluated.
type Point struct {
	Place             func() string
	Measured, Claimed float64
	// Error bounds the floating-point error relative to the larger side. It is below 1, and 0 means 1e-12, which suffices
	// for a few library calls.
	Error float64
	Tie   bool // the two sides are algebraically equal, so their last bits are ignored
	Show  bool // include the point as a row of the report
	// Err is the error of computing a side. The check then fails without a verdict.
	Err error
}

// ListedPoints returns a Points function for the given points.
func ListedPoints(points ...Point) func(add func(Point)) {
	return func(add func(Point)) {
		for _, p := range points {
			add(p)
		}
	}
}

// Placef returns a function that formats a place on demand.
func Placef(format string, args ...any) func() string {
	return func() string { return fmt.Sprintf(format, args...) }
}

func (p Point) tolerance() float64 {
	if p.Error == 0 {
		return verify.DefaultRelativeError
	}
	return p.Error
}

// Difference returns (Measured − Claimed) divided by the larger absolute value of the two. It is ±Inf if exactly one
// side is infinite.
func (p Point) Difference() float64 {
	if p.Measured == p.Claimed {
		return 0
	}
	scale := math.Max(math.Abs(p.Measured), math.Abs(p.Claimed))
	if math.IsInf(scale, 1) {
		return math.Copysign(math.Inf(1), p.Measured-p.Claimed)
	}
	return p.Measured/scale - p.Claimed/scale
}

// standing evaluates one point. excess is the violation relative to the larger side; it is 0 within the rounding error,
// because those digits differ between machines.
func (r Check) standing(p Point) (excess float64, broken, undecided bool, err error) {
	if p.Err != nil {
		return 0, false, false, fmt.Errorf("at %s: %w", p.Place(), p.Err)
	}
	if math.IsNaN(p.Measured) || math.IsNaN(p.Claimed) {
		return 0, false, false, fmt.Errorf("at %s: measured %v, claimed %v", p.Place(), p.Measured, p.Claimed)
	}
	if !(p.Error >= 0 && p.Error < 1) {
		return 0, false, false, fmt.Errorf("at %s: a relative error of %v: want a value in [0, 1)", p.Place(), p.Error)
	}
	tolerance := p.tolerance()
	strict := r.Sense == verify.Below || r.Sense == verify.Above
	excess = p.Difference()
	if p.Tie && math.Abs(excess) > tolerance {
		return 0, false, false, fmt.Errorf("at %s: measured %v and claimed %v are said to be equal by algebra", p.Place(),
			p.Measured, p.Claimed)
	}
	if p.Tie || excess == 0 {
		return 0, strict && p.Tie, strict && !p.Tie, nil
	}
	switch r.Sense {
	case verify.Equals:
		excess = math.Abs(excess)
	case verify.AtLeast, verify.Above:
		excess = -excess
	}
	if math.Abs(excess) <= tolerance {
		return 0, false, strict, nil
	}
	return excess, excess > 0, false, nil
}

// Prepare evaluates every point. It needs no samples.
func (r Check) Prepare(ctx context.Context, _ verify.Settings) (verify.Trial, error) {
	if !slices.Contains([]verify.Sense{verify.Equals, verify.AtMost, verify.Below, verify.AtLeast, verify.Above},
		r.Sense) {
		return nil, fmt.Errorf("unknown sense %q of a relation", r.Sense)
	}
	if r.Points != nil && (r.Grid != nil || r.At != nil) {
		return nil, fmt.Errorf("the domain %q has points and a grid: give either of them", r.domain())
	}
	if r.Grid != nil && r.At != nil {
		r.Points = r.Grid.points(r.At)
	}
	if r.Points == nil {
		return nil, fmt.Errorf("the domain %q has no points", r.domain())
	}
	e := verify.Evidence{Exact: true, Quantity: r.Quantity, Sense: r.Sense, Verdict: verify.Holds, Method: r.Method()}
	look := relationLook{sense: r.Sense, cases: verify.Cases[Point]{Noun: "point"}}
	worstBroken, open, place := false, false, 0
	err := r.each(func(p Point) error {
		first := look.cases.Count() == 0
		if look.cases.Count()%4096 == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		before := len(e.Cells)
		excess, broken, undecided, err := r.standing(p)
		if err != nil {
			return err
		}
		if p.Show && len(e.Cells) < verify.MaxCells {
			e.Cells = append(e.Cells, p.cell())
		}
		switch {
		case broken:
			e.Verdict = verify.Refuted
		case undecided && e.Verdict == verify.Holds:
			e.Verdict = verify.Inconclusive
		}
		if undecided && !open {
			look.open, open = p, true
		}
		look.cases.See(p, broken)
		// A counterexample outranks a point with a larger excess within its error.
		if first || broken && !worstBroken || broken == worstBroken && tolerance.Above(excess, look.excess) {
			look.worst, look.excess, worstBroken, place = p, excess, broken, before
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if look.cases.Count() == 0 {
		return nil, fmt.Errorf("the domain %q has no points", r.domain())
	}
	switch {
	case e.Verdict == verify.Refuted && r.Contradiction:
		e.Verdict = verify.Contradictory
	case e.Verdict == verify.Refuted && r.Void:
		e.Verdict = verify.Vacuous
	}
	e.Curves = r.Curves.All()
	e.WorstCell(look.worst.cell(), place)
	e.LookAgain(&look)
	return verify.Decided(e), nil
}

// halt is the panic value by which add leaves Points: after an error at a point or at the end of the run.
type halt struct{ err error }

// each calls f with the points in order and returns the first error.
func (r Check) each(f func(Point) error) (err error) {
	defer func() {
		v := recover()
		if h, ok := v.(halt); ok {
			err = h.err
		} else if v != nil {
			panic(v)
		}
	}()
	r.Points(func(p Point) {
		if err := f(p); err != nil {
			panic(halt{err})
		}
	})
	return nil
}

func (p Point) cell() verify.Cell {
	m := verify.Num(p.Measured)
	return verify.Cell{Label: p.Place(), Claimed: verify.Num(p.Claimed), Measured: m, Lower: m, Upper: m, ExactValue: m}
}

// relationLook holds the points that describe attempts and counterexamples.
type relationLook struct {
	sense  verify.Sense
	cases  verify.Cases[Point]
	worst  Point
	excess float64 // of the worst point
	open   Point   // the first undecided point
}

func (l *relationLook) Tried() verify.Tried {
	return l.cases.Tried(func(p Point) string { return p.Place() }, l.worst.cell())
}

func (l *relationLook) Attempt() string {
	tried := l.cases.InWords(func(p Point) string { return p.Place() })
	at := l.worst.Place()
	nearest := l.cases.Nearest(at)
	switch {
	case l.sense == verify.Equals:
		return fmt.Sprintf("%s; the two sides are equal at all of them, up to the %.2g of the larger one that "+
			"may be rounding error", tried, l.worst.tolerance())
	case l.excess >= 0:
		return fmt.Sprintf("%s; %s leaves no margin: the claimed value is attained", tried, nearest)
	case math.IsInf(l.excess, -1):
		return fmt.Sprintf("%s; no point is close to a violation: one side is infinite at each point", tried)
	}
	return fmt.Sprintf("%s; %s leaves a margin of %.3g %% of the larger side", tried, nearest, -100*l.excess)
}

func (l *relationLook) Counterexample() verify.Counterexample { return l.cases.Simplest(Point.cell) }

func (l *relationLook) Needed() string {
	return fmt.Sprintf("a proof, or exact arithmetic, at %s: the two sides are equal up to the %.2g of the larger one "+
		"that may be rounding error", l.open.Place(), l.open.tolerance())
}

// domain returns the axes of the grid and the description of the domain.
func (r Check) domain() string {
	if r.Grid == nil || r.Domain == "" {
		return r.Grid.String() + r.Domain
	}
	return r.Grid.String() + "; " + r.Domain
}

func (r Check) Method() string {
	if r.Proof == "" {
		return "evaluated on this grid: " + r.domain()
	}
	return "evaluated on " + r.domain() + "; the whole domain follows: " + r.Proof
}
