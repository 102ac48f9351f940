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

// Pairs checks how far a map from inputs of any type to vectors moves between neighbouring
// inputs: ‖F(A) − F(B)‖ is at most what is claimed. The pairs are given, drawn, or of a space,
// where a local search goes on from those that move most, and a violation is shrunk to the
// smallest pair; [Check] searches datasets of points, and knows more of them.
//
// Nothing is sampled, and a pair beyond the claim refutes it. A search never shows that none is:
// all else is Inconclusive.
type Pairs[D any] struct {
	Quantity string // the map, in words: "the sum of the ages"
	Norm     Norm   // of the difference
	// Map is F: a function of its input, with outputs of one length, all finite. It must leave
	// its input as it is.
	Map     func(input D) ([]float64, error)
	Claimed float64 // finite, ≥ 0
	Given   []inputs.Pair[D]
	// Space has further pairs, and the smaller ones to which a violation is shrunk; Draw draws further
	// pairs, and Smaller are those simpler than one for which the space has none: every chain of them ends. Each
	// may be nil.
	Space   inputs.PairSpace[D]
	Draw    func(r *rand.Rand) inputs.Pair[D]
	Smaller func(p inputs.Pair[D]) []inputs.Pair[D]
	// Evaluations is the number of pairs beyond those given and the edges of the space, at the
	// standard budget; 0 means 2000. As many again may be tried to shrink a violation.
	Evaluations int64
	// Error is as that of a [Cell]; 0 means 1e-9. Outputs of whole numbers up to 2⁴⁵ are exact.
	Error float64
}

// PairFinding is the outcome of a search over pairs.
type PairFinding[D any] struct {
	verify.Evidence
	Smallest *inputs.Pair[D] // the smallest pair beyond the claim; nil where none is
}

const defaultPairs = 2000

// Check names what is wrong with the parameters.
func (p Pairs[D]) Check() error {
	switch {
	case p.Map == nil:
		return errors.New("sensitivity: no map")
	case p.Norm != L1 && p.Norm != L2 && p.Norm != LInf:
		return fmt.Errorf("sensitivity: %s: want L1, L2 or LInf", p.Norm)
	case !(p.Claimed >= 0 && p.Claimed <= math.MaxFloat64):
		return fmt.Errorf("sensitivity: claimed sensitivity %v: want a finite number ≥ 0", p.Claimed)
	case len(p.Given) == 0 && p.Space == nil && p.Draw == nil:
		return errors.New("sensitivity: no pairs of inputs, and nowhere to take them from")
	case p.Evaluations < 0:
		return fmt.Errorf("sensitivity: %d evaluations: want a number ≥ 0", p.Evaluations)
	case !(p.Error >= 0 && p.Error < 1):
		return fmt.Errorf("sensitivity: relative error %v: want one in [0, 1)", p.Error)
	}
	if p.Space != nil {
		if err := p.Space.Check(); err != nil {
			return err
		}
	}
	return inputs.CheckPairs(p.Given)
}

// Prepare searches; nothing is left to sample.
func (p Pairs[D]) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	f, err := p.Find(ctx, s)
	if err != nil {
		return nil, err
	}
	return verify.Decided(f.Evidence), nil
}

// Find searches, and returns the smallest pair beyond the claim as well.
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

// confirm measures the pairs that refute once more, in the other order: a map that remembers what it was
// given before is no function of its input.
func (s *pairSearch[D]) confirm(pairs ...inputs.MeasuredPair[D, difference]) error {
	for _, p := range pairs {
		if m, err := s.measure(p.Swapped()); err != nil || !s.broken(m) {
			return cmp.Or(err, fmt.Errorf("at %s: the map is no function of its input: they differ by %v, and "+
				"when B comes first by %v", p.ShortInputs(), p.Shows.value, m.value))
		}
	}
	return nil
}

// difference between the outputs of a pair, and the most that rounding may have done to it.
type difference struct{ value, slack float64 }

// pairSearch looks for the pair that differs most.
type pairSearch[D any] struct {
	Pairs[D]
	ctx    context.Context
	length int // of all outputs, −1 before the first
}

func (s *pairSearch[D]) broken(d difference) bool { return d.value-d.slack > s.Claimed }

// measure evaluates the map on both inputs, each of them twice.
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
		again, err := s.output(input)
		if err != nil {
			return m, err
		}
		// The order in which numbers are added up may change from run to run.
		if !(floats.Distance(again, out[i], s.Norm.exponent()) <= s.slack(again, out[i])/4) {
			return m, fmt.Errorf("the map is no function of its input: it gives %v and then %v; give the map without its noise",
				out[i], again)
		}
	}
	m = difference{floats.Distance(out[0], out[1], s.Norm.exponent()), s.slack(out[0], out[1])}
	if !(m.value <= math.MaxFloat64 && m.slack <= math.MaxFloat64) {
		return m, fmt.Errorf("outputs as large as %v overflow the %s norm", floats.Norm(out[0], math.Inf(1)), s.Norm)
	}
	return m, nil
}

// mostWhole is the largest whole number that is taken as exact: doubles of its size have fractions.
const mostWhole = 1 << 45

// slack is the most by which rounding may have moved the difference of two outputs: nothing but the arithmetic
// here, where both are whole numbers.
func (s *pairSearch[D]) slack(a, b []float64) float64 {
	size := math.Max(s.Norm.of(a), s.Norm.of(b))
	inexact := func(x float64) bool { return x != math.Trunc(x) || math.Abs(x) > mostWhole }
	if slices.ContainsFunc(a, inexact) || slices.ContainsFunc(b, inexact) {
		return s.Error * math.Max(s.Claimed, size)
	}
	return verify.DefaultRelativeError * floats.Distance(a, b, s.Norm.exponent())
}

// output evaluates the map once, to a slice that is no other's.
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
		return nil, fmt.Errorf("the map gives %d numbers here, and gave %d before: want vectors of one length, between "+
			"which there is a difference", len(out), s.length)
	}
	return slices.Clone(out), nil
}

// finding puts what was found into words.
func (s *pairSearch[D]) finding(found inputs.PairSearchResult[D, difference]) (out PairFinding[D], err error) {
	of := func(m inputs.MeasuredPair[D, difference]) pairStatistics {
		return pairStatistics{m.ShortInputs(), m.Shows.value, m.Shows.slack}
	}
	f := pairsStatistics{Quantity: s.Quantity, Norm: s.Norm.String(), Claimed: s.Claimed, Tried: found.Tried,
		Space: s.Space != nil, Worst: of(found.Worst), Smallest: of(found.Smallest)}
	out.Evidence, err = verify.JudgeStatistics(PairsMethod, f, verify.Settings{})
	if out.Verdict == verify.Refuted {
		out.Smallest = &found.Smallest.Pair
	}
	return out, err
}

// pairLook is what a second look at a search over pairs needs.
type pairLook struct {
	tried           int64
	worst, smallest verify.Cell
	broken          bool
}

func (l pairLook) Tried() verify.Tried {
	return verify.Tried{Cases: l.tried, Case: "pair", Nearest: l.worst,
		Margin: verify.Num(l.worst.Claimed.X - l.worst.Lower.X)}
}

func (l pairLook) Attempt() string { return "" } // a search confirms nothing

func (l pairLook) Counterexample() verify.Counterexample {
	return verify.Counterexample{Cell: l.smallest, Choice: "the smallest that was found"}
}

func (l pairLook) Needed() string {
	return fmt.Sprintf("a proof, or a pair that differs by more than %.4g: no number of pairs shows that none does; the "+
		"%d pairs of this run came to %.4g", l.worst.Claimed.X, l.tried, l.worst.Measured.X)
}
