package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// atom is a privacy loss log P/Q with positive probability. logQ is the log of its probability under Q; under P it is
// larger by the loss.
type atom struct{ loss, logQ float64 }

// lossLaw is the dominating pair (P, Q) of a mechanism with bounded losses, given by the distribution of its privacy
// loss: atoms, and a continuous part with density exp(logC − x/2) under Q and exp(logC + x/2) under P on (−span, span).
// Every lossLaw describes a symmetric pair, so (Q, P) has the same distribution.
type lossLaw struct {
	atoms []atom
	logC  float64
	span  float64 // 0 means no continuous part
}

// law returns the dominating pair of a mechanism with bounded losses, without sampling. It must not be called for other
// kinds.
func (l leaf) law() lossLaw {
	switch l.kind {
	case event.KindLaplace:
		// Pair Laplace(0), Laplace(Δ): outside [0, Δ] the loss is ±ε₀.
		return lossLaw{
			atoms: []atom{{-l.a, -math.Ln2}, {l.a, -math.Ln2 - l.a}},
			logC:  -2*math.Ln2 - l.a/2, span: l.a,
		}
	case event.KindExponential:
		// The supremum over t of the hockey-stick curves of generalized responses is (e^{η/2} − e^{x/2})²/(e^η − 1) at
		// ε = x ≥ 0. Its second derivative gives this density, with c = 1/(4 sinh(η/2)).
		return lossLaw{logC: -math.Ln2 - l.a/2 - numeric.Log1mExp(-l.a), span: l.a}
	case event.KindDiscreteLaplace:
		return discreteLaplaceLaw(l.a, l.b)
	case event.KindRandomizedResponse:
		// The report is the old value, the new value, or another one.
		log := -l.a - math.Log1p((l.b-1)*math.Exp(-l.a)) // log of 1/(e^ε₀ + k − 1)
		law := lossLaw{atoms: []atom{{-l.a, log + l.a}, {l.a, log}}}
		if l.b > 2 {
			law.atoms = append(law.atoms, atom{0, log + math.Log(l.b-2)})
		}
		return law
	default: // pure and approximate: Kairouz, Oh & Viswanath (2015), Theorem 2.4
		log := -l.a - math.Log1p(math.Exp(-l.a))
		return lossLaw{atoms: []atom{{-l.a, log + l.a}, {l.a, log}}}
	}
}

// discreteLaplaceLaw returns the pair of P(k) ∝ e^{−a|k|} shifted by an integer d. The losses are −ad, −ad + 2a, …, ad.
func discreteLaplaceLaw(a, d float64) lossLaw {
	// Q is centered at 0 and P at d. For k ≤ 0 the loss is −ad, for k ≥ d it is ad.
	log0 := math.Log(math.Tanh(a / 2)) // Q(0) = (1 − e^−a)/(1 + e^−a)
	tail := -math.Log1p(math.Exp(-a))  // Q(k ≤ 0) = 1/(1 + e^−a)
	atoms := []atom{{-a * d, tail}, {a * d, tail - a*d}}
	for k := 1.0; k < d; k++ {
		atoms = append(atoms, atom{a * (2*k - d), log0 - a*k})
	}
	return lossLaw{atoms: atoms}
}

// generalisedResponse returns the two-point pair with losses η−s and −s.
func generalisedResponse(eta, s float64) lossLaw {
	// P(η−s) = (e^η − e^{η−s})/(e^η − 1), P(−s) = (e^{η−s} − 1)/(e^η − 1).
	all := numeric.Log1mExp(-eta)
	high := numeric.Log1mExp(-s) - all
	low := -s + numeric.Log1mExp(s-eta) - all
	var law lossLaw
	for _, x := range []atom{{eta - s, high - (eta - s)}, {-s, low + s}} {
		if !math.IsInf(x.logQ, -1) {
			law.atoms = append(law.atoms, x)
		}
	}
	return law
}

// logMoment returns log E_Q[(P′/Q)^alpha] ≥ 0 for P′ = (1−q)Q + qP, rounded up. beta is alpha − 1, and alpha > 1 or
// alpha < 0.
func (m lossLaw) logMoment(alpha, beta, q float64) float64 { return m.rounded(alpha, beta, q, 1) }

// logMomentLow returns logMoment, rounded down.
func (m lossLaw) logMomentLow(alpha, beta, q float64) float64 {
	return m.rounded(alpha, beta, q, -1) * (1 - renyiAccuracy)
}

// rounded computes logMoment with every term rounded up (sign 1) or down (sign −1).
func (m lossLaw) rounded(alpha, beta, q, sign float64) float64 {
	var sum logAccumulator
	add := func(logWeight, loss float64) {
		u, l := numeric.MixtureRatio(q, loss)
		if q == 1 {
			l = loss
		}
		sum.add(logWeight + numeric.LogPowerGap(alpha, beta, u, l) +
			sign*powerError(alpha, u, math.Abs(loss)+math.Abs(logWeight)))
	}
	for _, x := range m.atoms {
		add(x.logQ, x.loss)
	}
	if m.span > 0 {
		m.integrate(math.Abs(beta)+1, func(x, logWeight float64) { add(logWeight+m.logC-x/2, x) })
	}
	return numeric.LogAddExp(0, sum.log())
}

// kullback returns the Kullback–Leibler divergences of P′ = (1−q)Q + qP from Q and of Q from P′, rounded down. With u =
// P′/Q − 1, all terms Q·((1+u)·log(1+u) − u) and Q·(u − log(1+u)) are positive.
func (m lossLaw) kullback(q float64) (forth, back float64) {
	const largest = 600 // terms with a larger loss are omitted
	add := func(logWeight, loss float64) {
		u, l := numeric.MixtureRatio(q, loss)
		if q == 1 {
			l = loss
		}
		if math.Abs(loss) > largest {
			return
		}
		weight, rounded := math.Exp(logWeight), 16*unit*(math.Abs(u)+(1+u)*math.Abs(l))
		forth += weight * math.Max(0, (1+u)*l-u-rounded)
		back += weight * math.Max(0, u-l-rounded)
	}
	for _, x := range m.atoms {
		add(x.logQ, x.loss)
	}
	if m.span > 0 {
		m.integrate(2, func(x, logWeight float64) { add(logWeight+m.logC-x/2, x) })
	}
	return forth * (1 - renyiAccuracy), back * (1 - renyiAccuracy)
}

// integrate visits the nodes of a Gauss–Legendre rule over (−span, span). The panels grow from 4/steep at both ends to
// 1 inside. The integrand changes by at most a factor e per 1/steep, and is large only near an end.
func (m lossLaw) integrate(steep float64, visit func(x, logWeight float64)) {
	panel := func(from, width float64) {
		for i, x := range gauss16.X {
			visit(from+width*x, math.Log(width*gauss16.W[i]))
		}
	}
	width := math.Min(4/steep, 1)
	// From both ends inwards, the integrand decreases at least like exp(−distance/2). The part more than 120 from both
	// ends is below 1e-26 of the total.
	for done := 0.0; done < math.Min(m.span, 120); {
		w := math.Min(width, m.span-done)
		panel(-m.span+done, w)
		panel(m.span-done-w, w)
		done += w
		width = math.Min(1, width*2)
	}
}
