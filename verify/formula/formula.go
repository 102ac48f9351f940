package formula

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/verify"
)

// Formula is a reported number that follows from other reported numbers.
type Formula struct {
	Result Cell
	Inputs []Cell
	// Formula must be monotone in each input with the others fixed. Its extremes over the inputs' rounding intervals are
	// then at their corners. It must not keep or modify its argument.
	Formula func([]float64) float64
	// Error bounds the relative floating-point error of Formula; it is below 1, and 0 means 1e-12.
	Error float64
}

// Formulas recomputes reported numbers from other reported numbers. The verdict is Holds if each result agrees with its
// inputs up to rounding, and Contradictory otherwise.
type Formulas []Formula

const maxCornerInputs = 16 // 2^16 corners

// Prepare evaluates every formula at the corners. It needs no samples.
func (f Formulas) Prepare(ctx context.Context, _ verify.Settings) (verify.Trial, error) {
	results := make([]recomputed, len(f))
	for i, formula := range f {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		var err error
		if results[i], err = formula.recompute(); err != nil {
			return nil, err
		}
	}
	return agreement(results, "printed number, recomputed from others",
		"the formula, monotone in each input, is evaluated at every corner of the intervals that the "+
			"printed inputs stand for")
}

func (f Formula) recompute() (recomputed, error) {
	result, err := f.Result.number()
	if err != nil {
		return recomputed{}, err
	}
	inputs, err := numbersOf(f.Inputs)
	if err != nil {
		return recomputed{}, err
	}
	if f.Formula == nil || !(f.Error >= 0 && f.Error < 1) {
		return recomputed{}, fmt.Errorf("%s: need a formula, with a relative error in [0, 1), not %v", f.Result.Place,
			f.Error)
	}
	r := recomputed{at: f.Result.quoted(), claimed: float(result.value), low: math.Inf(1), high: math.Inf(-1)}
	x := make([]float64, len(inputs))
	for i, d := range inputs {
		x[i] = float(d.value)
	}
	r.value = f.Formula(x)
	corners, err := cornersOf(inputs)
	if err != nil {
		return recomputed{}, fmt.Errorf("%s: %w", f.Result.Place, err)
	}
	corners(x, func() {
		y := f.Formula(x)
		r.low, r.high = min(r.low, y), max(r.high, y) // keeps NaN
	})
	slack := f.Error
	if slack == 0 {
		slack = verify.DefaultRelativeError
	}
	slack *= math.Max(math.Abs(r.low), math.Abs(r.high))
	r.low, r.high = r.low-slack, r.high+slack
	switch {
	case math.IsNaN(r.value) || math.IsNaN(r.low) || math.IsNaN(r.high):
		return recomputed{}, fmt.Errorf("%s: the formula is not a number at some inputs that round to the printed ones",
			f.Result.Place)
	case r.value < r.low || r.value > r.high:
		return recomputed{}, fmt.Errorf("%s: the formula is not monotone in each input: %v lies outside [%v, %v], its "+
			"values at the corners", f.Result.Place, r.value, r.low, r.high)
	}
	_, low, high := result.floats()
	r.agrees, r.room = r.low <= high && low <= r.high, math.Min(r.high-low, high-r.low)
	return r, nil
}

// cornersOf returns a function that sets x to each corner of the rounding intervals in turn.
func cornersOf(inputs []decimal) (func(x []float64, visit func()), error) {
	var rounded []int
	for i, d := range inputs {
		if d.low.Cmp(d.high) < 0 {
			rounded = append(rounded, i)
		}
	}
	if len(rounded) > maxCornerInputs {
		return nil, fmt.Errorf("a formula of %d rounded inputs has too many corners: need at most %d", len(rounded),
			maxCornerInputs)
	}
	return func(x []float64, visit func()) {
		for corner := range 1 << len(rounded) {
			for bit, i := range rounded {
				_, low, high := inputs[i].floats()
				x[i] = low
				if corner>>bit&1 == 1 {
					x[i] = high
				}
			}
			visit()
		}
	}, nil
}

// recomputed compares a reported number with its recomputed value.
type recomputed struct {
	at               string
	claimed          float64
	value, low, high float64 // value at the reported inputs, and its range over their rounding intervals
	room             float64 // overlap of that range with the reported number's interval
	agrees           bool
}

// agreement returns the verdict on recomputed numbers.
func agreement(all []recomputed, quantity, method string) (verify.Trial, error) {
	if len(all) == 0 {
		return nil, errors.New("no printed numbers to recompute")
	}
	e := verify.Evidence{Exact: true, Quantity: quantity, Sense: verify.Equals, Verdict: verify.Holds,
		Method: method + "; a printed number agrees if both sides can be equal before rounding"}
	findings := make([]printedFinding, len(all))
	for i, r := range all {
		findings[i] = printedFinding{
			standing: certain,
			room:     verify.Num(r.room),
			excess:   math.Abs(Point{Measured: r.value, Claimed: r.claimed}.Difference()),
			cell: verify.Cell{Label: r.at, Claimed: verify.Num(r.claimed), Measured: verify.Num(r.value),
				Lower: verify.Num(r.low), Upper: verify.Num(r.high)},
		}
		if !r.agrees {
			findings[i].standing = impossible
			e.Verdict = verify.Contradictory
		}
	}
	fillFindings(&e, findings)
	e.LookAgain(&printedLook{findings, "printed number"})
	return verify.Decided(e), nil
}

// quoted returns the place and text of the cell.
func (c Cell) quoted() string { return c.Place + ": " + c.Text }
