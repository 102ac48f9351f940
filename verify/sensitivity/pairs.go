package sensitivity

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Pairs checks the sensitivity of a map F from inputs of any type to vectors: ‖F(A) − F(B)‖ is at most Claimed for all
// neighboring inputs A and B. The pairs are given, drawn, or members of a space. In a space, a local search continues
// from the pairs with the largest differences, and a violation is shrunk to the smallest pair. For datasets of points
// use [Check], which has a stronger search.
//
// Nothing is sampled. A pair above the claim is Refuted. A search cannot show that no pair is, so that every other
// result is Inconclusive.
type Pairs[D any] struct {
	Quantity string // name of the map, for example "the sum of the ages"
	Norm     Norm   // of the difference
	// Map is F. Its output must be finite, have a constant length and depend only on the input, which Map must not
	// change.
	Map     func(input D) ([]float64, error)
	Claimed float64 // finite, ≥ 0
	Given   []inputs.Pair[D]
	// Space holds further pairs, and the smaller pairs to which a violation is shrunk. Draw draws further pairs. Smaller
	// returns simpler pairs than one for which the space has none; every chain of simpler pairs must end. Each may be
	// nil.
	Space   inputs.PairSpace[D]
	Draw    func(r *rand.Rand) inputs.Pair[D]
	Smaller func(p inputs.Pair[D]) []inputs.Pair[D]
	// Evaluations is the number of pairs to try at the standard budget, in addition to the given pairs and the edges of
	// the space; 0 means 2000. Shrinking a violation may try as many again.
	Evaluations int64
	// Error bounds the relative floating-point error as in a [Cell]; 0 means 1e-9. Integer outputs up to 2⁴⁵ are exact.
	Error float64
}

// PairFinding is the outcome of a search over pairs.
type PairFinding[D any] struct {
	verify.Evidence
	Smallest *inputs.Pair[D] // smallest pair above the claim that was found; nil if none was
}

const defaultPairs = 2000

// Check returns an error that names the invalid parameter.
func (p Pairs[D]) Check() error {
	switch {
	case p.Map == nil:
		return errors.New("sensitivity: no map")
	case p.Norm != L1 && p.Norm != L2 && p.Norm != LInf:
		return fmt.Errorf("sensitivity: %s: want L1, L2 or LInf", p.Norm)
	case !(p.Claimed >= 0 && p.Claimed <= math.MaxFloat64):
		return fmt.Errorf("sensitivity: claimed sensitivity %v: want a finite number ≥ 0", p.Claimed)
	case len(p.Given) == 0 && p.Space == nil && p.Draw == nil:
		return errors.New("sensitivity: no pairs of inputs: want Given, Space or Draw")
	case p.Evaluations < 0:
		return fmt.Errorf("sensitivity: %d evaluations: want a number ≥ 0", p.Evaluations)
	case !(p.Error >= 0 && p.Error < 1):
		return fmt.Errorf("sensitivity: relative error %v: want a number in [0, 1)", p.Error)
	}
	if p.Space != nil {
		if err := p.Space.Check(); err != nil {
			return err
		}
	}
	return inputs.CheckPairs(p.Given)
}

// Prepare searches for the worst pair. It needs no samples.
func (p Pairs[D]) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	f, err := p.Find(ctx, s)
	if err != nil {
		return nil, err
	}
	return verify.Decided(f.Evidence), nil
}

// Find searches for the worst pair, and returns the evidence with the smallest pair above the claim.
func (p Pairs[D]) Find(ctx context.Context, settings verify.Settings) (PairFinding[D], error) {
	if err := p.Check(); err != nil {
		return PairFinding[D]{}, err
	}
	if p.Evaluations == 0 {
		p.Evaluations = defaultPairs
	}
	if p.Error == 0 {
		p.Error = defaultMapError
	}
	s := &pairSearch[D]{Pairs: p, ctx: ctx, length: -1}
	found, err := inputs.PairSearch[D, difference]{Given: p.Given, Space: p.Space, Draw: p.Draw, Smaller: p.Smaller,
		Evaluations: settings.Budget.Samples(p.Evaluations),
		Stream:      func(purpose string) *rand.Rand { return settings.Stream(purpose) },
		Measure:     s.measure, Value: func(d difference) float64 { return d.value }, Broken: s.broken}.Run()
	if err == nil && found.Tried == 0 {
		err = errors.New("sensitivity: no pair of different inputs was found")
	}
	if err != nil {
		return PairFinding[D]{}, err
	}
	if s.broken(found.Worst.Shows) {
		if err := s.confirm(found.Worst, found.Smallest); err != nil {
			return PairFinding[D]{}, err
		}
	}
	return s.finding(found)
}

// confirm measures the refuting pairs again with A and B swapped. It returns an error if the difference changes, as
// for a map that depends on earlier inputs.
func (s *pairSearch[D]) confirm(pairs ...inputs.MeasuredPair[D, difference]) error {
	for _, p := range pairs {
		if m, err := s.measure(p.Swapped()); err != nil || !s.broken(m) {
			return cmp.Or(err, fmt.Errorf("at %s: the map is not a function of its input: the outputs differ by %v, and by "+
				"%v if B comes first; keep no state between calls", p.ShortInputs(), p.Shows.value, m.value))
		}
	}
	return nil
}

// difference is the distance between the outputs of a pair, with a bound on its rounding error.
type difference struct{ value, slack float64 }

// pairSearch searches for the pair with the largest difference.
type pairSearch[D any] struct {
	Pairs[D]
	ctx    context.Context
	length int // length of the outputs, −1 before the first evaluation
}

// broken reports whether a difference exceeds the claim by more than rounding.
func (s *pairSearch[D]) broken(d difference) bool { return d.value-d.slack > s.Claimed }

// measure evaluates the map twice on each input, and returns the difference between the outputs. It returns an error if
// the map changes its input or gives different outputs.
func (s *pairSearch[D]) measure(p inputs.Pair[D]) (m difference, err error) {
	if s.ctx.Err() != nil {
		return m, context.Cause(s.ctx)
	}
	unchanged := inputs.Unchanged("map", inputs.PairKey, p)
	var out [2][]float64
	for i, input := range []D{p.A, p.B} {
		if out[i], err = s.output(input); err != nil {
			return m, err
		}
		if err := unchanged(); err != nil {
			return m, err
		}
		repeated, err := s.output(input)
		if err != nil {
			return m, err
		}
		// Small differences are allowed: the order of summation may change between calls.
		if !(floats.Distance(repeated, out[i], s.Norm.exponent()) <= s.slack(repeated, out[i])/4) {
			return m, fmt.Errorf("the map is not a function of its input: it gives %v and then %v; pass the map without its "+
				"noise", out[i], repeated)
		}
	}
	m = difference{floats.Distance(out[0], out[1], s.Norm.exponent()), s.slack(out[0], out[1])}
	if !(m.value <= math.MaxFloat64 && m.slack <= math.MaxFloat64) {
		return m, fmt.Errorf("outputs as large as %v overflow the %s norm", floats.Norm(out[0], math.Inf(1)), s.Norm)
	}
	return m, nil
}

// maxExactInteger is the largest integer output that counts as exact. Doubles of this size still have fractions, so
// that an integer is unlikely to be the result of rounding.
const maxExactInteger = 1 << 45

// slack returns a bound on the rounding error of the difference between two outputs. If both consist of integers, the
// bound covers only the arithmetic of the norm.
func (s *pairSearch[D]) slack(a, b []float64) float64 {
	size := math.Max(s.Norm.length(a), s.Norm.length(b))
	inexact := func(x float64) bool { return x != math.Trunc(x) || math.Abs(x) > maxExactInteger }
	if slices.ContainsFunc(a, inexact) || slices.ContainsFunc(b, inexact) {
		return s.Error * math.Max(s.Claimed, size)
	}
	return verify.DefaultRelativeError * floats.Distance(a, b, s.Norm.exponent())
}

// output evaluates the map once, and returns a copy of its output.
func (s *pairSearch[D]) output(input D) ([]float64, error) {
	out, err := s.Map(input)
	if err != nil {
		return nil, err
	}
	for i, v := range out {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return nil, fmt.Errorf("output %d of the map is %v: want a finite number", i, v)
		}
	}
	if s.length < 0 {
		s.length = len(out)
	}
	if len(out) != s.length {
		return nil, fmt.Errorf("the map gives %d numbers here and gave %d before: want vectors of one length", len(out),
			s.length)
	}
	return slices.Clone(out), nil
}

// finding judges the result of the search.
func (s *pairSearch[D]) finding(found inputs.PairSearchResult[D, difference]) (out PairFinding[D], err error) {
	statistics := func(m inputs.MeasuredPair[D, difference]) pairStatistics {
		return pairStatistics{m.ShortInputs(), m.Shows.value, m.Shows.slack}
	}
	f := pairsStatistics{Quantity: s.Quantity, Norm: s.Norm.String(), Claimed: s.Claimed, Tried: found.Tried,
		Space: s.Space != nil, Worst: statistics(found.Worst), Smallest: statistics(found.Smallest)}
	out.Evidence, err = verify.JudgeStatistics(PairsMethod, f, verify.Settings{})
	if out.Verdict == verify.Refuted {
		out.Smallest = &found.Smallest.Pair
	}
	return out, err
}

// pairLook describes the attempt, the counterexample and the missing evidence of a search over pairs.
type pairLook struct {
	tried           int64
	worst, smallest verify.Cell
	broken          bool
}

func (l pairLook) Tried() verify.Tried {
	return verify.Tried{Cases: l.tried, Case: "pair", Nearest: l.worst,
		Margin: verify.Num(l.worst.Claimed.X - l.worst.Lower.X)}
}

func (l pairLook) Attempt() string { return "" } // a search never confirms a claim

func (l pairLook) Counterexample() verify.Counterexample {
	return verify.Counterexample{Cell: l.smallest, Choice: "the smallest that was found"}
}

func (l pairLook) Needed() string {
	return fmt.Sprintf("a proof, or a pair that differs by more than %.4g: a search cannot show that no pair does; the "+
		"%d pairs of this run differ by at most %.4g", l.worst.Claimed.X, l.tried, l.worst.Measured.X)
}
