package accountant

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// errNoGroupRule is wrapped if no pair of a group is known for a mechanism. Only ε and δ of the whole release are then
// bounded: see group_curve.go.
var errNoGroupRule = errors.New("no pair of a group is known")

// flattenGroup adds count copies of a mechanism for a group of k > 1 records. The group is in every step. The rules, by
// mechanism:
//
//   - Noise on a sum: the group moves the sum k times as far as one record. It attains this if all its records
//     contribute the same.
//   - Gaussian noise on a Poisson sample: each record of the group is in the sample independently. So the contribution
//     of the group has norm at most jΔ with the probability of j under Bin(k, q). See pld.Mixture.
//   - A pure guarantee: an ε-DP mechanism raises the probability p of an event to at most g(p) = min(e^ε p,
//     1 − e^−ε(1 − p)) per record, so to at most g applied k times (Dong, Roth & Su 2022, Theorem 2.14). Let X be
//     discrete Laplace noise of rate ε. Then g(P(X ≥ j)) = P(X ≥ j − 1) at all integers j, and g has its only corner
//     at P(X ≥ 1). So g applied k times has its corners at P(X ≥ j) for j = 1, …, k, and is the power of the test
//     between X and X + k. Discrete Laplace noise itself is ε-DP and attains it.
//   - Bounded range: the k intervals of log-odds add up.
//   - ρ-zCDP: k²ρ (Bun & Steinke 2016, Proposition 27).
//   - (ε, δ)-DP: (kε, δ(e^{kε} − 1)/(e^ε − 1)), see groupFactor.
//   - Noisy maxima: every score or vote count moves k times as far as for one record, in the upper and the lower pair.
//   - Randomized response: k reports. It is attained if every record reports its own value. One report is the lower
//     pair.
//
// In batches, the group may be spread over several steps. Then the rules hold for which k₁ + … + kₙ records in separate
// steps are dominated by all of them in one step: shifts of Gaussian and of (discrete) Laplace noise, and guarantees,
// which hold for a whole epoch per record. Choices in later steps may depend on earlier ones, so intervals of log-odds
// add up within a step only.
func (p *profile) flattenGroup(e event.Event, q, count float64, counts map[leaf]float64) error {
	k := float64(p.group)
	add := func(l leaf, err error) error {
		if err == nil {
			counts[l] += count
		}
		return err
	}
	switch {
	case e.Kind == event.KindGaussian && q < 1 && !p.spread:
		return add(p.sampledGroup(e, k, q))
	case e.Kind == event.KindWithoutReplacement && !p.spread && q == 1:
		return add(p.batchGroup(e, k))
	case e.Kind == event.KindRandomizedResponse && q == 1:
		return p.reports(e, count, counts)
	case e.Kind == event.KindApproximate && e.B > 0:
		l, err := p.leafOf(e, q)
		p.upperOnly = true
		l.a, l.b = k*l.a*(1+unit), math.Min(1, l.b*groupFactor(k, l.a))
		return add(l, err)
	case (e.Kind == event.KindPermuteAndFlip || e.Kind == event.KindExponential && !p.spread) && q == 1:
		e.A = numeric.ProductUp(k, e.A)
	case (e.Kind == event.KindNoisyArgmax || e.Kind == event.KindLaplaceArgmax) && q == 1:
		e.A /= k * (1 + unit)
	case e.Kind == event.KindConcentrated && q == 1:
		e.A = numeric.ProductUp(k*k, e.A)
	case (e.Kind == event.KindGaussian || e.Kind == event.KindLaplace || e.Kind == event.KindMatrix) && q == 1:
		e.Sensitivity = numeric.ProductUp(k, e.Sensitivity)
	case (e.Kind == event.KindDiscreteLaplace || e.Kind == event.KindDiscreteGaussian && !p.spread) && q == 1:
		e.Sensitivity = k * math.Floor(e.Sensitivity)
	case (e.Kind == event.KindTruncatedLaplace || e.Kind == event.KindUniform) && q == 1 && !p.spread:
		e.Sensitivity = numeric.ProductUp(k, e.Sensitivity)
	default:
		return p.pureGroup(e, q, count, counts)
	}
	if err := e.Validate(); err != nil {
		return err
	}
	return add(p.oneLeaf(e, q))
}

func (p *profile) assumeGroup() {
	if p.group > 1 {
		p.assume(fmt.Sprintf("neighbors differ by a group of up to %d records, all of them added, removed or replaced, each "+
			"sampled as described", p.group))
	}
}

// oneLeaf returns the leaf of one mechanism for one record.
func (p *profile) oneLeaf(e event.Event, q float64) (leaf, error) {
	if e.Kind.OfPair() {
		return p.pairLeaf(e, q)
	}
	return p.leafOf(e, q)
}

// noGroupRule returns the error for a mechanism without a pair of the group.
func (p *profile) noGroupRule(e event.Event) error {
	return event.DomainError("group of %d in %s: %w; want ε at a δ, or δ at an ε", p.group, e, errNoGroupRule)
}

// sampledGroup returns the leaf of a group under Gaussian noise on a Poisson sample.
func (p *profile) sampledGroup(e event.Event, k, q float64) (leaf, error) {
	shifts, weights := make([]float64, 0, int(k)+1), make([]float64, 0, int(k)+1)
	for j := 0.0; j <= k; j++ {
		shifts, weights = append(shifts, j), append(weights, math.Exp(numeric.LogBinomial(k, j, q, 1-q)))
	}
	return p.mixtureGroup(e, shifts, weights)
}

// mixtureGroup returns the leaf of a Gaussian whose sum the group moves by one of the shifts.
func (p *profile) mixtureGroup(e event.Event, shifts, weights []float64) (leaf, error) {
	const (
		most     = 64     // shifts
		smallest = 1e-280 // weight
	)
	for _, w := range weights {
		if len(weights) > most || !(w >= smallest) {
			return leaf{}, p.noGroupRule(e)
		}
	}
	return p.pairLeaf(event.GaussianMixture(e.A, shifts, weights).WithSensitivity(e.Sensitivity), 1)
}

// batchGroup returns the leaf of a group in batches of m of n records, drawn without replacement, if all the group is
// added. n includes the group. Consider a batch without the group, which is a uniform set B of m of the other n − k
// records. Replacing J uniformly chosen members of B by J uniformly chosen members of the group gives a batch with the
// group, if J is hypergeometric. So both outputs are mixtures over B, and given B the sum moves by at most 2JΔ. The
// divergence is jointly convex, so the mixture of shifts 2jΔ dominates. It is attained if all other records contribute
// the opposite of the group.
func (p *profile) batchGroup(e event.Event, k float64) (leaf, error) {
	g, m, n := e.Parts[0], e.B, float64(e.Count)
	switch {
	case p.adjacency == event.ReplaceOne:
		return leaf{}, p.noGroupRule(e)
	case !(m <= n-k):
		return leaf{}, event.DomainError("%s: without a group of %g there are fewer records than in a batch", e, k)
	case g.Kind != event.KindGaussian:
		return leaf{}, event.DomainError("a group of %g in %s: only Gaussian noise is supported, since the rule for one "+
			"record holds for one number of records; use replace-one", k, e)
	}
	p.assume(fmt.Sprintf("every batch holds %g of %g records, each set of them equally likely", m, n))
	var shifts, weights []float64
	log := 0.0
	for i := range int(k) { // no record of the group: Π (n − m − i)/(n − i)
		log += math.Log1p(-m / (n - float64(i)))
	}
	for j := 0.0; j <= math.Min(k, m); j++ {
		shifts, weights = append(shifts, 2*j), append(weights, math.Exp(log))
		log += math.Log((k - j) / (j + 1) * (m - j) / (n - k - m + j + 1))
	}
	return p.mixtureGroup(g, shifts, weights)
}

// reports adds randomized response, once for each record of the group.
func (p *profile) reports(e event.Event, count float64, counts map[leaf]float64) error {
	l, err := p.leafOf(e, 1)
	if err != nil || l.a == 0 {
		return err
	}
	p.assume(fmt.Sprintf("%s: between one report for the group and one report for each of its records", e))
	above := &pld.Bracketed{Above: &mechanism{l}, Below: pld.Nothing()}
	group := event.Group(p.group, e)
	counts[p.namedLeaf(group, "each", above)] += count * float64(p.group)
	counts[p.namedLeaf(group, "one", &pld.Bracketed{Above: pld.Nothing(), Below: &mechanism{l}})] += count
	return nil
}

// pureGroup adds the pair of an ε-DP mechanism. Unless only its guarantee is known, the lower pair is the one of a
// single record.
func (p *profile) pureGroup(e event.Event, q, count float64, counts map[leaf]float64) error {
	if len(e.Parts) > 0 { // neither leafOf nor pairLeaf knows its pair
		return p.noGroupRule(e)
	}
	was := p.upperOnly
	l, err := p.oneLeaf(e, q)
	if err != nil {
		return err
	}
	epsilon := pureEpsilon(l)
	switch {
	case epsilon == 0:
		return nil
	case !(epsilon*float64(p.group) <= 1e8):
		return p.noGroupRule(e)
	}
	above := leaf{kind: event.KindDiscreteLaplace, a: epsilon, b: float64(p.group), q: 1}
	if l.kind == event.KindPure && q == 1 {
		counts[above] += count
		return nil
	}
	below := &mechanism{l}
	bracket := &pld.Bracketed{Above: &mechanism{above}, Below: below}
	if l.pair != nil {
		bracket.Below = l.pair
	}
	if p.upperOnly && !was {
		bracket.Below = pld.Nothing()
	}
	counts[p.namedLeaf(event.Group(p.group, e), fmt.Sprint(q), bracket)] += count
	return nil
}

// groupFactor returns (e^{kε} − 1)/(e^ε − 1), rounded up. If neighbors have P(S) ≤ e^ε Q(S) + δ for every event S, then
// k of these steps give P(S) ≤ e^{kε} Q(S) + δ(1 + e^ε + … + e^{(k−1)ε}).
func groupFactor(k, epsilon float64) float64 {
	if epsilon == 0 {
		return k
	}
	return math.Expm1(k*epsilon) / math.Expm1(epsilon) * (1 + 1e-13*(1+k*epsilon))
}
