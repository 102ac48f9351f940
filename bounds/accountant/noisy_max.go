package accountant

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
)

// permuteAndFlip returns the pair of permute-and-flip. Its upper pair is Laplace noise moved by ε₀:
//
// Permute-and-flip reports the largest score after independent exponential noise of scale 2/ε₀ (Ding, Kifer, Sayed &
// Wasserman 2021). Let S be a set of candidates, A the largest noisy score in S, B the largest one outside S, and
// D = (A − B)·ε₀/2. The mechanism outputs S if D > 0. A record moves every score by at most 1, so it moves D by at most
// ε₀. Let F be the distribution function of D, and f its density.
//
//   - Let Eᵢ be the noisy scores in S, divided by the scale, with densities fᵢ and distribution functions Fᵢ. Then
//     fᵢ ≤ 1 − Fᵢ. The density of their maximum is Σ fᵢ·Π_{j≠i} Fⱼ ≤ Σ (1 − Fᵢ)·Π_{j≠i} Fⱼ. This is the probability
//     that exactly one is larger, so it is at most the probability that the maximum is larger. The same holds for B.
//   - A and B are independent. So the density of D at t is E_B[density of A at t + B] ≤ E_B[P(A > t + B)] = 1 − F(t).
//     It is also E_A[density of B at A − t] ≤ E_A[P(B > A − t)] = F(t). Therefore f ≤ min(F, 1 − F).
//   - The probability p(u) = P(D > −u) grows by p′ ≤ min(p, 1 − p). The solution with equality is the power of the test
//     between Laplace distributions of scale 1 at distance u. So P′(S) is at most this power at the level P(S), with
//     u = ε₀. The power is concave, so this holds for randomized tests too.
//
// A pair dominates a mechanism if its trade-off function is nowhere larger (Dong, Roth & Su 2022). The proof
// holds at all scores, so the Laplace pair also dominates adaptive compositions.
//
// With two candidates, D is Laplace noise moved by the difference of the scores. So two candidates attain each point of
// the trade-off function, but only one point at a time. One run has the δ of Laplace noise. A composition is bracketed:
// the lower pairs are two candidates that exchange their places, or whose equal scores move apart.
func permuteAndFlip(epsilon0 float64) (pld.Pair, error) {
	if !(epsilon0 <= 640) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: want at most 640", epsilon0)
	}
	moved := &mechanism{leaf{kind: event.KindLaplace, a: epsilon0, q: 1}}
	half, far := math.Exp(-epsilon0/2)/2, math.Exp(-epsilon0)/2
	rel := 4 * unit * (1 + epsilon0)
	exchanged, err := pld.NewFinite([]pld.Atom{{P: 1 - half, Q: half}, {P: half, Q: 1 - half}}, rel)
	if err != nil {
		return nil, err
	}
	var apart [2]pld.Pair
	for i, first := range [2]pld.Atom{{P: 0.5, Q: far}, {P: far, Q: 0.5}} {
		if apart[i], err = pld.NewFinite([]pld.Atom{first, {P: 1 - first.P, Q: 1 - first.Q}}, rel); err != nil {
			return nil, err
		}
	}
	return &pld.Bracketed{Above: moved, Below: pld.NewInstances(moved, exchanged, apart[0], apart[1])}, nil
}

// laplaceArgmax returns the pair of the class with the most votes after Laplace noise of scale b. Its upper pair is
// Laplace noise moved by 2/b: the proof of permuteAndFlip needs f ≤ min(F, 1 − F) for the noise of one score, divided
// by its scale, which Laplace noise satisfies. A moved vote changes the difference D by at most 2.
//
// In the lower pair the record decides between two classes, and the other classes are far behind. The difference of two
// Laplace variables of scale 1 is above x ≥ 0 with probability (1 + x/2)e^{−x}/2. The record moves x from −1/b to 1/b.
func laplaceArgmax(e event.Event) (pld.Pair, error) {
	x := 1 / e.A
	if !(x <= 320) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: want at most 640", 2*x)
	}
	far := (1 + x/2) * math.Exp(-x) / 2
	below, err := pld.NewFinite([]pld.Atom{{P: 1 - far, Q: far}, {P: far, Q: 1 - far}}, 8*unit*(1+x))
	above := &mechanism{leaf{kind: event.KindLaplace, a: 2 * x * (1 + 2*unit), q: 1}}
	return &pld.Bracketed{Above: above, Below: below}, err
}

// votes adds count noisy maxima with Laplace noise. All noisy counts determine the class. A moved vote moves two of
// them, each by 1, so the upper end is two Laplace mechanisms. It is never larger than the one of laplaceArgmax: moving
// one coordinate after the other raises the probability p of an event at a rate of at most min(p, 1 − p).
func (p *profile) votes(e event.Event, count float64, counts map[leaf]float64) error {
	l, err := p.pairLeaf(e, 1)
	if err != nil {
		return err
	}
	one := &mechanism{leaf{kind: event.KindLaplace, a: 1 / e.A * (1 + 2*unit), q: 1}}
	counts[p.namedLeaf(e, "vote", &pld.Bracketed{Above: one, Below: pld.Nothing()})] += 2 * count
	below := l.pair.(*pld.Bracketed).Below
	counts[p.namedLeaf(e, "class", &pld.Bracketed{Above: pld.Nothing(), Below: below})] += count
	return nil
}

// rotated returns the profile with the next instance of each mechanism that has several, or nil if none has.
func (p *profile) rotated() *profile {
	rest, found := *p, false
	rest.terms = nil
	for _, t := range p.terms {
		if b, ok := t.pair.(*pld.Bracketed); ok {
			if instances, ok := b.Below.(*pld.Instances); ok {
				t.pair, found = &pld.Bracketed{Above: b.Above, Below: instances.Rotated()}, true
			}
		}
		rest.terms = append(rest.terms, t)
	}
	if !found {
		return nil
	}
	return &rest
}
