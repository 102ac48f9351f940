package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// attainment says how to compute a lower bound of the Rényi divergence for a kind of event.
type attainment int

const (
	byParts  attainment = iota + 1 // from the events that it contains
	byPair                         // from the lower end of its pair's moments
	exactly                        // renyi itself, in both orders of the neighbors
	bySample                       // renyi itself if there is no sampling; otherwise see leaf.renyiLow
)

// renyiAttained lists for every kind of event which neighbors attain its Rényi divergence, or a lower bound of it. A
// value that is only an upper bound must not have exactly or bySample.
var renyiAttained = map[event.Kind]struct {
	how attainment
	why string
}{
	event.KindGaussian: {bySample,
		"two normal distributions; if sampled, the mixture is first; replaced records are opposed"},
	event.KindLaplace:            {bySample, "two Laplace distributions"},
	event.KindDiscreteLaplace:    {bySample, "two discrete Laplace distributions"},
	event.KindRandomizedResponse: {bySample, "the reports of two values"},
	event.KindExponential: {bySample,
		"the worst response to one bit with this range; if sampled, the symmetric one"},
	event.KindPure: {bySample, "randomized response is ε₀-DP"},
	event.KindApproximate: {bySample,
		"randomized response if δ₀ = 0; otherwise an (ε₀, δ₀)-DP mechanism may have no bound"},
	event.KindConcentrated: {exactly, "a Gaussian is ρ-zCDP with equality at every order"},

	event.KindPoisson: {byParts,
		"one mechanism on a sample; others have a pair or only an upper bound"},
	event.KindFixedBatches:    {byParts, "the batch of the record"},
	event.KindShuffledBatches: {byParts, "none: the worst permutation is only an upper bound"},
	event.KindCompose:         {byParts, "all parts on one pair of neighbors, without adaptivity"},
	event.KindRepeat:          {byParts, "all runs on one pair of neighbors, without adaptivity"},

	event.KindTable: {byPair, "the table"},
	event.KindMixture: {byPair,
		"two normal distributions if the record contributes with probability 1; else one part of the mixture"},
	event.KindMatrix:             {byPair, "two normal distributions at the lower end of the sensitivity"},
	event.KindDiscreteGaussian:   {byPair, "two discrete Gaussians, except outputs of probability below 1e-290"},
	event.KindTruncatedLaplace:   {byPair, "two truncated Laplace distributions, whose supports differ: +Inf"},
	event.KindUniform:            {byPair, "two uniform distributions, whose supports differ: +Inf"},
	event.KindWithoutReplacement: {byPair, "all other records are opposite to the record"},
	event.KindWithReplacement:    {byPair, "all other records are opposite to the record, as is the one that replaces it"},
	event.KindShuffledReports:    {byPair, "all other users have one value; outputs with nearly equal loss are merged"},
	event.KindTruncatedPoisson:   {byPair, "the other records contribute nothing, and the sample is not cut"},
	event.KindAllocation:         {byPair, "a discretized pair that the epoch dominates"},
	event.KindThreshold:          {byPair, "the noise of a partition in both data sets"},
	event.KindPermuteAndFlip:     {byPair, "two candidates that exchange places, or whose equal scores move apart"},
	event.KindNoisyArgmax:        {byPair, "two classes with nearly equal votes"},
	event.KindLaplaceArgmax:      {byPair, "two classes with nearly equal votes"},
	event.KindSparseVector:       {byPair, "queries on both sides of the threshold"},
	event.KindGroup:              {byParts, "the records of the group change the sum in one direction"},
	event.KindSelect:             {byPair, "one run of the base event, or an explicit ranking of its outputs"},
}

// renyiAccuracy is a generous bound of the relative error of an exact Rényi divergence, whose actual error is 1e-11.
const renyiAccuracy = 1e-10

// renyiLow returns a lower bound of the divergence of order 1 + beta, the larger one of both orders of the neighbors.
// It is +Inf if the supports of two output distributions differ.
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
	larger := math.Max(forth, back) * (1 - 4*unit*float64(len(p.terms)+1))
	return math.Min(larger, p.renyi(beta))
}

// renyiLow returns lower bounds of the divergences of order 1 + beta for one mechanism: forth is the distribution with
// the record relative to the one without it, back the reverse. They are 0 if no neighbors with a known divergence
// exist.
func (l leaf) renyiLow(beta float64) (forth, back float64) {
	if l.pair != nil {
		beta = math.Min(beta, farOrder) // divergences increase with the order
		// Use the next smaller order that is a float64.
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
		minBeta = 0.999e-3 // near order 1, a divergence is a quotient of small numbers
		beyond  = 1e8      // above this, renyi returns a bound instead of the exact value
	)
	how := renyiAttained[l.kind].how
	full := how == exactly || how == bySample && l.q == 1 && !l.opposed
	switch {
	case how != exactly && how != bySample || l.kind == event.KindApproximate && l.b > 0:
		return 0, 0
	case l.kind == event.KindConcentrated || l.kind == event.KindGaussian && full:
		r := l.renyi(beta) * (1 - renyiAccuracy)
		return r, r
	case beta < minBeta && l.kind == event.KindGaussian:
		return 0, 0
	case beta < minBeta:
		if l.kind == event.KindExponential {
			l.kind, l.a = event.KindPure, l.a/2
		}
		return l.law().kullback(l.q)
	case full && l.kind == event.KindLaplace:
		r := l.renyi(beta) * (1 - renyiAccuracy)
		return r, r
	case full && l.kind == event.KindExponential && l.a > 0:
		r := worstResponse(l.a, beta).logMomentLow(1+beta, beta, 1) / beta
		return r, r
	case l.kind == event.KindGaussian && (2*beta+3)*l.a > beyond:
		return 0, 0
	case l.kind == event.KindGaussian:
		r := sampledGaussianRenyiLow(l.q, l.a, beta, l.opposed) * (1 - renyiAccuracy)
		if l.opposed {
			return r, r
		}
		return r, 0 // the mixture first (Mironov, Talwar & Zhang 2019, Theorem 5)
	case l.kind == event.KindExponential:
		l.kind, l.a = event.KindPure, l.a/2
	}
	m := l.law()
	return m.logMomentLow(1+beta, beta, l.q) / beta, m.logMomentLow(-beta, -1-beta, l.q) / beta
}
