package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// atom is a privacy loss that has positive probability: log P/Q = loss, with
// the log of its probability under Q (under P it is larger by the loss).
type atom struct{ loss, logQ float64 }

// lossLaw is the dominating pair (P, Q) of a mechanism with bounded losses, by
// the law of its privacy loss: atoms, and a part of Q-density
// exp(logC − x/2) (P-density exp(logC + x/2)) on (−span, span). Every law here
// is that of a symmetric pair: (Q, P) has the same one.
type lossLaw struct {
	atoms []atom
	logC  float64
	span  float64 // 0: no continuous part
}

// law returns the dominating pair of a mechanism with bounded losses, before
// sampling. It must not be called for other kinds.
func (l leaf) law() lossLaw {
	switch l.kind {
	case event.KindLaplace:
		// Of the pair Laplace(0), Laplace(Δ): outside [0, Δ] the loss is ±ε₀.
		return lossLaw{
			atoms: []atom{{-l.a, -math.Ln2}, {l.a, -math.Ln2 - l.a}},
			logC:  -2*math.Ln2 - l.a/2, span: l.a,
		}
	case event.KindExponential:
		// sup over t of the hockey-stick curves of generalised responses is
		// (e^{η/2} − e^{x/2})²/(e^η − 1) at ε = x ≥ 0; its second derivative is
		// this density, c = 1/(4 sinh(η/2)).
		return lossLaw{logC: -math.Ln2 - l.a/2 - numeric.Log1mExp(-l.a), span: l.a}
	case event.KindDiscreteLaplace:
		return discreteLaplaceLaw(l.a, l.b)
	case event.KindRandomizedResponse:
		// The report is the old value, the new one, or one of the others.
		log := -l.a - math.Log1p((l.b-1)*math.Exp(-l.a)) // log of 1/(e^ε₀ + k − 1)
		law := lossLaw{atoms: []atom{{-l.a, log + l.a}, {l.a, log}}}
		if l.b > 2 {
			law.atoms = append(law.atoms, atom{0, log + math.Log(l.b-2)})
		}
		return law
	default: // pure, approximate: Kairouz, Oh & Viswanath (2015), Theorem 2.4
		log := -l.a - math.Log1p(math.Exp(-l.a))
		return lossLaw{atoms: []atom{{-l.a, log + l.a}, {l.a, log}}}
	}
}

// discreteLaplaceLaw is the pair of P(k) ∝ e^{−a|k|} shifted by an integer d:
// losses −ad, −ad + 2a, …, ad.
func discreteLaplaceLaw(a, d float64) lossLaw {
	// Q is centred at 0, P at d. At k ≤ 0 the loss is −ad, at k ≥ d it is ad.
	log0 := math.Log(math.Tanh(a / 2)) // Q(0) = (1 − e^−a)/(1 + e^−a)
	tail := -math.Log1p(math.Exp(-a))  // Q(k ≤ 0) = 1/(1 + e^−a)
	atoms := []atom{{-a * d, tail}, {a * d, tail - a*d}}
	for k := 1.0; k < d; k++ {
		atoms = append(atoms, atom{a * (2*k - d), log0 - a*k})
	}
	return lossLaw{atoms: atoms}
}

// generalisedResponse is the two-point pair with losses η−s and −s.
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

// logMoment returns log E_Q[(P′/Q)^alpha] ≥ 0 for P′ = (1−q)Q + qP, rounded up,
// given also beta = alpha − 1; alpha > 1 or < 0.
func (m lossLaw) logMoment(alpha, beta, q float64) float64 { return m.rounded(alpha, beta, q, 1) }

// logMomentLow returns logMoment, rounded down.
func (m lossLaw) logMomentLow(alpha, beta, q float64) float64 {
	return m.rounded(alpha, beta, q, -1) * (1 - renyiAccuracy)
}

// rounded returns logMoment with the rounding of every term, times sign.
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

// kullback returns the Kullback–Leibler divergences of P′ = (1−q)Q + qP from Q, and of Q from P′, rounded down. All
// terms are positive: Q·((1+u)·log(1+u) − u) and Q·(u − log(1+u)), u = P′/Q − 1.
func (m lossLaw) kullback(q float64) (forth, back float64) {
	const largest = 600 // loss; beyond, a term is left out
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

// integrate visits the nodes of a Gauss–Legendre rule over (−span, span) in
// panels that grow from 4/steep at both ends to 1 inside: the integrand changes by
// a factor e per 1/steep at most, and where it is large only next to an end.
func (m lossLaw) integrate(steep float64, visit func(x, logWeight float64)) {
	panel := func(from, width float64) {
		for i, x := range gauss16.X {
			visit(from+width*x, math.Log(width*gauss16.W[i]))
		}
	}
	width := math.Min(4/steep, 1)
	// From either end the integrand falls at least like exp(−distance/2): what
	// lies 120 away from both is below 1e-26 of the whole.
	for done := 0.0; done < math.Min(m.span, 120); {
		w := math.Min(width, m.span-done)
		panel(-m.span+done, w)
		panel(m.span-done-w, w)
		done += w
		width = math.Min(1, width*2)
	}
}
