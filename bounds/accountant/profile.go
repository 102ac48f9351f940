package accountant

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/internal/logmath"
)

// leaf is one mechanism in normal form: noise in units of what the adjacency
// lets one record move. Comparable, so that equal steps are counted together.
type leaf struct {
	kind kind
	// a is μ (sensitivity over σ) for a Gaussian, ε₀ for the pure kinds, the
	// rate of a discrete Laplace, ρ; b is the number of categories, δ₀, or the
	// integer sensitivity of a discrete Laplace.
	a, b float64
	// q < 1 is the rate of Poisson sampling.
	q float64
	// opposed marks the Poisson-sampled Gaussian under ReplaceOne: the old and
	// the new record push in opposite directions, a is the μ of one of them.
	opposed bool
}

type term struct {
	leaf
	count float64
}

// profile is the flattened event: what is composed, how often, and what was
// assumed on the way. Since composition theorems here do not depend on the
// order, terms are sorted and merged.
type profile struct {
	adjacency Adjacency
	terms     []term
	// upperOnly is set where an amplification or domination bound replaced a
	// mechanism, so that what is computed bounds it from above alone.
	upperOnly   bool
	shuffled    []shuffledEpoch
	assumptions []string
	warnings    []string
}

// shuffledEpoch is one epoch over shuffled batches of a Gaussian step.
type shuffledEpoch struct {
	mu      float64
	batches int64
}

func (p *profile) assume(s string) { p.assumptions = appendOnce(p.assumptions, s) }
func (p *profile) warn(s string)   { p.warnings = appendOnce(p.warnings, s) }

func appendOnce(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// newProfile flattens an event under an adjacency relation.
func newProfile(e Event, adj Adjacency) (*profile, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	if adj != AddRemove && adj != ReplaceOne {
		return nil, domainError("unknown adjacency %d", int(adj))
	}
	p := &profile{adjacency: adj}
	p.assume("adjacency " + adj.String())
	counts := map[leaf]float64{}
	if err := p.flatten(e, 1, 1, counts); err != nil {
		return nil, err
	}
	const most = 1e15 // steps, which doubles still count one by one
	for _, l := range sortedLeaves(counts) {
		if n := counts[l]; !(n <= most) {
			return nil, domainError("%g repetitions of one mechanism, at most %g are accounted", n, most)
		}
	}
	p.merge(counts)
	return p, nil
}

// flatten adds count copies of e, sampled at rate q, to counts.
func (p *profile) flatten(e Event, q, count float64, counts map[leaf]float64) error {
	switch e.kind {
	case compose:
		if q < 1 && len(e.parts) > 1 {
			return p.flattenJoint(e, q, count, counts)
		}
		for _, part := range e.parts {
			if err := p.flatten(part, q, count, counts); err != nil {
				return err
			}
		}
		return nil
	case repeat:
		if e.count == 0 {
			return nil
		}
		if q < 1 && e.count > 1 {
			return p.flattenJoint(e, q, count, counts)
		}
		return p.flatten(e.parts[0], q, count*float64(e.count), counts)
	case poisson:
		p.assume(fmt.Sprintf("Poisson sampling: every record joins each step independently with probability %g", e.a))
		return p.flatten(e.parts[0], q*e.a, count, counts)
	case fixedBatches:
		p.assume(fmt.Sprintf("fixed partition into %d batches: a record is used in one step an epoch, no amplification by sampling", e.count))
		p.warn("batches of a fixed partition are not Poisson samples: no amplification is claimed")
		return p.flatten(e.parts[0], q, count, counts)
	case shuffledBatches:
		return p.flattenShuffled(e, q, count, counts)
	}
	if q == 0 || count == 0 {
		return nil
	}
	l, err := p.leafOf(e, q)
	if err == nil {
		counts[l] += count
	}
	return err
}

// flattenJoint handles several mechanisms run on one and the same sample. That
// is not a composition of sampled mechanisms; Gaussians alone merge into one.
func (p *profile) flattenJoint(e Event, q, count float64, counts map[leaf]float64) error {
	inner := map[leaf]float64{}
	sub := &profile{adjacency: AddRemove}
	if err := sub.flatten(e, 1, 1, inner); err != nil {
		return err
	}
	mu2 := 0.0
	for _, l := range sortedLeaves(inner) {
		if l.kind != gaussian || l.q < 1 || len(sub.shuffled) > 0 {
			return domainError("a Poisson sample shared by several mechanisms is only supported for Gaussians (found %s); sample each step instead", kindNames[l.kind])
		}
		mu2 += inner[l] * l.a * l.a
	}
	for _, s := range sub.assumptions {
		p.assume(s)
	}
	if mu2 == 0 {
		return nil
	}
	return p.flatten(Gaussian(1/math.Sqrt(mu2)), q, count, counts)
}

func (p *profile) flattenShuffled(e Event, q, count float64, counts map[leaf]float64) error {
	p.assume(fmt.Sprintf("shuffled into %d equal batches: bounded by its worst fixed permutation, where a record is used in one step an epoch", e.count))
	p.warn("shuffled batches are not Poisson samples: no amplification by sampling is proven for them")
	if p.adjacency == AddRemove {
		p.assume("a removed record leaves its place in its batch empty")
	}
	if e.parts[0].kind == gaussian && q == 1 {
		g := e.parts[0]
		p.shuffled = append(p.shuffled, shuffledEpoch{g.sensitivity / g.a, e.count})
	}
	p.upperOnly = true
	return p.flatten(e.parts[0], q, count, counts)
}

// leafOf brings one mechanism into normal form.
func (p *profile) leafOf(e Event, q float64) (leaf, error) {
	factor := 1.0
	noisy := e.kind == gaussian || e.kind == laplace || e.kind == discreteLaplace
	if noisy {
		p.assume(fmt.Sprintf("%s: one record contributes at most %g", e, e.sensitivity))
		if p.adjacency == ReplaceOne {
			factor = 2
			p.warn("replace-one moves a sum by twice the contribution bound: noise calibrated to add/remove hides half as much")
		}
	}
	l := leaf{kind: e.kind, a: e.a, b: e.b, q: q}
	switch e.kind {
	case gaussian:
		l.a = factor * e.sensitivity / e.a
		if q < 1 && p.adjacency == ReplaceOne {
			l.a, l.opposed = e.sensitivity/e.a, true
		}
	case laplace:
		l.a = factor * e.sensitivity / e.a
	case discreteLaplace:
		l.b = factor * math.Floor(e.sensitivity)
	case randomizedResponse:
		if p.adjacency == AddRemove || q < 1 {
			p.assume("rr: an absent record reports some fixed category")
		}
	default:
		p.assume(fmt.Sprintf("%s: its guarantee is stated for %s", e, p.adjacency))
	}
	reach := l.a
	if l.kind == discreteLaplace {
		reach *= l.b
	}
	if !(reach <= 1e8) {
		return leaf{}, domainError("%s: the privacy loss of one step would exceed 1e8; there is no privacy to account", e)
	}
	if noisy && !(reach >= 1e-100) {
		return leaf{}, domainError("%s: the privacy loss of one step would be below 1e-100; there is nothing to account", e)
	}
	if q == 1 || l.opposed {
		return l, nil
	}
	if e.kind == concentrated {
		return leaf{}, domainError("no amplification by sampling is known for a bare zCDP guarantee")
	}
	if p.adjacency == ReplaceOne || e.kind == approximate {
		return p.amplified(l, e), nil
	}
	return l, nil
}

// amplified replaces a sampled mechanism by the guarantee of amplification by
// subsampling, ε′ = log(1 + q(e^ε − 1)), δ′ = qδ (Balle, Barthe & Gaboardi
// 2018, Theorem 8). It needs the guarantee between a sample with the record and
// one without it, also under ReplaceOne. What is known for replaced records
// alone may show who was drawn: joint convexity then leaves ε′ = ε, δ′ = qδ.
func (p *profile) amplified(l leaf, e Event) leaf {
	p.upperOnly = true
	blackBox := l.kind == pure || l.kind == approximate || l.kind == exponential
	if blackBox && p.adjacency == ReplaceOne {
		p.assume(fmt.Sprintf("%s: stated for replaced records, it may show who was sampled; sampling makes its δ smaller, not its ε", e))
		if l.kind == approximate {
			l.b *= l.q
		}
		l.q = 1
		return l
	}
	p.assume(fmt.Sprintf("%s: sampling enters by ε′ = log(1 + q(e^ε − 1)) alone", e))
	eps := pureEpsilon(l)
	small := math.Log1p(l.q * math.Expm1(eps))
	if eps > 700 {
		small = logmath.LogAddExp(math.Log1p(-l.q), eps+math.Log(l.q))
	}
	if l.kind == approximate {
		return leaf{kind: approximate, a: small, b: l.q * l.b, q: 1}
	}
	return leaf{kind: pure, a: small, q: 1}
}

// merge turns counts into sorted terms; unsampled Gaussians become one, since
// k of them with μᵢ are exactly one with √Σμᵢ² (Dong, Roth & Su 2019), and so
// do bare zCDP guarantees, whose ρ add up.
func (p *profile) merge(counts map[leaf]float64) {
	for _, l := range sortedLeaves(counts) {
		p.terms = append(p.terms, term{l, counts[l]})
	}
	mu2, rho := 0.0, 0.0
	rest := p.terms[:0]
	for _, t := range p.terms {
		switch {
		case t.kind == gaussian && t.q == 1:
			mu2 += t.count * t.a * t.a
		case t.kind == concentrated:
			rho += t.count * t.a
		case pureEpsilon(t.leaf) > 0 || (t.kind == approximate && t.b > 0):
			rest = append(rest, t)
		}
	}
	if rho > 0 {
		rest = append(rest, term{leaf{kind: concentrated, a: rho, q: 1}, 1})
	}
	if mu2 > 0 {
		rest = append(rest, term{leaf{kind: gaussian, a: math.Sqrt(mu2), q: 1}, 1})
	}
	p.terms = rest
}

func sortedLeaves(counts map[leaf]float64) []leaf {
	return slices.SortedFunc(maps.Keys(counts), compareLeaves)
}

func compareLeaves(x, y leaf) int {
	return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(x.q, y.q))
}

// pureEpsilon returns the ε at δ = 0 of one mechanism (for approximate, of its
// part outside δ₀), +Inf if there is none.
func pureEpsilon(l leaf) float64 {
	eps := math.Inf(1)
	switch l.kind {
	case laplace, randomizedResponse, exponential, pure, approximate:
		eps = l.a
	case discreteLaplace:
		eps = l.a * l.b
	}
	if l.q < 1 && !l.opposed && !math.IsInf(eps, 1) {
		if eps > 700 {
			return logmath.LogAddExp(math.Log1p(-l.q), eps+math.Log(l.q))
		}
		// The add direction can be no larger: −log(1 − q(1 − e^−ε)) ≤ log(1 + q(e^ε − 1)).
		return math.Log1p(l.q * math.Expm1(eps))
	}
	return eps
}

// pureTotal returns the ε at δ = 0 of the whole composition (basic composition
// of the pure parts).
func (p *profile) pureTotal() float64 {
	total := 0.0
	for _, t := range p.terms {
		if t.kind == approximate && t.b > 0 {
			return math.Inf(1)
		}
		total += t.count * pureEpsilon(t.leaf)
	}
	return total
}

// only reports whether every term satisfies the predicate.
func (p *profile) only(ok func(leaf) bool) bool {
	return !slices.ContainsFunc(p.terms, func(t term) bool { return !ok(t.leaf) })
}

// steps returns the number of composed mechanisms.
func (p *profile) steps() float64 {
	n := 0.0
	for _, t := range p.terms {
		n += t.count
	}
	return n
}
