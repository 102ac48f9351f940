package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// attainment says which law has the Rényi divergence of a kind of event from below.
type attainment int

const (
	byParts  attainment = iota + 1 // the events that it is made of
	byPair                         // the lower end of the moments of its pair, which says what occurs
	exactly                        // the accountant's own value, in both orders of the neighbours
	bySample                       // the same without sampling; else see leaf.renyiLow
)

// renyiAttained lists for every kind of event whose laws attain its Rényi divergences from below. A value that is
// only an upper bound must not have exactly or bySample.
var renyiAttained = map[event.Kind]struct {
	how attainment
	why string
}{
	event.KindGaussian: {bySample,
		"two normal laws; of a sampled record the mixture stands first, and replaced ones are opposed"},
	event.KindLaplace:            {bySample, "two Laplace laws"},
	event.KindDiscreteLaplace:    {bySample, "two discrete Laplace laws"},
	event.KindRandomizedResponse: {bySample, "the reports of two values"},
	event.KindExponential: {bySample,
		"a response to one bit of this range, the worst for the order; sampled, the symmetric one"},
	event.KindPure: {bySample, "randomized response is ε₀-DP"},
	event.KindApproximate: {bySample,
		"randomized response, if δ₀ = 0; else a mechanism of this (ε₀, δ₀) may have no bound"},
	event.KindConcentrated: {exactly, "a Gaussian is ρ-zCDP with equality at every order"},

	event.KindPoisson: {byParts,
		"one mechanism on a sample; replaced records, and several on one sample, by a pair or from above"},
	event.KindFixedBatches:    {byParts, "the batch of the record"},
	event.KindShuffledBatches: {byParts, "none: the worst permutation is known, which is from above"},
	event.KindCompose:         {byParts, "all parts on one pair of neighbours, without adaptivity"},
	event.KindRepeat:          {byParts, "all runs on one pair of neighbours, without adaptivity"},

	event.KindTable: {byPair, "the table"},
	event.KindMixture: {byPair,
		"two normal laws, if the record contributes for certain; else one part of the mixture"},
	event.KindMatrix:             {byPair, "two normal laws at the lower end of the sensitivity"},
	event.KindDiscreteGaussian:   {byPair, "two discrete Gaussians, but for outputs of probability below 1e-290"},
	event.KindTruncatedLaplace:   {byPair, "two truncated Laplace laws, whose supports differ: +Inf"},
	event.KindUniform:            {byPair, "two uniform laws, whose supports differ: +Inf"},
	event.KindWithoutReplacement: {byPair, "all other records are opposite to the record"},
	event.KindTruncatedPoisson:   {byPair, "the other records contribute nothing, and the sample is not cut"},
	event.KindAllocation:         {byPair, "a discretised pair that the epoch dominates"},
	event.KindThreshold:          {byPair, "the noise of a partition that both data sets have"},
	event.KindPermuteAndFlip:     {byPair, "two candidates of equal scores that part"},
	event.KindNoisyArgmax:        {byPair, "two classes of nearly equal votes"},
	event.KindSparseVector:       {byPair, "queries on either side of the threshold"},
	event.KindSelect:             {byPair, "one run of what is repeated, or an order of its outputs"},
}

// renyiAccuracy is an ample relative error of an exact Rényi divergence; the accountant's own is 1e-11.
const renyiAccuracy = 1e-10

// renyiLow returns a divergence of order 1 + beta of laws that occur: the larger of both orders of the neighbours. It
// is +Inf if the supports of two such laws differ.
func (p *profile) renyiLow(beta float64) float64 {
	switch {
	case p.unequal():
		return math.Inf(1)
	case p.upperOnly:
		return 0
	}
	var forth, back float64
	for _, t := range p.terms {
		f, b := t.renyiLow(beta)
		forth += t.count * f
		back += t.count * b
	}
	most := math.Max(forth, back) * (1 - 4*unit*float64(len(p.terms)+1))
	return math.Min(most, p.renyi(beta))
}

// renyiLow returns divergences of order 1 + beta of a pair of laws of one mechanism that occurs, in both orders: with
// the record from without it, and the reverse. They are 0 if none is known.
func (l leaf) renyiLow(beta float64) (forth, back float64) {
	if l.pair != nil {
		beta = math.Min(beta, farOrder) // divergences grow with the order
		// The next smaller order that is a double is no larger than this one.
		alpha := 1 + beta
		if alpha-1 > beta {
			alpha = math.Nextafter(alpha, 1)
		}
		if beta = alpha - 1; !(beta > 0) {
			return 0, 0
		}
		return math.Max(0, l.pair.LogMoment(alpha).Low/beta), math.Max(0, l.pair.LogMoment(-beta).Low/beta)
	}
	const (
		least  = 0.999e-3 // next to order 1 a divergence is a quotient of small numbers
		beyond = 1e8      // the accountant goes over to a bound
	)
	how := renyiAttained[l.kind].how
	whole := how == exactly || how == bySample && l.q == 1 && !l.opposed
	switch {
	case how != exactly && how != bySample || l.kind == event.KindApproximate && l.b > 0:
		return 0, 0
	case l.kind == event.KindConcentrated || l.kind == event.KindGaussian && whole:
		r := l.renyi(beta) * (1 - renyiAccuracy)
		return r, r
	case beta < least && l.kind == event.KindGaussian:
		return 0, 0
	case beta < least:
		if l.kind == event.KindExponential {
			l.kind, l.a = event.KindPure, l.a/2
		}
		return l.law().kullback(l.q)
	case whole && l.kind == event.KindLaplace:
		r := l.renyi(beta) * (1 - renyiAccuracy)
		return r, r
	case whole && l.kind == event.KindExponential && l.a > 0:
		r := worstResponse(l.a, beta).logMomentLow(1+beta, beta, 1) / beta
		return r, r
	case l.kind == event.KindGaussian && (2*beta+3)*l.a > beyond:
		return 0, 0
	case l.kind == event.KindGaussian:
		r := sampledGaussianRenyiLow(l.q, l.a, beta, l.opposed) * (1 - renyiAccuracy)
		if l.opposed {
			return r, r
		}
		return r, 0 // of a mixture first (Mironov, Talwar & Zhang 2019, Theorem 5)
	case l.kind == event.KindExponential:
		l.kind, l.a = event.KindPure, l.a/2
	}
	m := l.law()
	return m.logMomentLow(1+beta, beta, l.q) / beta, m.logMomentLow(-beta, -1-beta, l.q) / beta
}
