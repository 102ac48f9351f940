package pld

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Epoch is one epoch of random allocation.
type Epoch struct {
	Sigma float64 // noise multiplier of a step, standard deviation / sensitivity, from 0.1 (Replace: 0.2) to 1e6
	Steps int     // t, from 1 to 1e6
	Picks int     // k, the number of steps a record takes part in, 1 ≤ k ≤ t
	// Replace means that neighbors differ in the value of one record, not in its presence. Both values are allocated to
	// the same steps, and each contributes at most the sensitivity.
	Replace bool
	// Step is the pair of a step if the noise is not Gaussian. Sigma is then unused, Replace must be false, and Picks is
	// at most 128.
	Step StepPair
}

// Factor is an upper bound of Count independent parts of an epoch, each with the same pair.
type Factor struct {
	AllocatedPair
	Count int

	// for moments of R's tail: 1/σ and the cut point
	shift, cut float64
	single     *above
}

// AllocatedPair bounds both orders of a pair. Remove is P against Q and Add is Q against P, where Q lacks the record.
// With Replace they are the same.
type AllocatedPair struct{ Remove, Add *AllocationLaw }

// Limits of Epoch's fields and of the number of cells.
const (
	leastSigma, mostSigma = 0.1, 1e6
	mostSteps             = 1e6
	leastCells            = 16
	mostCells             = 1 << 14
	mostPicks             = 128 // with more picks, the lower bound uses only the sum of the outputs
)

func (e Epoch) check(cells int) error {
	minSigma := leastSigma
	if e.Replace {
		minSigma *= 2
	}
	switch {
	case e.Step != nil && e.Replace:
		return fmt.Errorf("%w: a replaced record needs Gaussian noise in random allocation, want an added or removed record",
			numeric.ErrDomain)
	case e.Step != nil && e.Picks > mostPicks:
		return fmt.Errorf("%w: picks = %d, want at most %d unless the noise is Gaussian", numeric.ErrDomain, e.Picks,
			mostPicks)
	case e.Step == nil && !(e.Sigma >= minSigma && e.Sigma <= mostSigma):
		return fmt.Errorf("%w: sigma = %v, want a noise multiplier from %v to %v", numeric.ErrDomain, e.Sigma, minSigma,
			mostSigma)
	case e.Steps < 1 || e.Steps > mostSteps:
		return fmt.Errorf("%w: steps = %d, want 1 to %.0f steps of an epoch", numeric.ErrDomain, e.Steps, float64(mostSteps))
	case e.Picks < 1 || e.Picks > e.Steps:
		return fmt.Errorf("%w: picks = %d, want 1 to %d, the steps of an epoch", numeric.ErrDomain, e.Picks, e.Steps)
	case cells < leastCells || cells > mostCells:
		return fmt.Errorf("%w: %d cells, want %d to %d", numeric.ErrDomain, cells, leastCells, mostCells)
	}
	return nil
}

// Upper returns factors whose composition dominates the epoch: its hockey-stick curves are at least those of the
// mechanism for all γ ≥ 0. Each factor has about cells atoms. With 1000 cells and one pick, both bounds of ε differ by
// about 0.2 %, which is proportional to 1/cells². The work is of order cells²·log t. With Replace the work is of order
// cells³·log t, the bounds differ by a few percent, and the distributions have cells/10 atoms. The error wraps
// numeric.ErrDomain.
func (e Epoch) Upper(cells int) ([]Factor, error) {
	if err := e.check(cells); err != nil {
		return nil, err
	}
	size, rest := e.Steps/e.Picks, e.Steps%e.Picks
	var factors []Factor
	for _, group := range []struct{ steps, count int }{{size, e.Picks - rest}, {size + 1, rest}} {
		if group.count == 0 {
			continue
		}
		f := Factor{Count: group.count}
		switch shift := 1 / e.Sigma; {
		case e.Step != nil:
			one, infinite := e.Step.spread(cells)
			f.Remove, f.Add = one.times(group.steps, cells).laws(infinite)
		case !e.Replace:
			one, infinite := stepAbove(shift, cells)
			f.shift, f.cut, f.single = shift, one.reach, one.times(group.steps, cells)
			f.Remove, f.Add = f.single.laws(infinite)
		case group.steps == 1: // a Gaussian mechanism
			one, infinite := stepAbove(2*shift, cells)
			f.Remove, _ = one.laws(infinite)
			f.Add = f.Remove
		default:
			f.Remove = opposedAbove(shift, group.steps, cells)
			f.Add = f.Remove
		}
		factors = append(factors, f)
	}
	return factors, nil
}

// Lower returns a pair that the epoch dominates: its hockey-stick curves are at most those of the worst mechanism for
// all γ ≥ 0. With several picks the pair has fewer atoms, so that the work is similar to one pick; it takes up to a
// second for a hundred picks. The error wraps numeric.ErrDomain.
func (e Epoch) Lower(cells int) (AllocatedPair, error) {
	if err := e.check(cells); err != nil {
		return AllocatedPair{}, err
	}
	if e.Step == nil && (e.Picks > mostPicks || e.Picks == e.Steps) {
		// The mean of the outputs is one Gaussian mechanism, which is sufficient if all steps are taken. More noise
		// gives a lower bound.
		mean := math.Sqrt(float64(e.Steps)) / float64(e.Picks) * e.Sigma * (1 + 1e-15)
		e.Sigma, e.Steps, e.Picks = math.Max(mean, 2*leastSigma), 1, 1
	}
	if e.Picks > 1 {
		cells = min(cells, max(96, 4*cells/(e.Picks+3)))
	}
	if e.Replace && e.Picks == 1 && e.Steps > 1 {
		law := opposedBelow(e, cells)
		return AllocatedPair{law, law}, nil
	}
	s := newStatistic(e)
	b := s.times(e.Steps, cells)
	if e.Step != nil {
		return s.lowerOf(b, cells), nil
	}
	if e.Replace {
		law := s.law(b, s.taken(0), s.taken(1))
		return AllocatedPair{law, law}, nil
	}
	return AllocatedPair{s.law(b, s.taken(0), 0), s.law(b, 0, s.taken(0))}, nil
}

// times returns the sum of n independent copies of a, on grids of about cells points.
func (a *above) times(n, cells int) *above {
	return repeat(a, n, func(x, y *above) *above { return x.plus(y, cells) })
}

// times returns the distribution of the statistic after n steps, with about cells cells.
func (s *statistic) times(n, cells int) *below {
	return repeat(s.step(cells), n, func(x, y *below) *below { return s.plus(x, y, cells) })
}

// repeat returns the sum of n copies of one, by doubling from the first binary digit of n on.
func repeat[T any](one T, n int, plus func(a, b T) T) T {
	bit := 1
	for 2*bit <= n {
		bit *= 2
	}
	sum := one
	for bit /= 2; bit > 0; bit /= 2 {
		sum = plus(sum, sum)
		if n&bit != 0 {
			sum = plus(sum, one)
		}
	}
	return sum
}
