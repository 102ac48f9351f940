package accountant

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// onlyGaussian returns the Gaussian mechanism that the whole profile is equivalent to, or ErrNotApplicable if the
// profile contains anything else.
func (p *profile) onlyGaussian() (GDP, error) {
	if p.upperOnly || !p.only(func(l leaf) bool { return l.kind == event.KindGaussian && l.q == 1 }) {
		return GDP{}, ErrNotApplicable
	}
	if len(p.terms) == 0 {
		return GDP{}, nil
	}
	return GDP{p.terms[0].a}, nil
}

// onlyLaplace returns ε₀ if the profile is a single Laplace mechanism without sampling, and ErrNotApplicable otherwise.
func (p *profile) onlyLaplace() (float64, error) {
	if p.upperOnly || len(p.terms) != 1 || p.terms[0].count != 1 || p.terms[0].kind != event.KindLaplace ||
		p.terms[0].q < 1 {
		return 0, ErrNotApplicable
	}
	return p.terms[0].a, nil
}

// blackBox removes the lower end of a bracket computed from guarantees, unless every mechanism is the worst one with
// its guarantee.
func (p *profile) blackBox(b Bracket) Bracket {
	worst := func(l leaf) bool {
		return l.q == 1 && (l.kind == event.KindPure || l.kind == event.KindApproximate ||
			l.kind == event.KindRandomizedResponse && l.b == 2 || l.kind == event.KindDiscreteLaplace && l.b == 1)
	}
	if p.upperOnly || !p.only(worst) {
		b.Lower, b.Estimate = 0, b.Upper
	}
	return b
}

// zcdp returns the sum of the terms' ρ, or ErrNotApplicable if a term has none.
func (p *profile) zcdp() (ZCDP, error) {
	rho := 0.0
	for _, t := range p.terms {
		switch {
		case t.kind == event.KindGaussian && t.q == 1:
			rho += t.count * t.a * t.a / 2
		case t.kind == event.KindConcentrated:
			rho += t.count * t.a
		case t.kind == event.KindExponential && t.q == 1:
			rho += t.count * t.a * t.a / 8
		default:
			eps := pureEpsilon(t.leaf)
			if math.IsInf(eps, 1) || t.kind == event.KindApproximate && t.b > 0 {
				return ZCDP{}, ErrNotApplicable
			}
			rho += t.count * eps * eps / 2
		}
	}
	return ZCDP{rho}, nil
}

// renyiMethod returns Rényi accounting with conversion c. It first subtracts the failure probability 1 − Π(1−δ₀) of
// approximate mechanisms, then the probability of infinite loss. The moments and the conversion apply to the remaining
// measures.
func renyiMethod(name string, c Conversion) method {
	return method{
		name: name, theorem: "Rényi DP over all real orders, " + c.String(),
		epsilon: func(p *profile, delta float64, _ Precision) (Bracket, error) {
			rest, lost := p.withoutLost()
			low, _ := remaining(delta, lost)
			gone := rest.lost().High
			if low -= gone * (1 + 4*unit); !(low > 0) {
				return Bracket{}, fmt.Errorf("accountant: Rényi DP proves nothing at δ = %v: %w", delta, ErrNotApplicable)
			}
			e, _ := c.forMass(gone).Epsilon(rest.finiteRenyi, low)
			return above(e), nil
		},
		delta: func(p *profile, epsilon float64, _ Precision) (Bracket, error) {
			rest, lost := p.withoutLost()
			gone := rest.lost().High
			l, _ := c.forMass(gone).LogDelta(rest.finiteRenyi, epsilon)
			d := math.Exp(l * (1 - 4*unit))
			if len(rest.terms) > 0 && d < 1e-300 {
				d = 1e-300 // a value that underflows is not proven to be zero
			}
			d += gone
			return above(math.Min(1, (lost+(1-lost)*d)*(1+1e-14))), nil
		},
	}
}

// forMass returns the conversion for measures that lack the probability gone: Tight becomes pointwise.
func (c Conversion) forMass(gone float64) Conversion {
	if gone > 0 && c == Tight {
		return pointwise
	}
	return c
}

// closedForm returns a method for a formula that gives ε as a decreasing function of δ. It finds δ at ε as a root.
func closedForm(name, theorem string, form func(*profile) (func(delta float64) float64, error)) method {
	return method{
		name: name, theorem: theorem,
		epsilon: func(p *profile, delta float64, _ Precision) (Bracket, error) {
			f, err := form(p)
			if err != nil {
				return Bracket{}, err
			}
			e := f(delta) * (1 + 1e-13)
			if math.IsInf(e, 1) || math.IsNaN(e) {
				return Bracket{}, ErrNotApplicable
			}
			return above(e), nil
		},
		delta: func(p *profile, epsilon float64, _ Precision) (Bracket, error) {
			f, err := form(p)
			if err != nil {
				return Bracket{}, err
			}
			gap := func(logDelta float64) float64 {
				v := f(math.Exp(logDelta))*(1+1e-13) - epsilon
				if math.IsNaN(v) {
					return math.Inf(1)
				}
				return v
			}
			if gap(0) > 0 {
				return above(1), nil
			}
			return above(math.Min(1, math.Exp(numeric.FallingRoot(gap, -690, 0))*(1+1e-12))), nil
		},
	}
}

// composition returns a method for a closed-form composition theorem about pure and approximate DP.
func composition(name, theorem string, bound func([]Guarantee, float64) float64) method {
	return closedForm(name, theorem, func(p *profile) (func(float64) float64, error) {
		parts, ok := p.guarantees()
		if !ok {
			return nil, ErrNotApplicable
		}
		return func(delta float64) float64 { return bound(parts, delta) }, nil
	})
}

// classicalGaussian returns the textbook formula. It is a theorem only for ε < 1. For larger ε the result contains the
// formula as an estimate and certifies nothing.
func classicalGaussian() method {
	m := method{name: "gaussian-classical", theorem: "ε = Δ√(2 log(1.25/δ))/σ, for ε < 1 (Dwork & Roth 2014, Theorem A.1)"}
	m.epsilon = func(p *profile, delta float64, _ Precision) (Bracket, error) {
		g, err := p.onlyGaussian()
		if err != nil || g.Mu == 0 || delta == 0 {
			return Bracket{}, ErrNotApplicable
		}
		e := GaussianClassical(g.Mu, delta)
		if e < 1 {
			return above(e * (1 + 1e-14)), nil
		}
		return Bracket{0, e, math.Inf(1)}, nil
	}
	m.delta = func(p *profile, epsilon float64, _ Precision) (Bracket, error) {
		g, err := p.onlyGaussian()
		if err != nil || g.Mu == 0 {
			return Bracket{}, ErrNotApplicable
		}
		d := math.Min(1, 1.25*math.Exp(-epsilon*epsilon/(2*g.Mu*g.Mu)))
		if epsilon > 0 && epsilon < 1 {
			return above(math.Min(1, d*(1+1e-12)+1e-300)), nil
		}
		return Bracket{0, d, 1}, nil
	}
	m.warn = func(p *profile, epsilon float64) string {
		if epsilon < 1 {
			return ""
		}
		return "the classical Gaussian formula is proven for ε < 1 only; here it certifies nothing"
	}
	return m
}
