package premises

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// ComputedMethod names the statistics of a premise that is computed at every logged step.
var ComputedMethod = verify.RegisterStatistics[computed]("premises/computed")

// computed holds the first and the worst step of a premise that is computed at every logged step.
type computed struct {
	Quantity  string       `json:"quantity"`
	Sense     verify.Sense `json:"sense"`
	Claimed   float64      `json:"claimed"`
	Tolerance float64      `json:"tolerance"`
	Steps     int          `json:"steps"`
	Broken    int          `json:"broken"` // steps that violate the premise
	First     place        `json:"first"`  // first of them, or the first step
	Worst     place        `json:"worst"`
	Cause     string       `json:"cause,omitempty"`
	Note      string       `json:"note,omitempty"`
	Needed    string       `json:"needed,omitempty"` // why an unviolated premise is not shown to hold
}

// place is a place in the log with its value.
type place struct {
	At     string  `json:"at"`
	Value  float64 `json:"value"`
	Excess float64 `json:"excess"` // deviation / allowed deviation; norms: norm / limit; above 1 is a violation
}

// see adds a step. The function at returns the place as text.
func (f *computed) see(value, excess float64, at func() string) {
	if !(math.Abs(value) <= math.MaxFloat64) { // arithmetic on finite numbers of the log overflows
		value = math.MaxFloat64
	}
	if !(excess <= math.MaxFloat64) {
		excess = math.MaxFloat64
	}
	first, broken := f.Steps == 0, excess > 1
	f.Steps++
	if broken {
		f.Broken++
	}
	if first || excess > f.Worst.Excess {
		f.Worst = place{at(), value, excess}
	}
	if first || broken && f.Broken == 1 {
		f.First = place{at(), value, excess}
	}
}

// check returns the check of the statistics.
func (f computed) check() verify.Check {
	return verify.CheckFunc(func(_ context.Context, s verify.Settings) (verify.Trial, error) {
		return decided(ComputedMethod, f, s)
	})
}

// Check returns an error unless the figures of the first and the worst step agree with the number of violations.
func (f computed) Check() error {
	valid := func(p place) bool {
		return p.At != "" && math.Abs(p.Value) <= math.MaxFloat64 && p.Excess >= 0 && p.Excess <= math.MaxFloat64 &&
			(p.Excess > 1) == (f.Broken > 0)
	}
	switch {
	case f.Quantity == "" || !slices.Contains([]verify.Sense{verify.Equals, verify.AtMost}, f.Sense) ||
		!(math.Abs(f.Claimed) <= math.MaxFloat64) || !(f.Tolerance >= 0 && f.Tolerance < 1):
		return fmt.Errorf("%q %s %v with tolerance %v: want a quantity, = or ≤, a finite number, and a tolerance in [0, 1)",
			f.Quantity, f.Sense, f.Claimed, f.Tolerance)
	case f.Steps < 1 || f.Broken < 0 || f.Broken > f.Steps || !valid(f.First) || !valid(f.Worst) ||
		f.First.Excess > f.Worst.Excess:
		return fmt.Errorf("%d of %d steps violate the premise, the first %+v, the worst %+v: want at least one step, and "+
			"places with excess above 1 if and only if there are violations", f.Broken, f.Steps, f.First, f.Worst)
	}
	return nil
}

// Judge returns the verdict with the first step that violates the premise, or with the worst step if none does.
func (f computed) Judge(verify.Settings) (verify.Evidence, error) {
	e := verify.Evidence{Exact: true, Verdict: verify.Holds, Quantity: f.Quantity, Sense: f.Sense,
		Method: fmt.Sprintf("computed at %s, relative tolerance %.2g", verify.Plural(f.Steps, "logged step"),
			f.Tolerance)}
	switch {
	case f.Broken > 0:
		e.Verdict = verify.Refuted
	case f.Needed != "":
		e.Verdict = verify.Inconclusive
	}
	if f.Note != "" {
		e.Warnings = []string{f.Note}
	}
	shown := f.Worst
	if f.Broken > 0 {
		shown = f.First
	}
	e.Cells = []verify.Cell{f.cell(shown)}
	e.CopyWorst(e.Cells[0])
	e.LookAgain(computedLook{f})
	return e, nil
}

func (f computed) cell(p place) verify.Cell {
	if f.Broken > 0 && f.Cause != "" {
		p.At += ": " + f.Cause
	}
	return verify.Cell{Label: p.At, Claimed: verify.Num(f.Claimed), Measured: verify.Num(p.Value)}
}

// computedLook describes the attempts to refute a computed premise.
type computedLook struct{ computed }

func (l computedLook) Tried() verify.Tried {
	return verify.Tried{Cases: int64(l.Steps), Case: "step", Nearest: l.cell(l.Worst)}
}

func (l computedLook) Attempt() string {
	return fmt.Sprintf("%s, none violates the premise; the closest is %s with %.4g", verify.Plural(l.Steps, "logged step"),
		l.Worst.At, l.Worst.Value)
}

func (l computedLook) Counterexample() verify.Counterexample {
	choice := fmt.Sprintf("the first of %s, out of %d, that violate the premise; the worst is %s, with %.4g",
		verify.Plural(l.Broken, "step"), l.Steps, l.Worst.At, l.Worst.Value)
	if l.Broken == 1 {
		choice = fmt.Sprintf("the only one of %s that violates the premise", verify.Plural(l.Steps, "logged step"))
	}
	return verify.Counterexample{Cell: l.cell(l.First), Choice: choice}
}

func (l computedLook) Needed() string { return l.computed.Needed }
