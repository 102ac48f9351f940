package accountant

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// leafOf returns the normal form of one mechanism on a Poisson sample at rate q.
func (p *profile) leafOf(e event.Event, q float64) (leaf, error) {
	l, err := p.baseLeaf(e, q < 1)
	if err != nil || q == 1 || baseEpsilon(l) == 0 && !(l.kind == event.KindApproximate && l.b > 0) {
		return l, err
	}
	return p.sampledLeaf(e, l, q)
}

// baseLeaf returns the normal form of a mechanism without sampling. If the mechanism will run on a Poisson sample, the
// pair is a sample with the record and a sample without it, under both adjacencies.
func (p *profile) baseLeaf(e event.Event, sampled bool) (leaf, error) {
	factor := 1.0
	noisy := e.Kind == event.KindGaussian || e.Kind == event.KindLaplace || e.Kind == event.KindDiscreteLaplace
	if noisy {
		p.assume(fmt.Sprintf("%s: %s contributes at most %g", e, p.subject(), e.Sensitivity))
		if p.adjacency == event.ReplaceOne {
			p.warn("replace-one moves a sum by twice the contribution bound: noise calibrated to add/remove hides half as much")
			if !sampled {
				factor = 2
			}
		}
	}
	l := leaf{kind: e.Kind, a: e.A, b: e.B, q: 1}
	switch e.Kind {
	case event.KindGaussian:
		l.a = factor * e.Sensitivity / e.A
	case event.KindLaplace:
		if l.a = factor * e.Sensitivity / e.A; math.FMA(l.a, e.A, -factor*e.Sensitivity) < 0 {
			l.a = math.Nextafter(l.a, math.Inf(1)) // the bound must include the largest loss
		}
	case event.KindDiscreteLaplace:
		l.b = factor * math.Floor(e.Sensitivity)
	case event.KindRandomizedResponse:
		if p.adjacency == event.AddRemove || sampled {
			p.assume("rr: an absent record reports some fixed category")
		}
	default:
		p.assume(fmt.Sprintf("%s: its guarantee is stated for %s", e, p.adjacency))
	}
	reach := l.a
	if l.kind == event.KindDiscreteLaplace {
		reach *= l.b
	}
	if !(reach <= 1e8) {
		return leaf{}, event.DomainError("%s: the privacy loss of one step would exceed 1e8; there is no privacy to account",
			e)
	}
	if noisy && !(reach >= 1e-100) {
		return leaf{}, event.DomainError("%s: the privacy loss of one step would be below 1e-100; there "+
			"is nothing to account", e)
	}
	return l, nil
}

// sampledLeaf returns the leaf for a mechanism, given by its base leaf, on a Poisson sample at rate q < 1.
func (p *profile) sampledLeaf(e event.Event, base leaf, q float64) (leaf, error) {
	replaced := p.adjacency == event.ReplaceOne
	switch base.kind {
	case event.KindConcentrated:
		return leaf{}, event.DomainError("no amplification by sampling is known for a bare zCDP guarantee")
	case event.KindGaussian:
		base.q, base.opposed = q, replaced
		return base, nil
	case event.KindPure, event.KindApproximate, event.KindExponential:
		if replaced {
			p.upperOnly = true
			p.assume(blackBoxSample(e))
			if base.kind == event.KindApproximate && base.b > 0 {
				base.b = math.Max(base.b*q, math.SmallestNonzeroFloat64)
			}
			return base, nil
		}
	case event.KindRandomizedResponse:
		if replaced {
			return p.replacedResponse(e, base, q), nil
		}
	default:
		if replaced {
			return p.replacedLaplace(e, base, q), nil
		}
	}
	if base.kind == event.KindApproximate {
		// Balle, Barthe & Gaboardi (2018), Theorem 8: ε′ = log(1 + q(e^ε − 1)), δ′ = qδ.
		p.upperOnly = true
		p.assume(fmt.Sprintf("%s: sampling enters by ε′ = log(1 + q(e^ε − 1)) and δ′ = qδ", e))
		base.a = sampledEpsilon(q, base.a)
		if base.b > 0 {
			base.b = math.Max(math.SmallestNonzeroFloat64, math.Min(1, base.b*q*(1+2*unit)))
		}
		return base, nil
	}
	base.q = q
	return base, nil
}

// replacedLaplace returns the leaf for continuous or discrete Laplace noise on a sample in which a record is replaced.
// Each record changes the probability of an output by a factor between e^−ε and e^ε. So the loss is at most log((1 − q
// + qe^ε)/(1 − q + qe^−ε)). The bound is attained if both records contribute the sensitivity, in opposite directions.
func (p *profile) replacedLaplace(e event.Event, base leaf, q float64) leaf {
	p.assume(fmt.Sprintf("%s: sampling enters by ε′ = log((1 − q + qe^ε)/(1 − q + qe^−ε)), ε of an added record", e))
	return p.namedLeaf(event.Poisson(q, e), "", &pld.Bracketed{
		Above: pureAt(replacedEpsilon(q, baseEpsilon(base))),
		Below: pld.OpposedLaplace(base.a, base.b, q),
	})
}

// replacedResponse returns the leaf for randomized response on a sample in which a record is replaced. Let w be the
// probability of each report that differs from the value. Let a and b be the two values, and c the report of an absent
// record. If c is b, then δ(ε) = w(1 − q + qe^ε₀ − e^ε)⁺ at ε ≥ 0, in the order of a against b. In the other order, and
// for every other c, δ(ε) is at most this. The pair of a sampled record against an absent one has this δ(ε), and is
// folded.
func (p *profile) replacedResponse(e event.Event, base leaf, q float64) leaf {
	base.q = q
	m := &mechanism{base}
	return p.namedLeaf(event.Poisson(q, e), "", &pld.Bracketed{Above: pld.NewFolded(m), Below: m})
}

// baseEpsilon returns the ε at δ = 0 of one mechanism without its sampling, or +Inf. For approximate it is the ε
// outside δ₀. The leaf must not have a pair, since a pair includes the sampling.
func baseEpsilon(l leaf) float64 {
	switch l.kind {
	case event.KindLaplace, event.KindRandomizedResponse, event.KindExponential, event.KindPure, event.KindApproximate:
		return l.a
	case event.KindDiscreteLaplace:
		return l.a * l.b
	}
	return math.Inf(1)
}

// pureEpsilon returns the ε at δ = 0 of one mechanism with its sampling, or +Inf. Sampling must not be applied to it
// again.
func pureEpsilon(l leaf) float64 {
	if l.pair != nil {
		return l.pureLaw().High
	}
	eps := baseEpsilon(l)
	if l.q < 1 && !l.opposed && !math.IsInf(eps, 1) {
		// The other direction has a smaller loss: −log(1 − q(1 − e^−ε)) ≤ log(1 + q(e^ε − 1)).
		return sampledEpsilon(l.q, eps)
	}
	return eps
}

// sampledEpsilon returns log(1 + q(e^ε − 1)), rounded up: the ε of a mechanism on a Poisson sample under AddRemove.
func sampledEpsilon(q, base float64) float64 {
	_, more := numeric.MixtureRatio(q, base)
	return more * (1 + 8*unit)
}

// replacedEpsilon returns log((1 − q + qe^ε)/(1 − q + qe^−ε)), rounded up.
func replacedEpsilon(q, base float64) float64 {
	_, more := numeric.MixtureRatio(q, base)
	_, less := numeric.MixtureRatio(q, -base)
	return (more - less) * (1 + 16*unit)
}
