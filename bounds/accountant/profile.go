package accountant

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// leaf is one mechanism in normal form: its noise is in units of the maximum change that the adjacency allows. Leaves
// are comparable, so that equal steps are counted together.
type leaf struct {
	kind event.Kind
	// a is μ (sensitivity / σ) of a Gaussian, ε₀ of the pure kinds, the rate of a discrete Laplace, or ρ. b is the
	// number of categories, δ₀, or the integer sensitivity of a discrete Laplace.
	a, b float64
	// q is the rate of Poisson sampling; 1 means no sampling.
	q float64
	// opposed marks the Poisson-sampled Gaussian under ReplaceOne. The old and the new record have opposite
	// contributions, and a is the μ of one of them.
	opposed bool
	// pair is the dominating pair of a mechanism without a formula. name identifies the pair.
	name string
	pair pld.Pair
}

type term struct {
	leaf
	count float64
}

// profile is the flattened event: the composed mechanisms, their counts, and the assumptions made on the way. The
// composition theorems used here do not depend on the order, so terms are sorted and merged.
type profile struct {
	adjacency event.Adjacency
	// group is the number of records in which neighbors differ. single is the event of a group.
	group  int64
	single event.Event
	// ruleless is set if only the rule for whole curves is known for the group. terms is then empty.
	ruleless         bool
	epsilons, deltas account // accounts of one record, for a group
	// spread is set inside batches: the records of a group may be in different batches.
	spread bool
	terms  []term
	// upperOnly is set if an amplification or domination bound replaced a mechanism. Results are then only upper
	// bounds.
	upperOnly bool
	// hidden is the log of the probability that thresholds release no partition of the record, if it is alone in its
	// partition in every run.
	hidden      float64
	shuffled    []shuffledEpoch
	named       map[string]pld.Pair // pairs by name
	assumptions []string
	warnings    []string
}

// shuffledEpoch is one epoch of a Gaussian step over shuffled batches.
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

// newProfile flattens an event under an adjacency.
func newProfile(e event.Event, adj event.Adjacency) (*profile, error) {
	if err := e.Validate(); err != nil {
		return nil, err
	}
	if adj != event.AddRemove && adj != event.ReplaceOne {
		return nil, event.DomainError("unknown adjacency %d", int(adj))
	}
	p := &profile{adjacency: adj, group: 1, single: e}
	if e.Kind == event.KindGroup {
		p.group, p.single = e.Count, e.Parts[0]
	}
	p.assume("adjacency " + adj.String())
	p.assumeGroup()
	counts := map[leaf]float64{}
	if err := p.flatten(p.single, 1, 1, counts); err != nil {
		return nil, err
	}
	const maxExact = 1e15 // number of steps up to which float64 still counts exactly
	for _, l := range sortedLeaves(counts) {
		if n := counts[l]; !(n <= maxExact) {
			return nil, event.DomainError("%g repetitions of one mechanism, want at most %g", n, maxExact)
		}
	}
	p.merge(counts)
	return p, nil
}

// flatten adds count copies of e, sampled at rate q, to counts.
func (p *profile) flatten(e event.Event, q, count float64, counts map[leaf]float64) error {
	switch e.Kind {
	case event.KindCompose:
		if q < 1 && len(e.Parts) > 1 {
			return p.flattenJoint(e, q, count, counts)
		}
		for _, part := range e.Parts {
			if err := p.flatten(part, q, count, counts); err != nil {
				return err
			}
		}
		return nil
	case event.KindRepeat:
		if e.Count == 0 {
			return nil
		}
		if q < 1 && e.Count > 1 {
			return p.flattenJoint(e, q, count, counts)
		}
		return p.flatten(e.Parts[0], q, count*float64(e.Count), counts)
	case event.KindPoisson:
		p.assume(fmt.Sprintf("Poisson sampling: every record joins each step independently with probability %g", e.A))
		return p.flatten(e.Parts[0], q*e.A, count, counts)
	case event.KindFixedBatches:
		p.assume(fmt.Sprintf("fixed partition into %d batches: a record is used in one step an epoch, no "+
			"amplification by sampling", e.Count))
		p.warn("batches of a fixed partition are not Poisson samples: no amplification is claimed")
		return p.flattenBatches(e, q, count, counts)
	case event.KindShuffledBatches:
		return p.flattenShuffled(e, q, count, counts)
	}
	if q == 0 || count == 0 {
		return nil
	}
	if !(q >= 1e-100) {
		return event.DomainError("records sampled with probability %g, want at least 1e-100", q)
	}
	if p.group > 1 {
		return p.flattenGroup(e, q, count, counts)
	}
	switch e.Kind {
	case event.KindWithoutReplacement, event.KindTruncatedPoisson:
		return p.flattenBatch(e, q, count, counts)
	case event.KindWithReplacement, event.KindShuffledReports:
		return p.flattenReplaced(e, q, count, counts)
	case event.KindAllocation:
		return p.flattenAllocation(e, q, count, counts)
	case event.KindSelect:
		return p.flattenSelection(e, q, count, counts)
	case event.KindThreshold:
		return p.flattenThreshold(e, q, count, counts)
	case event.KindLaplaceArgmax:
		if q == 1 {
			return p.votes(e, count, counts)
		}
	}
	leafOf := p.leafOf
	if e.Kind.OfPair() {
		leafOf = p.pairLeaf
	}
	l, err := leafOf(e, q)
	if err == nil {
		counts[l] += count
	}
	return err
}

// flattenJoint handles several mechanisms that run on the same sample, which is not a composition of sampled
// mechanisms. Gaussians merge into one Gaussian. For other mechanisms, the lengths of log-odds intervals and the ε add
// up.
func (p *profile) flattenJoint(e event.Event, q, count float64, counts map[leaf]float64) error {
	inner := map[leaf]float64{}
	sub := &profile{adjacency: event.AddRemove}
	if err := sub.flatten(e, 1, 1, inner); err != nil {
		return err
	}
	mu2 := 0.0
	for _, l := range sortedLeaves(inner) {
		if l.kind != event.KindGaussian || l.q < 1 || len(sub.shuffled) > 0 {
			return p.flattenPure(e, l.kind, q, count, counts)
		}
		mu2 += inner[l] * l.a * l.a
	}
	p.upperOnly = p.upperOnly || sub.upperOnly
	for _, s := range sub.assumptions {
		p.assume(s)
	}
	if mu2 == 0 {
		return nil
	}
	return p.flatten(event.Gaussian(1/math.Sqrt(mu2)), q, count, counts)
}

func (p *profile) flattenShuffled(e event.Event, q, count float64, counts map[leaf]float64) error {
	p.assume(fmt.Sprintf("shuffled into %d equal batches: bounded by its worst fixed permutation, where a record is "+
		"used in one step an epoch", e.Count))
	p.warn("shuffled batches are not Poisson samples: no amplification by sampling is proven for them")
	if p.adjacency == event.AddRemove {
		p.assume("a removed record leaves its place in its batch empty")
	}
	if e.Parts[0].Kind == event.KindGaussian && q == 1 {
		g := e.Parts[0]
		p.shuffled = append(p.shuffled, shuffledEpoch{g.Sensitivity / g.A, e.Count})
	}
	p.upperOnly = true
	return p.flattenBatches(e, q, count, counts)
}

// flattenBatches adds the mechanism of a batch.
func (p *profile) flattenBatches(e event.Event, q, count float64, counts map[leaf]float64) error {
	was := p.spread
	p.spread = true
	err := p.flatten(e.Parts[0], q, count, counts)
	p.spread = was
	return err
}

// subject names the records that differ between neighbors.
func (p *profile) subject() string {
	if p.group > 1 {
		return fmt.Sprintf("the group of %d records together", p.group)
	}
	return "one record"
}

// merge converts counts to sorted terms. It merges unsampled Gaussians, because Gaussians with μᵢ compose exactly to
// √Σμᵢ² (Dong, Roth & Su 2019). It also adds up the ρ of zCDP guarantees.
func (p *profile) merge(counts map[leaf]float64) {
	for _, l := range sortedLeaves(counts) {
		p.terms = append(p.terms, term{l, counts[l]})
	}
	mu2, rho := 0.0, 0.0
	rest := p.terms[:0]
	for _, t := range p.terms {
		switch {
		case t.kind == event.KindGaussian && t.q == 1:
			mu2 += t.count * t.a * t.a
		case t.kind == event.KindConcentrated:
			rho += t.count * t.a
		case t.pair != nil || pureEpsilon(t.leaf) > 0 || (t.kind == event.KindApproximate && t.b > 0):
			rest = append(rest, t)
		}
	}
	if rho > 0 {
		rest = append(rest, term{leaf{kind: event.KindConcentrated, a: rho, q: 1}, 1})
	}
	if mu2 > 0 {
		rest = append(rest, term{leaf{kind: event.KindGaussian, a: math.Sqrt(mu2), q: 1}, 1})
	}
	p.terms = rest
}

func sortedLeaves(counts map[leaf]float64) []leaf {
	return slices.SortedFunc(maps.Keys(counts), compareLeaves)
}

func compareLeaves(x, y leaf) int {
	return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.a, y.a), cmp.Compare(x.b, y.b), cmp.Compare(x.q, y.q),
		cmp.Compare(x.name, y.name))
}

// pureTotal returns the ε of the whole composition at δ = 0, by basic composition of the pure parts.
func (p *profile) pureTotal() float64 {
	total := 0.0
	for _, t := range p.terms {
		if t.kind == event.KindApproximate && t.b > 0 {
			return math.Inf(1)
		}
		total = numeric.SumUp(total, numeric.ProductUp(t.count, pureEpsilon(t.leaf)))
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
