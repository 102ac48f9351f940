package formula

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// Test is a way to tell a difference of printed numbers from chance.
type Test string

const (
	// RepeatedRuns is Welch's t-test of the means of Pair.Runs runs each,
	// which are printed with the runs' sample deviation: "0.1980±0.0019".
	RepeatedRuns Test = "repeated runs"
	// SameTestSet is McNemar's exact test of two shares of the same
	// Pair.Examples. Which examples both got right is not printed, so p is
	// enclosed over every overlap that the two shares allow.
	SameTestSet Test = "same test set"
	// SignOfRows is the sign test of one pair a row, all rows together.
	SignOfRows Test = "signs of the rows"
)

// DefaultLevel is what "significant" means where a paper does not say.
const DefaultLevel = 0.05

// Significance checks the claim that printed numbers show Left Sense Right
// beyond chance: that the two-sided p-value of the given test, of a difference
// that points the claimed way, is at most Level. (One that points the other way
// has p = 1.) It holds where p ≤ Level however the numbers were rounded, is
// Refuted where p > Level however they were rounded, and Inconclusive in between
// or where the test needs what is not printed. It is about the printed numbers
// alone: a difference not shown may yet be real.
//
// RepeatedRuns and SameTestSet judge each pair; p is then that of "at least
// Need of the pairs differ", k−Need+1 times the Need-th smallest of the k
// (Benjamini & Heller 2008), which for Need = k is the largest. SignOfRows
// judges all pairs together and takes no Need.
type Significance struct {
	Quantity string       // what the numbers are: "validation accuracy"
	Sense    verify.Sense // Above or Below
	Pairs    []Pair
	Test     Test
	Need     int     // 0 means all pairs
	Level    float64 // 0 means DefaultLevel
}

// pRange is a p-value at the printed numbers, and over what they stand for.
type pRange struct {
	at               string
	value, low, high float64
}

// Prepare computes the p-values; nothing is left to sample.
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
		return 0, fmt.Errorf("%s: the level %v: need one in (0, 1)", s.Quantity, s.Level)
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

// method says what a test takes for granted.
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

// pairs judges each pair by itself and the claim by the partial conjunction.
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
	// Each bound of the combination is that of the same bounds.
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

// ordered has the ends enclose the value, where the two are equal by algebra and differ in their last bits.
func (p pRange) ordered() pRange {
	p.low, p.high = math.Min(p.low, p.value), math.Max(p.high, p.value)
	return p
}

func (p pRange) cell(level float64) verify.Cell {
	return verify.Cell{Label: p.at, Claimed: verify.Num(level), Measured: verify.Num(p.value), Lower: verify.Num(p.low),
		Upper: verify.Num(p.high)}
}

// levelRounding is that of the p-values: one that equals the level reaches it.
const levelRounding = 1e-9

// above tells whether p exceeds the level however the numbers were rounded.
func (p pRange) above(level float64) bool { return p.low > level*(1+levelRounding) }

// fillSignificance gives the verdict on a p-value that is claimed to be at most level.
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

// leastOfRows says what n rows could have shown at best.
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
