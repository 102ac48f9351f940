package formula

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// Test is a significance test for a difference of reported numbers.
type Test string

const (
	// RepeatedRuns is Welch's t-test for the means of Pair.Runs runs each, reported with their standard deviation:
	// "0.1980±0.0019".
	RepeatedRuns Test = "repeated runs"
	// SameTestSet is McNemar's exact test for two shares of the same Pair.Examples test examples. The overlap of the
	// errors is not reported, so p is a range over all possible overlaps.
	SameTestSet Test = "same test set"
	// SignOfRows is the sign test over all rows, with one pair per row.
	SignOfRows Test = "signs of the rows"
)

// DefaultLevel is the significance level if the paper does not state one.
const DefaultLevel = 0.05

// Significance checks the claim that Left Sense Right is statistically significant: the two-sided p-value of a
// difference in the claimed direction is at most Level. A difference in the other direction has p = 1. The verdict is
// Holds if p ≤ Level for all values that round to the reported ones, and Refuted if p > Level for all. It is
// Inconclusive otherwise, or if the test needs unreported numbers. The claim is only about the reported numbers: a
// difference that they do not show may still exist.
//
// RepeatedRuns and SameTestSet test each pair. The p-value of "at least Need of the k pairs differ" is then k−Need+1
// times the Need-th smallest (Benjamini & Heller 2008); for Need = k it is the largest. SignOfRows tests all pairs
// jointly and ignores Need.
type Significance struct {
	Quantity string       // name of the numbers, for example "validation accuracy"
	Sense    verify.Sense // Above or Below
	Pairs    []Pair
	Test     Test
	Need     int     // 0 means all pairs
	Level    float64 // 0 means DefaultLevel
}

// pRange is a p-value at the reported numbers, with its range over their rounding intervals.
type pRange struct {
	at               string
	value, low, high float64
}

// Prepare computes the p-values. It needs no samples.
func (s Significance) Prepare(ctx context.Context, _ verify.Settings) (verify.Trial, error) {
	if s.Level == 0 {
		s.Level = DefaultLevel
	}
	need, err := s.validate()
	if err != nil {
		return nil, err
	}
	e := verify.Evidence{Exact: true, Quantity: "two-sided p-value of the difference in " + s.Quantity}
	var p pRange
	look := significanceLook{level: s.Level, pairs: len(s.Pairs), test: s.Test}
	switch s.Test {
	case SignOfRows:
		p, err = s.rows()
		look.all = []pRange{p}
		e.Cells = []verify.Cell{p.cell(s.Level)}
		e.Power = leastOfRows(len(s.Pairs), s.Level)
	default:
		p, look.all, err = s.pairs(ctx, need, &e)
	}
	if err != nil {
		return nil, err
	}
	e.Method = fmt.Sprintf("%s; claimed for at least %d of %s at level %v", s.Test.method(), need,
		verify.Plural(len(s.Pairs), "pair"), s.Level)
	if need < len(s.Pairs) && s.Test != SignOfRows {
		e.Method += fmt.Sprintf(", by %d times p of the pair that is number %d in the order of p (Benjamini & Heller 2008)",
			len(s.Pairs)-need+1, need)
	}
	fillSignificance(&e, p, s.Level)
	look.decisive = p
	e.LookAgain(&look)
	return verify.Decided(e), nil
}

func (s Significance) validate() (need int, err error) {
	if s.Sense != verify.Above && s.Sense != verify.Below {
		return 0, fmt.Errorf("%s: a significant difference with the sense %q: need < or >", s.Quantity, s.Sense)
	}
	if !(s.Level > 0 && s.Level < 1) {
		return 0, fmt.Errorf("%s: the level %v: need a value in (0, 1)", s.Quantity, s.Level)
	}
	if s.Test.method() == "" {
		return 0, fmt.Errorf("%s: unknown test %q", s.Quantity, s.Test)
	}
	if s.Need != 0 && s.Test == SignOfRows {
		return 0, fmt.Errorf("%s: the test %q judges all pairs together and cannot need %d of them", s.Quantity, s.Test,
			s.Need)
	}
	return needOf(s.Need, len(s.Pairs))
}

// method describes the test and its assumptions.
func (t Test) method() string {
	switch t {
	case RepeatedRuns:
		return "Welch's t-test, runs taken as independent and normal, printed deviations as those of single runs; " +
			"enclosed over rounding"
	case SameTestSet:
		return "McNemar's exact test of single runs on one test set, enclosed over rounding and every overlap of the " +
			"errors, the figure being that of the least favourable; " +
			"it knows the noise of the test examples alone, not that of training"
	case SignOfRows:
		return "exact sign test, one pair a row, rows taken as independent; enclosed over rounding"
	}
	return ""
}

// pairs tests each pair and combines the p-values by the partial conjunction of Benjamini & Heller (2008).
func (s Significance) pairs(ctx context.Context, need int,
	e *verify.Evidence) (decisive pRange, all []pRange, err error) {
	all = make([]pRange, len(s.Pairs))
	for i, pair := range s.Pairs {
		if ctx.Err() != nil {
			return pRange{}, nil, context.Cause(ctx)
		}
		if all[i], err = s.pair(pair); err != nil {
			return pRange{}, nil, err
		}
		if len(e.Cells) < verify.MaxCells {
			e.Cells = append(e.Cells, all[i].cell(s.Level))
		}
	}
	// Each bound of the combined p-value uses the same bound of the pairs.
	nth := func(bound func(pRange) float64) pRange {
		sorted := slices.Clone(all)
		slices.SortStableFunc(sorted, func(a, b pRange) int { return compareFloat(bound(a), bound(b)) })
		return sorted[need-1]
	}
	factor := float64(len(all) - need + 1)
	decisive = nth(func(p pRange) float64 { return p.value })
	return pRange{
		at:    decisive.at,
		value: math.Min(1, factor*decisive.value),
		low:   math.Min(1, factor*nth(func(p pRange) float64 { return p.low }).low),
		high:  math.Min(1, factor*nth(func(p pRange) float64 { return p.high }).high),
	}, all, nil
}

func compareFloat(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (s Significance) pair(p Pair) (pRange, error) {
	if s.Sense == verify.Below {
		p.Left, p.Right = p.Right, p.Left
	}
	var r pRange
	var err error
	if s.Test == RepeatedRuns {
		r, err = p.welch()
	} else {
		r, err = p.mcNemar()
	}
	if s.Sense == verify.Below {
		p.Left, p.Right = p.Right, p.Left
	}
	r.at = p.at()
	return r, err
}

// ordered extends the range to include the value: equal ends and value may differ in their last bits.
func (p pRange) ordered() pRange {
	p.low, p.high = math.Min(p.low, p.value), math.Max(p.high, p.value)
	return p
}

func (p pRange) cell(level float64) verify.Cell {
	return verify.Cell{Label: p.at, Claimed: verify.Num(level), Measured: verify.Num(p.value), Lower: verify.Num(p.low),
		Upper: verify.Num(p.high)}
}

// levelRounding is the rounding error of the p-values. A p-value within it of the level counts as significant.
const levelRounding = 1e-9

// above reports whether p exceeds the level for all values that round to the reported ones.
func (p pRange) above(level float64) bool { return p.low > level*(1+levelRounding) }

// fillSignificance sets the verdict for a p-value that is claimed to be at most level.
func fillSignificance(e *verify.Evidence, p pRange, level float64) {
	e.Sense, e.Verdict = verify.AtMost, verify.Inconclusive
	switch {
	case p.high <= level*(1+levelRounding):
		e.Verdict = verify.Holds
	case p.above(level):
		e.Verdict = verify.Refuted
	}
	e.CopyWorst(p.cell(level))
}

// leastOfRows describes the smallest p-value that n rows can reach.
func leastOfRows(n int, level float64) string {
	least := math.Min(1, math.Ldexp(2, -n))
	if least <= level {
		return fmt.Sprintf("%s can reach p = %.3g", verify.Plural(n, "pair"), least)
	}
	enough := n
	for math.Ldexp(2, -enough) > level {
		enough++
	}
	return fmt.Sprintf("whatever %d pairs show, p is at least %.3g: need at least %d pairs", n, least, enough)
}
