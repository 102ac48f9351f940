package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// attainment names the distributions that give a lower end of the Rényi divergence for a kind of event.
type attainment int

const (
	byParts  attainment = iota + 1 // the parts of the event
	byPair                         // the lower end of the moments of its pair, which lists distributions that occur
	exactly                        // the accountant's own value, in both orders of the neighbours
	bySample                       // the same without sampling; otherwise see leaf.renyiLow
)

// renyiAttained lists, for every kind of event, the distributions that give lower ends of its Rényi divergences. A
// value that is only an upper bound must not have exactly or bySample.
var renyiAttained = map[event.Kind]struct {
	how attainment
	why string
}{
	event.KindGaussian:           {bySample, "two normal laws; a sampled record's mixture is the first, and replaced records are opposed"},
	event.KindLaplace:            {bySample, "two Laplace laws"},
	event.KindDiscreteLaplace:    {bySample, "two discrete Laplace laws"},
	event.KindRandomizedResponse: {bySample, "the reports of two values"},
	event.KindExponential:        {bySample, "a response to one bit of this range, the worst for the order; on a sample, the symmetric one"},
	event.KindPure:               {bySample, "randomized response is ε₀-DP"},
	event.KindApproximate:        {bySample, "randomized response, if δ₀ = 0; else a mechanism of this (ε₀, δ₀) may have no bound"},
	event.KindConcentrated:       {exactly, "a Gaussian is ρ-zCDP with equality at every order"},

	event.KindPoisson:         {byParts, "one mechanism on a sample; for replaced records or several mechanisms, a pair or none"},
	event.KindFixedBatches:    {byParts, "the batch of the record"},
	event.KindShuffledBatches: {byParts, "none: only the worst permutation is known, which gives an upper end"},
	event.KindCompose:         {byParts, "all parts on one pair of neighbours, without adaptivity"},
	event.KindRepeat:          {byParts, "all runs on one pair of neighbours, without adaptivity"},

	event.KindTable:              {byPair, "the table"},
	event.KindMixture:            {byPair, "two normal laws, if the record certainly contributes; otherwise one part of the mixture"},
	event.KindMatrix:             {byPair, "two normal laws at the lower end of the sensitivity"},
	event.KindDiscreteGaussian:   {byPair, "two discrete Gaussians, except for outputs of probability below 1e-290"},
	event.KindTruncatedLaplace:   {byPair, "two truncated Laplace laws, whose supports differ: +Inf"},
	event.KindUniform:            {byPair, "two uniform laws, whose supports differ: +Inf"},
	event.KindWithoutReplacement: {byPair, "all other records are opposite to the record"},
	event.KindTruncatedPoisson:   {byPair, "the other records contribute nothing, and the sample is not cut"},
	event.KindAllocation:         {byPair, "a discretised pair that the epoch dominates"},
	event.KindThreshold:          {byPair, "the noise of a partition that both data sets have"},
	event.KindPermuteAndFlip:     {byPair, "two candidates with equal scores that move in opposite directions"},
	event.KindNoisyArgmax:        {byPair, "two classes of nearly equal votes"},
	event.KindSparseVector:       {byPair, "queries on either side of the threshold"},
	event.KindSelect:             {byPair, "one run of the repeated mechanism, or an order of its outputs"},
}

// renyiAccuracy is an upper bound on the relative error of an exact Rényi divergence; the accountant's own error is
// 1e-11.
const renyiAccuracy = 1e-10

// renyiLow returns a divergence of order 1 + beta for distributions that occur: the larger one of both orders of the
// neighbours. It is +Inf if the supports of two such distributions differ.
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

// renyiLow returns divergences of order 1 + beta for one mechanism, for a pair of distributions that occurs. forth is
// the divergence of the output with the record from the output without it, and back is the reverse. They are 0 if none
// is known.
func (l leaf) renyiLow(beta float64) (forth, back float64) {
	if l.pair != nil {
		// The largest double that is at most this order.
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
		beyond = 1e8      // above this order the accountant uses a bound
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
	case whole:
		r := l.renyi(beta) * (1 - renyiAccuracy)
		return r, r
	case l.kind == event.KindGaussian && (2*beta+3)*l.a > beyond:
		return 0, 0
	case l.kind == event.KindGaussian && l.opposed:
		r := l.renyi(beta) * (1 - renyiAccuracy)
		return r, r
	case l.kind == event.KindGaussian: // with the mixture as first argument (Mironov, Talwar & Zhang 2019, Theorem 5)
		return l.renyi(beta) * (1 - renyiAccuracy), 0
	case l.kind == event.KindExponential:
		l.kind, l.a = event.KindPure, l.a/2
	}
	m := l.law()
	return m.logMoment(1+beta, beta, l.q) / beta * (1 - renyiAccuracy), m.logMoment(-beta, -1-beta, l.q) / beta * (1 - renyiAccuracy)
}
