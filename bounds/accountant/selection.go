package accountant

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/accountant/internal/pld"
)

// selectedPure returns the ε at δ = 0 of repeat-and-select of an ε-DP mechanism, rounded up. It is the smaller bound of
// (2 + η)ε (Papernot & Steinke 2022) and ε + (1 + η)·log((γ + (1 − γ)s′)/(γ + (1 − γ)s)), s = 1/(1 + e^ε), s′ = 1 − s.
//
// The second bound follows from the density of the released output. If an output has density p in one run, and better
// outputs have probability a, it is released with density p·f′(1 − a). The generating function f of the number of runs
// has f′(x) ∝ (1 − (1 − γ)x)^(−1−η). So the loss is log(p/q) + (1 + η)·log((γ + (1 − γ)b)/(γ + (1 − γ)a)), where b is
// the probability of better outputs on the other input. The first term is at most ε. The second term grows with b,
// which is at most min(e^ε·a, 1 − e^−ε(1 − a)). It is largest if these two are equal: a = s, b = s′.
func selectedPure(eta, gamma, epsilon float64) float64 {
	largest := (2 + eta) * epsilon
	if math.IsInf(epsilon, 1) {
		return epsilon
	}
	worse := math.Exp(-epsilon)
	s, other := worse/(1+worse), 1/(1+worse)
	// The quotient is 1 + (1 − γ)(s′ − s)/(γ + (1 − γ)s), s′ − s = tanh(ε/2).
	grown := math.Log1p((1 - gamma) * math.Tanh(epsilon/2) / (gamma + (1-gamma)*s))
	if gamma > 0.5 {
		grown = math.Min(grown, math.Log((gamma+(1-gamma)*other)/(gamma+(1-gamma)*s))+4*unit)
	}
	return math.Min(largest, epsilon+(1+eta)*grown) * (1 + 1e-13)
}

// outputs contains the outputs of a base mechanism on a pair of neighbors, by increasing loss.
type outputs struct {
	atoms []pld.Atom
	// tails lists increasing fractions of the outputs with the largest loss, which a score may rank before the others.
	// It is nil if only one output has the largest loss.
	tails []float64
	rel   float64 // relative error of the probabilities
}

// swapped exchanges the neighbors. Both ends of the losses then have the same tails, since the distributions with tails
// are symmetric. Sampling keeps the outputs, and thus the tails.
func (o outputs) swapped() outputs {
	back := outputs{tails: o.tails, rel: o.rel}
	for _, a := range slices.Backward(o.atoms) {
		back.atoms = append(back.atoms, pld.Atom{P: a.Q, Q: a.P})
	}
	return back
}

// explicit returns the outputs of one mechanism. The result has no atoms if they are not listed here.
func (l leaf) explicit() outputs {
	const (
		largest = 300  // loss; beyond, probabilities underflow
		many    = 4096 // outputs
	)
	switch {
	case l.pair != nil:
		return explicitPair(l.pair)
	case l.kind == event.KindApproximate && l.b > 0 || !(baseEpsilon(l) <= largest) ||
		l.kind == event.KindDiscreteLaplace && l.b > many:
		return outputs{}
	case l.kind == event.KindExponential: // a response to one bit with this range
		l.kind, l.a = event.KindPure, l.a/2
	}
	law, o := l.law(), outputs{rel: 32 * unit * (4 + 2*baseEpsilon(l))}
	for _, a := range law.atoms {
		o.atoms = append(o.atoms, pld.Atom{P: math.Exp(a.logQ + a.loss), Q: math.Exp(a.logQ)})
	}
	const cells = 64
	for i := 0.0; i < cells && law.span > 0; i++ {
		from, width := (2*i/cells-1)*law.span, 2*law.span/cells
		mass := -2 * math.Exp(law.logC) * math.Expm1(-width/2)
		o.atoms = append(o.atoms, pld.Atom{P: mass * math.Exp((from+width)/2), Q: mass * math.Exp(-from/2)})
	}
	slices.SortStableFunc(o.atoms, func(a, b pld.Atom) int { return compareRatios(a, b) })
	for i, a := range o.atoms {
		if l.q < 1 {
			o.atoms[i].P = (1-l.q)*a.Q + l.q*a.P
		}
	}
	for _, fraction := range []float64{1e-9, 1e-6, 1e-3} {
		switch l.kind {
		case event.KindRandomizedResponse: // one output has the largest loss
		case event.KindDiscreteLaplace: // all integers beyond some value
			fraction = math.Exp(-l.a * math.Ceil(-math.Log(fraction)/l.a))
			fallthrough
		default: // noise, and the outputs of other ε₀-DP mechanisms
			o.tails = append(o.tails, fraction)
		}
	}
	return o
}

func compareRatios(a, b pld.Atom) int {
	switch x, y := a.P*b.Q, b.P*a.Q; {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// explicitPair computes explicit for the dominated pair.
func explicitPair(law pld.Pair) outputs {
	switch l := law.(type) {
	case *pld.Bracketed:
		return explicitPair(l.Below)
	case *mechanism:
		return l.explicit()
	case *pld.Finite:
		if atoms, rel, all := l.Atoms(); all {
			return outputs{atoms: atoms, rel: rel}
		}
	}
	return outputs{}
}

// below returns the released pair for an explicit score, if the outputs of one part of the base are known. The score
// ranks outputs of the smallest losses first, then outputs of the largest loss. Among these scores it has the largest ε
// at δ = 0.
func (s *selected) below() pld.Pair {
	best, maxLoss := pld.Nothing(), 0.0
	if s.base.upperOnly || s.q < 1 && s.base.adjacency == event.ReplaceOne {
		return best
	}
	for _, back := range []bool{false, true} {
		parts := make([]outputs, len(s.base.terms))
		for i, t := range s.base.terms {
			if parts[i] = t.explicit(); back {
				parts[i] = parts[i].swapped()
			}
		}
		for i, o := range parts {
			if len(o.atoms) < 2 {
				continue
			}
			law, err := s.ranked(s.joined(parts, i), back)
			if err == nil && law.Most().Low > maxLoss {
				best, maxLoss = law, law.Most().Low
			}
		}
	}
	if s.q < 1 {
		sampled, err := best.Sampled(s.q)
		if err != nil {
			return pld.Nothing()
		}
		return sampled
	}
	return best
}

// joined returns the outputs of one run of a term of the base. It cuts the outputs of the largest loss in two, by
// whether all other runs and terms also have their largest loss. That case comes last.
func (s *selected) joined(parts []outputs, one int) outputs {
	logP, logQ, o := 0.0, 0.0, parts[one]
	for i, t := range s.base.terms {
		others := t.count
		if i == one {
			others--
		}
		if len(parts[i].atoms) == 0 || others == 0 {
			continue
		}
		top := parts[i].atoms[len(parts[i].atoms)-1]
		logP, logQ = logP+others*math.Log(top.P), logQ+others*math.Log(top.Q)
		o.rel += others * (parts[i].rel + 4*unit*(1+math.Abs(math.Log(top.Q))))
		if len(o.tails) == 0 {
			o.tails = parts[i].tails
		}
	}
	const smallest = -400.0
	if logP == 0 || !(logP > smallest && logQ > smallest) {
		return o
	}
	o.atoms = slices.Clone(o.atoms)
	top := &o.atoms[len(o.atoms)-1]
	all := pld.Atom{P: top.P * math.Exp(logP), Q: top.Q * math.Exp(logQ)}
	*top = pld.Atom{P: top.P * -math.Expm1(logP), Q: top.Q * -math.Expm1(logQ)}
	o.atoms = append(o.atoms, all)
	return o
}

// ranked returns the pair of the selected output. Outputs of the smallest losses rank first, then outputs of the
// largest loss, then the others.
func (s *selected) ranked(o outputs, back bool) (*pld.Finite, error) {
	last := len(o.atoms) - 1
	better, cut, widest := pld.Atom{}, 0, 0.0
	for i, a := range o.atoms[:last] {
		better.P, better.Q = better.P+a.P, better.Q+a.Q
		if r := s.left(better.Q) / s.left(better.P); r > widest {
			cut, widest = i+1, r
		}
	}
	order, before := slices.Clone(o.atoms[:cut]), 0.0
	for _, fraction := range append(slices.Clone(o.tails), 1) {
		if share := fraction - before; share > 0 {
			order = append(order, pld.Atom{P: o.atoms[last].P * share, Q: o.atoms[last].Q * share})
		}
		before = fraction
	}
	order = append(order, o.atoms[cut:last]...)
	better = pld.Atom{}
	released := make([]pld.Atom, len(order))
	for i, a := range order {
		released[i] = pld.Atom{P: s.released(a.P, better.P), Q: s.released(a.Q, better.Q)}
		better.P, better.Q = better.P+a.P, better.Q+a.Q
		if back {
			released[i].P, released[i].Q = released[i].Q, released[i].P
		}
		const smallest = 1e-290
		if r := released[i]; a.P > 0 && a.Q > 0 && !(r.P >= smallest && r.Q >= smallest) {
			return nil, ErrNotApplicable
		}
	}
	rel := (3 + math.Abs(s.eta)) * (o.rel + unit*(float64(4*len(order))+16*(1-math.Log(s.gamma))))
	if !(rel <= 1e-6) {
		return nil, ErrNotApplicable
	}
	return pld.NewFinite(released, rel)
}

// left returns γ + (1 − γ)x.
func (s *selected) left(x float64) float64 { return s.gamma + (1-s.gamma)*x }

// released returns the probability that outputs of probability p are released if better ones have probability better.
// It is the difference of the generating function of the number of runs, ((1 − (1 − γ)x)^−η − 1)/(γ^−η − 1).
func (s *selected) released(p, better float64) float64 {
	b := s.left(better)
	grown := math.Log1p((1 - s.gamma) * p / b)
	logGamma := math.Log(s.gamma)
	if s.eta == 0 {
		return math.Min(1, grown/-logGamma)
	}
	return math.Min(1, math.Exp(s.eta*(logGamma-math.Log(b)))*math.Expm1(-s.eta*grown)/math.Expm1(s.eta*logGamma))
}
