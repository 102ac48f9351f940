package accountant

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/lattice"
	"github.com/dpverify/dpverify/bounds/internal/pair"
)

// lawOf is the pair of a law that has a name.
func lawOf(e event.Event) (pair.Pair, error) {
	switch e.Kind {
	case event.KindDiscreteGaussian:
		return pair.NewDiscreteGaussian(e.A, math.Floor(e.Sensitivity))
	case event.KindTruncatedLaplace:
		return truncatedLaplace(e)
	case event.KindUniform:
		lost := math.Min(1, e.Sensitivity/(2*e.A))
		return pair.NewFinite([]pair.Atom{{P: 1 - lost, Q: 1 - lost}, {P: lost}, {Q: lost}}, 4*unit)
	case event.KindThreshold:
		return threshold(e)
	case event.KindPermuteAndFlip:
		return permuteAndFlip(e.A)
	case event.KindNoisyArgmax:
		return noisyArgmax(e)
	default:
		return sparseVector(e)
	}
}

// truncatedLaplace is the law of the losses where both noises may fall; beyond, one of them may not.
func truncatedLaplace(e event.Event) (pair.Pair, error) {
	moves, reach := e.Sensitivity/e.A, e.B/e.A
	if !(moves <= 650) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: at most 650 is accounted", moves)
	}
	if !(e.Sensitivity <= e.B) {
		return nil, fmt.Errorf("one record moves the sum by %v, more than the noise, at most %v", e.Sensitivity, e.B)
	}
	// The mass of the noise beyond the bound less the shift, of 1 − e^{−R/b} in all.
	all := -math.Expm1(-reach)
	lost := math.Exp(moves-reach) * -math.Expm1(-moves) / (2 * all)
	logAll := math.Log(all)
	law := lossLaw{logC: -2*math.Ln2 - moves/2 - logAll, span: moves}
	if low := -math.Expm1(moves - reach); low > 0 {
		law.atoms = []atom{{-moves, math.Log(low) - math.Ln2 - logAll}, {moves, math.Log(low) - math.Ln2 - logAll - moves}}
	}
	const rel = 1e-14
	return &bounded{law, pair.Interval{Low: lost * (1 - rel), High: lost * (1 + rel)}}, nil
}

// threshold is the noise of the count of a partition that both data sets have, and the probability
// that one is released that only one of them has. A partition with many records has the noise alone.
func threshold(e event.Event) (pair.Pair, error) {
	inner := &profile{adjacency: event.AddRemove}
	l, err := inner.leafOf(e.Parts[0], 1)
	if err != nil {
		return nil, err
	}
	noise := &mechanism{l}
	over := (e.B - e.Parts[0].Sensitivity) / e.Parts[0].A
	seen := math.Exp(-over) / 2
	if l.kind == event.KindGaussian {
		seen = math.Erfc(over/math.Sqrt2) / 2
	}
	high := pair.Interval{Low: 0, High: seen*(1+1e-12*(1+over*over)) + 1e-300}
	return &pair.Bracketed{Above: &pair.Losing{Of: noise, Chance: high}, Below: noise}, nil
}

// permuteAndFlip is ε₀-DP (McKenna & Sheldon 2020, Theorem 1). Two candidates whose scores were equal
// and are moved apart by two are told apart as below.
func permuteAndFlip(epsilon0 float64) (pair.Pair, error) {
	if !(epsilon0 <= 640) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: at most 640 is accounted", epsilon0)
	}
	half := math.Exp(-epsilon0) / 2
	below, err := pair.NewFinite([]pair.Atom{{P: 0.5, Q: 1 - half}, {P: 0.5, Q: half}}, 4*unit*(1+epsilon0))
	return &pair.Bracketed{Above: &mechanism{leaf{kind: event.KindPure, a: epsilon0, q: 1}}, Below: below}, err
}

// noisyArgmax is at most the votes with their noise, which move by √2. Two classes of nearly equal
// votes, the others far behind, tell whether their difference is above 0.
func noisyArgmax(e event.Event) (pair.Pair, error) {
	above, err := (&profile{}).leafOf(event.Gaussian(e.A).WithSensitivity(math.Sqrt2*(1+2*unit)), 1)
	if err != nil {
		return nil, err
	}
	far := math.Max(1e-280, math.Erfc(1/e.A/2)/2) // Φ(−μ/2), μ = √2/σ; not 0, which would tell all
	below, err := pair.NewFinite([]pair.Atom{{P: 1 - far, Q: far}, {P: far, Q: 1 - far}}, 1e-14)
	return &pair.Bracketed{Above: &mechanism{above}, Below: below}, err
}

// sparseVector is (ε₁ + ε₂)-DP (Lyu, Su & Li 2017, Theorem 2). One query, half a sensitivity below the
// threshold or above it, is told apart as below.
func sparseVector(e event.Event) (pair.Pair, error) {
	total := (e.A + e.B) * e.Sensitivity * (1 + 4*unit)
	if !(total <= 650) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: at most 650 is accounted", total)
	}
	// The tail at 1/2 of the difference of two Laplace variables of scales a and b, in units of the larger one.
	a, b, x := 1/e.A, 2*float64(e.Count)/e.B, e.Sensitivity/2
	unitOf := math.Max(a, b)
	if a, b, x = a/unitOf, b/unitOf, x/unitOf; !(x >= 0 && unitOf <= math.MaxFloat64) {
		a, b, x = 1, 0, 0 // noise that hides everything
	}
	tail, rel := 0.0, 1e-9
	if math.Abs(a-b) < 1e-4*a {
		s := (a + b) / 2 // the tail is smooth and symmetric in both scales
		tail = (0.5 + x/(4*s)) * math.Exp(-x/s)
		rel = 1e-6
	} else {
		tail = (a*a*math.Exp(-x/a) - b*b*math.Exp(-x/b)) / (2 * (a - b) * (a + b))
	}
	below, err := pair.NewFinite([]pair.Atom{{P: 1 - tail, Q: tail}, {P: tail, Q: 1 - tail}}, rel)
	return &pair.Bracketed{Above: &mechanism{leaf{kind: event.KindPure, a: total, q: 1}}, Below: below}, err
}

// bounded is a law of bounded losses with a mass of infinite ones.
type bounded struct {
	law  lossLaw
	lost pair.Interval
}

func (b *bounded) Losses(float64) (low, high float64)  { return -b.law.span, b.law.span }
func (b *bounded) Lattice() (spacing float64, ok bool) { return b.law.span, true }
func (b *bounded) Smooth() bool                        { return true }
func (b *bounded) LogMoment(alpha float64) float64     { return b.law.logMoment(alpha, alpha-1, 1) }
func (b *bounded) Lost() (p, q pair.Interval)          { return b.lost, b.lost }
func (b *bounded) Symmetric() bool                     { return true }
func (b *bounded) Most() pair.Interval {
	return pair.Interval{Low: b.law.span * (1 - 1e-13), High: b.law.span * (1 + 1e-13)}
}

func (b *bounded) Sampled(float64) (pair.Pair, error) {
	return nil, fmt.Errorf("a sample of it is not accounted")
}

func (b *bounded) Cells(h, tail float64) (above, below *lattice.Cells) {
	c := leaf{kind: event.KindLaplace, a: b.law.span, q: 1}.cellsOf(b.law, h, tail)
	d := *c
	c.Lost, c.LostQ = b.lost.High, b.lost.High
	d.Lost, d.LostQ = b.lost.Low, b.lost.Low
	return c, &d
}
