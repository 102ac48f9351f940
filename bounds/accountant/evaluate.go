package accountant

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// Options of an evaluation. The zero value evaluates every applicable method.
type Options struct {
	// Methods restricts the evaluation to these names (see the function Methods).
	Methods []string
	// Precision of the privacy-loss distribution.
	Precision Precision
}

// method is one row of the table of bounds. epsilon computes ε at δ and delta computes δ at ε. An error that wraps
// ErrNotApplicable excludes the method from the results. warn is optional.
type method struct {
	name    string
	theorem string
	epsilon func(p *profile, delta float64, w Precision) (Bracket, error)
	delta   func(p *profile, epsilon float64, w Precision) (Bracket, error)
	warn    func(p *profile, epsilon float64) string
	group   bool // the method is for groups whose terms are unknown
}

var methods = append([]method{
	{
		name: "gaussian-exact", theorem: "exact for Gaussians, μ² adding up (Balle & Wang 2018, Theorem 8; " +
			"Dong, Roth & Su 2019)",
		epsilon: func(p *profile, delta float64, _ Precision) (Bracket, error) {
			g, err := p.onlyGaussian()
			if err != nil {
				return Bracket{}, err
			}
			return g.Epsilon(delta)
		},
		delta: func(p *profile, epsilon float64, _ Precision) (Bracket, error) {
			g, err := p.onlyGaussian()
			if err != nil {
				return Bracket{}, err
			}
			return g.Delta(epsilon)
		},
	},
	{
		name: "one-run", theorem: "the hockey-stick divergence of one run, from the probabilities of its outputs",
		epsilon: func(p *profile, delta float64, _ Precision) (Bracket, error) { return p.oneRunEpsilon(delta) },
		delta:   func(p *profile, epsilon float64, _ Precision) (Bracket, error) { return p.oneRunDelta(epsilon) },
	},
	{
		name: "laplace-exact", theorem: "exact for one Laplace release: δ = 1 − e^{(ε−ε₀)/2}",
		epsilon: func(p *profile, delta float64, _ Precision) (Bracket, error) {
			eps0, err := p.onlyLaplace()
			if err != nil {
				return Bracket{}, err
			}
			return LaplaceEpsilon(eps0, delta)
		},
		delta: func(p *profile, epsilon float64, _ Precision) (Bracket, error) {
			eps0, err := p.onlyLaplace()
			if err != nil {
				return Bracket{}, err
			}
			return LaplaceDelta(eps0, epsilon)
		},
	},
	{
		name: methodPLD, theorem: "privacy-loss distribution, certified from both sides (connect-the-dots above, " +
			"Doroshenko et al. 2022; tangents below)",
		epsilon: (*profile).lossEpsilon, delta: (*profile).lossDelta,
	},
	{
		name: "optimal-composition", theorem: "optimal composition of (ε₀, δ₀)-DP black boxes (Kairouz, Oh & Viswanath " +
			"2015; Murtagh & Vadhan 2016)",
		epsilon: func(p *profile, delta float64, _ Precision) (Bracket, error) {
			epsilonAt, _, err := p.optimal()
			if err != nil {
				return Bracket{}, err
			}
			b, err := epsilonAt(delta)
			return p.blackBox(b), err
		},
		delta: func(p *profile, epsilon float64, _ Precision) (Bracket, error) {
			_, deltaAt, err := p.optimal()
			if err != nil {
				return Bracket{}, err
			}
			b, err := deltaAt(epsilon)
			return p.blackBox(b), err
		},
	},
	renyiMethod("rdp", Tight),
	renyiMethod("rdp-classical", Mironov),
	{
		name: "zcdp", theorem: "zCDP (ε²/2 of pure DP, Bun & Steinke 2016; ε²/8 of bounded range, Cesar & Rogers 2021), " +
			"best known conversion (Canonne, Kamath & Steinke 2020)",
		epsilon: func(p *profile, delta float64, _ Precision) (Bracket, error) {
			z, err := p.zcdp()
			if err != nil {
				return Bracket{}, err
			}
			b, err := z.Epsilon(delta)
			if !p.only(func(l leaf) bool { return l.kind == event.KindGaussian }) {
				b.Lower = 0
			}
			return p.oneSided(b), err
		},
		delta: func(p *profile, epsilon float64, _ Precision) (Bracket, error) {
			z, err := p.zcdp()
			if err != nil {
				return Bracket{}, err
			}
			b, err := z.Delta(epsilon)
			if !p.only(func(l leaf) bool { return l.kind == event.KindGaussian }) {
				b.Lower = 0
			}
			return p.oneSided(b), err
		},
	},
	closedForm("zcdp-classical", "ε = ρ + 2√(ρ log(1/δ)) (Bun & Steinke 2016, Proposition 1.3)",
		func(p *profile) (func(float64) float64, error) {
			z, err := p.zcdp()
			return z.EpsilonClassical, err
		}),
	composition("advanced-composition-kov", "closed forms of Kairouz, Oh & Viswanath (2015), Theorems 3.4 and 3.5",
		AdvancedCompositionKOV),
	composition("advanced-composition", "advanced composition (Dwork, Rothblum & Vadhan 2010)", AdvancedComposition),
	composition("basic-composition", "ε and δ add up (Dwork et al. 2006)", BasicComposition),
	classicalGaussian(),
	{
		name: "one-base-run", theorem: "repeat-and-select: a lower bound, by a score that does not look at the data",
		epsilon: func(p *profile, delta float64, w Precision) (Bracket, error) {
			base, err := p.withoutSelection()
			if err != nil {
				return Bracket{}, err
			}
			b, err := base.lossEpsilon(delta, w)
			return Bracket{b.Lower, b.Lower, math.Inf(1)}, err
		},
		delta: func(p *profile, epsilon float64, w Precision) (Bracket, error) {
			base, err := p.withoutSelection()
			if err != nil {
				return Bracket{}, err
			}
			b, err := base.lossDelta(epsilon, w)
			return Bracket{b.Lower, b.Lower, 1}, err
		},
	},
	{
		name: "shuffled-lower", theorem: "one epoch, one pair, one event: a lower bound (Chua et al. 2024)",
		epsilon: func(p *profile, delta float64, _ Precision) (Bracket, error) {
			if len(p.shuffled) == 0 {
				return Bracket{}, ErrNotApplicable
			}
			best := 0.0
			for _, s := range p.shuffled {
				best = math.Max(best, shuffledLower(s.mu, s.batches, delta, p.adjacency))
			}
			return Bracket{best, best, math.Inf(1)}, nil
		},
		delta: func(*profile, float64, Precision) (Bracket, error) { return Bracket{}, ErrNotApplicable },
	},
}, groupMethods()...)

// methodPLD is the name of the method that uses privacy-loss distributions.
const methodPLD = "pld"

// Methods returns the names of all methods in the order of the results.
func Methods() []string {
	names := []string{"best"}
	for _, m := range methods {
		names = append(names, m.name)
	}
	return names
}

// Epsilons computes ε at 0 ≤ delta ≤ 1 by every applicable method. The first result is "best", the intersection of the
// others. It returns an error that wraps event.ErrDomain for invalid arguments or events, ErrNotApplicable if a
// requested method does not apply, and ErrBreach if brackets contradict each other.
func Epsilons(e event.Event, adj event.Adjacency, delta float64, o Options) ([]Result, error) {
	if !(delta >= 0 && delta <= 1) {
		return nil, event.DomainError("δ = %v, it must be in [0, 1]", delta)
	}
	return evaluate(e, adj, o, func(m method, p *profile) (Bracket, error) { return m.epsilon(p, delta, o.Precision) },
		math.Inf(1))
}

// Deltas computes δ at a finite epsilon ≥ 0 by every applicable method. Its results and errors are like those of
// Epsilons.
func Deltas(e event.Event, adj event.Adjacency, epsilon float64, o Options) ([]Result, error) {
	if !(epsilon >= 0 && epsilon <= math.MaxFloat64) {
		return nil, event.DomainError("ε = %v, it must be ≥ 0 and finite", epsilon)
	}
	return evaluate(e, adj, o, func(m method, p *profile) (Bracket, error) {
		const smallest = 1e-300
		b, err := m.delta(p, epsilon, o.Precision)
		if b.Upper < smallest && epsilon < p.pureTotal() { // a value that underflows is not proven to be zero
			b.Lower, b.Upper = 0, smallest
		}
		return b, err
	}, 1)
}

// evaluate runs the methods and combines their results. limit is the largest possible answer. If a result is not a
// valid bracket, or contradicts another result, the error wraps ErrBreach.
func evaluate(e event.Event, adj event.Adjacency, o Options, ask func(method, *profile) (Bracket, error),
	limit float64) ([]Result, error) {
	for _, name := range o.Methods {
		if !slices.Contains(Methods(), name) {
			return nil, event.DomainError("method %q is none of %s", name, strings.Join(Methods(), ", "))
		}
	}
	p, err := newProfile(e, adj)
	if errors.Is(err, errNoGroupRule) {
		p, err = curveProfile(e, adj)
	}
	if err != nil {
		return nil, err
	}
	p.epsilons, p.deltas = Epsilons, Deltas
	if len(p.terms) == 0 && !p.ruleless {
		return nothingReleased(p, o), nil
	}
	wanted := func(name string) bool { return len(o.Methods) == 0 || slices.Contains(o.Methods, name) }
	computed := []Result{}
	for _, m := range inOrder(wanted) {
		if !wanted(m.name) && !wanted("best") || p.ruleless && !m.group {
			continue
		}
		if m.name == methodPLD && !wanted(methodPLD) && settled(computed) {
			continue
		}
		b, err := ask(m, p)
		if errors.Is(err, ErrNotApplicable) || errors.Is(err, event.ErrDomain) {
			if len(o.Methods) > 0 && wanted(m.name) {
				return nil, fmt.Errorf("accountant: %s does not apply to %s: %w", m.name, e, err)
			}
			continue
		}
		if b, err = sealedUpTo(m.name, b, err, limit); err != nil {
			return nil, breachOf(err, e)
		}
		r := Result{Method: m.name, Bracket: b, Assumptions: append(slices.Clone(p.assumptions), m.theorem),
			Warnings: slices.Clone(p.warnings)}
		if m.warn != nil {
			if w := m.warn(p, b.Estimate); w != "" {
				r.Warnings = append(r.Warnings, w)
			}
		}
		computed = append(computed, r)
	}
	slices.SortStableFunc(computed, func(a, b Result) int {
		return cmp.Compare(slices.Index(Methods(), a.Method), slices.Index(Methods(), b.Method))
	})
	if err := agreeing(computed); err != nil {
		return nil, breachOf(err, e)
	}
	results := slices.DeleteFunc(slices.Clone(computed), func(r Result) bool { return !wanted(r.Method) })
	if wanted("best") {
		best := Result{Method: "best", Bracket: intersection(computed, limit), Assumptions: slices.Clone(p.assumptions),
			Warnings: p.warnings}
		best.Assumptions = append(best.Assumptions, "the largest lower and the least upper end of the methods below")
		results = append([]Result{best}, results...)
	}
	return results, nil
}

// inOrder returns the methods. The privacy-loss distribution comes last unless its own result is wanted.
func inOrder(wanted func(string) bool) []method {
	if wanted(methodPLD) {
		return methods
	}
	order := slices.Clone(methods)
	i := slices.IndexFunc(order, func(m method) bool { return m.name == methodPLD })
	return append(slices.Delete(order, i, i+1), methods[i])
}

// settled reports whether a privacy-loss distribution cannot improve the results: their bracket is already narrower
// than a bracket from a lattice.
func settled(results []Result) bool {
	const narrow = 1e-9
	b := intersection(results, math.Inf(1))
	return b.Lower == b.Upper || b.Lower < b.Upper && b.Width() <= narrow*b.Upper && !math.IsInf(b.Upper, 1)
}

// intersection returns the intersection of all brackets, with the estimate of the narrowest one. limit is the largest
// possible answer.
func intersection(results []Result, limit float64) Bracket {
	best, narrowest := Bracket{0, limit, limit}, math.Inf(1)
	for _, r := range results {
		best.Lower, best.Upper = math.Max(best.Lower, r.Lower), math.Min(best.Upper, r.Upper)
		if w := r.Width(); w < narrowest {
			narrowest, best.Estimate = w, r.Estimate
		}
	}
	best.Estimate = math.Min(best.Upper, math.Max(best.Lower, best.Estimate))
	return best
}

// nothingReleased returns zero brackets for an event in which no record ever takes part.
func nothingReleased(p *profile, o Options) []Result {
	names := o.Methods
	if len(names) == 0 {
		names = []string{"best"}
	}
	var results []Result
	for _, name := range names {
		results = append(results, Result{Method: name,
			Assumptions: append(slices.Clone(p.assumptions), "nothing that depends on a record is released"),
			Warnings:    p.warnings})
	}
	return results
}
