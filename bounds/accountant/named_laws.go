package accountant

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// lawOf is the pair of a law that has a name.
func lawOf(e event.Event) (pld.Pair, error) {
	switch e.Kind {
	case event.KindDiscreteGaussian:
		return pld.NewDiscreteGaussian(e.A, math.Floor(e.Sensitivity))
	case event.KindTruncatedLaplace:
		return truncatedLaplace(e)
	case event.KindUniform:
		lost := math.Min(1, e.Sensitivity/(2*e.A))
		return pld.NewFinite([]pld.Atom{{P: 1 - lost, Q: 1 - lost}, {P: lost}, {Q: lost}}, 4*unit)
	case event.KindPermuteAndFlip: // ε₀-DP (McKenna & Sheldon 2020, Theorem 1)
		below, err := pld.Flipped(e.A)
		return &pld.Bracketed{Above: pureAt(e.A), Below: below}, err
	case event.KindNoisyArgmax:
		return noisyArgmax(e)
	default:
		return sparseVector(e)
	}
}

// truncatedLaplace is the law of the losses where both noises may fall; beyond, one of them may not.
func truncatedLaplace(e event.Event) (pld.Pair, error) {
	moves, reach := e.Sensitivity/e.A, e.B/e.A
	if moves >= 2*reach {
		return pld.NewFinite([]pld.Atom{{P: 1}, {Q: 1}}, 0)
	}
	span := math.Min(moves, 2*reach-moves) // the largest finite loss
	if !(span <= 650) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: at most 650 is accounted", span)
	}
	// The mass of the noise beyond the bound less the shift, of 1 − e^{−R/b} in all; which is on the other side of 0
	// where the shift is larger than the bound.
	logAll := numeric.Log1mExp(-reach)
	kept := -math.Expm1(moves-2*reach) / 2
	lost := math.Exp(moves-reach-logAll) * -math.Expm1(-moves) / 2
	law := lossLaw{span: span}
	if moves <= reach {
		kept = 1 - lost
		if low := -math.Expm1(moves - reach); low > 0 {
			log := math.Log(low) - math.Ln2 - logAll - math.Log(kept)
			law.atoms = []atom{{-moves, log}, {moves, log - moves}}
		}
	} else {
		kept *= math.Exp(reach - moves - logAll)
		lost = 1 - kept
	}
	law.logC = -2*math.Ln2 - moves/2 - logAll - math.Log(kept)
	const rel = 1e-14
	return &pld.Losing{Of: &bounded{law, 1}, Chance: pld.Interval{Low: lost * (1 - rel),
		High: math.Min(1, lost*(1+rel)+math.SmallestNonzeroFloat64)}}, nil
}

// flattenThreshold adds the thresholded release of a partition. The pair above is the noise of the count of a partition
// that both data sets have, and the probability that one is released that only one of them has; a partition with many
// records has the noise alone. The records of a sampled partition are sampled too and may hide the one in question, so
// the noise gives no lower end then. A partition without other records gives a lower end, sampled or not: see
// profile.hidden. If a record is replaced, the old record leaves one partition and the new one joins another.
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

// pureAt is a black box that is ε-DP.
func pureAt(epsilon float64) pld.Pair {
	return &mechanism{leaf{kind: event.KindPure, a: epsilon, q: 1}}
}

// noisyArgmax is at most the votes with their noise, which move by √2.
func noisyArgmax(e event.Event) (pld.Pair, error) {
	above, err := (&profile{}).leafOf(event.Gaussian(e.A).WithSensitivity(math.Sqrt2*(1+2*unit)), 1)
	if err != nil {
		return nil, err
	}
	below, err := pld.Voted(e.A)
	return &pld.Bracketed{Above: &mechanism{above}, Below: below}, err
}

// sparseVector is (ε₁ + ε₂)-DP (Lyu, Su & Li 2017, Theorem 2).
func sparseVector(e event.Event) (pld.Pair, error) {
	total := (e.A + e.B) * e.Sensitivity * (1 + 4*unit)
	if !(total <= 650) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: at most 650 is accounted", total)
	}
	below, err := pld.Sparse(e.A, e.B, float64(e.Count), e.Sensitivity)
	return &pld.Bracketed{Above: pureAt(total), Below: below}, err
}

// bounded is a law of bounded losses, on a Poisson sample at rate q.
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
	_, most := b.Losses(0)
	return pld.Interval{Low: most * (1 - 1e-13), High: most * (1 + 1e-13)}
}

func (b *bounded) Sampled(q float64) (pld.Pair, error) { return &bounded{b.law, q * b.q}, nil }

func (b *bounded) Cells(h, tail float64) (above, below *pld.Cells) {
	c := leaf{kind: event.KindLaplace, a: b.law.span, q: b.q}.cellsOf(b.law, h, tail)
	return c, c
}
