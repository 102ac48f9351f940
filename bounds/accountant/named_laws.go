package accountant

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// lawOf returns the pair of a mechanism with its own distribution.
func lawOf(e event.Event) (pld.Pair, error) {
	switch e.Kind {
	case event.KindDiscreteGaussian:
		return pld.NewDiscreteGaussian(e.A, math.Floor(e.Sensitivity))
	case event.KindTruncatedLaplace:
		return truncatedLaplace(e)
	case event.KindUniform:
		lost := math.Min(1, e.Sensitivity/(2*e.A))
		return pld.NewFinite([]pld.Atom{{P: 1 - lost, Q: 1 - lost}, {P: lost}, {Q: lost}}, 4*unit)
	case event.KindPermuteAndFlip:
		return permuteAndFlip(e.A)
	case event.KindNoisyArgmax:
		return noisyArgmax(e)
	case event.KindLaplaceArgmax:
		return laplaceArgmax(e)
	case event.KindSparseVector:
		return sparseVector(e)
	}
	return nil, fmt.Errorf("no pair is known for %s", e)
}

// truncatedLaplace returns the distribution of the losses on the common support of both noises, and the probability of
// the outputs that only one of them can produce.
func truncatedLaplace(e event.Event) (pld.Pair, error) {
	moves, reach := e.Sensitivity/e.A, e.B/e.A
	if moves >= 2*reach {
		return pld.NewFinite([]pld.Atom{{P: 1}, {Q: 1}}, 0)
	}
	span := math.Min(moves, 2*reach-moves) // the largest finite loss
	if !(span <= 650) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: want at most 650", span)
	}
	// low is the probability that the noise exceeds the bound minus the shift, divided by 1 − e^{−R/b}. If the shift is
	// larger than the bound, the common support is on the other side of 0.
	logAll := numeric.Log1mExp(-reach)
	probability := -math.Expm1(moves-2*reach) / 2
	lost := math.Exp(moves-reach-logAll) * -math.Expm1(-moves) / 2
	law := lossLaw{span: span}
	if moves <= reach {
		probability = 1 - lost
		if low := -math.Expm1(moves - reach); low > 0 {
			log := math.Log(low) - math.Ln2 - logAll - math.Log(probability)
			law.atoms = []atom{{-moves, log}, {moves, log - moves}}
		}
	} else {
		probability *= math.Exp(reach - moves - logAll)
		lost = 1 - probability
	}
	law.logC = -2*math.Ln2 - moves/2 - logAll - math.Log(probability)
	const rel = 1e-14
	return &pld.Losing{Of: &bounded{law, 1}, Chance: pld.Interval{Low: lost * (1 - rel),
		High: math.Min(1, lost*(1+rel)+math.SmallestNonzeroFloat64)}}, nil
}

// flattenThreshold adds the thresholded release of a partition. The upper pair combines the noise of the count, if both
// data sets have the partition, with the probability of releasing a partition that only one data set has. Without
// sampling, the noise alone gives the lower pair, since a partition may have many records. If the partition is sampled,
// its other records are sampled too and may hide the record, so there is no such lower end. A partition without other
// records always gives a lower end: see profile.hidden. If a record is replaced, the old record leaves one partition
// and the new one joins another.
func (p *profile) flattenThreshold(e event.Event, q, count float64, counts map[leaf]float64) error {
	p.assume(fmt.Sprintf("%s: a record is in one partition, and contributes its sensitivity", e))
	inner := &profile{adjacency: event.AddRemove}
	l, err := inner.leafOf(e.Parts[0], 1)
	if err != nil {
		return err
	}
	noise := &mechanism{l}
	over := (e.B - e.Parts[0].Sensitivity) / e.Parts[0].A
	seen := math.Exp(-over) / 2
	if l.kind == event.KindGaussian {
		seen = math.Erfc(over/math.Sqrt2) / 2
	}
	rel := 1e-12*(1+over*over) + 4*unit*(1+over)*e.B/e.Parts[0].A
	high := pld.Interval{Low: 0, High: math.Min(1, seen*(1+rel)+1e-300)}
	p.hidden += count * math.Log1p(-q*math.Max(0, seen*(1-rel)-1e-300))
	bracket := &pld.Bracketed{Above: &pld.Losing{Of: noise, Chance: high}, Below: noise}
	var law pld.Pair = bracket
	if q < 1 {
		bracket.Below = pld.Nothing()
		if law, err = law.Sampled(q); err != nil {
			return err
		}
	}
	one := p.namedLeaf(e, fmt.Sprint(q), law)
	counts[one] += count
	if p.adjacency == event.ReplaceOne {
		if !one.pair.Symmetric() {
			one = p.namedLeaf(e, fmt.Sprint(q, " joined"), pld.Reverse(law))
		}
		counts[one] += count
	}
	return nil
}

// pureAt returns the pair of an ε-DP guarantee.
func pureAt(epsilon float64) pld.Pair {
	return &mechanism{leaf{kind: event.KindPure, a: epsilon, q: 1}}
}

// noisyArgmax returns the pair of a noisy argmax. It is dominated by the release of the noisy vote counts, which move
// by √2.
func noisyArgmax(e event.Event) (pld.Pair, error) {
	above, err := (&profile{}).leafOf(event.Gaussian(e.A).WithSensitivity(math.Sqrt2*(1+2*unit)), 1)
	if err != nil {
		return nil, err
	}
	below, err := pld.Voted(e.A)
	return &pld.Bracketed{Above: &mechanism{above}, Below: below}, err
}

// sparseVector returns the pair of the sparse vector technique, which is (ε₁ + ε₂)-DP (Lyu, Su & Li 2017, Theorem 2).
func sparseVector(e event.Event) (pld.Pair, error) {
	total := (e.A + e.B) * e.Sensitivity * (1 + 4*unit)
	if !(total <= 650) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: want at most 650", total)
	}
	below, err := pld.Sparse(e.A, e.B, float64(e.Count), e.Sensitivity)
	return &pld.Bracketed{Above: pureAt(total), Below: below}, err
}

// bounded is a distribution of bounded losses, on a Poisson sample at rate q.
type bounded struct {
	law lossLaw
	q   float64
}

func (b *bounded) Losses(float64) (low, high float64) {
	_, low = numeric.MixtureRatio(b.q, -b.law.span)
	_, high = numeric.MixtureRatio(b.q, b.law.span)
	return low, high
}

func (b *bounded) Lattice() (spacing float64, ok bool) {
	if len(b.law.atoms) == 0 {
		return 0, true
	}
	return b.law.span, b.q == 1
}

func (b *bounded) Smooth() bool              { return true }
func (b *bounded) Lost() (p, q pld.Interval) { return p, q }
func (b *bounded) Symmetric() bool           { return b.q == 1 }

func (b *bounded) LogMoment(alpha float64) pld.Interval {
	return pld.Interval{Low: b.law.logMomentLow(alpha, alpha-1, b.q), High: b.law.logMoment(alpha, alpha-1, b.q)}
}

func (b *bounded) Most() pld.Interval {
	_, maxLoss := b.Losses(0)
	return pld.Interval{Low: maxLoss * (1 - 1e-13), High: maxLoss * (1 + 1e-13)}
}

func (b *bounded) Sampled(q float64) (pld.Pair, error) { return &bounded{b.law, q * b.q}, nil }

func (b *bounded) Cells(h, tail float64) (above, below *pld.Cells) {
	c := leaf{kind: event.KindLaplace, a: b.law.span, q: b.q}.cellsOf(b.law, h, tail)
	return c, c
}
