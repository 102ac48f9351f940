package external

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// pair is a pair of distributions P and Q on the line that dominates the outputs of a mechanism on two neighbors. Its
// continuous part has a privacy loss log(dP/dQ) that increases with the output. The rest are atoms.
type pair struct {
	between func(a, b float64) (p, q float64) // probabilities of outputs in (a, b]; nil without continuous part
	output  func(loss float64) float64        // the output with a loss
	atoms   [][2]float64                      // probabilities under P and Q
}

// normal returns the probability of (a, b] under N(0, 1), by the tails on the same side.
func normal(a, b float64) float64 {
	tail := func(z float64) float64 { return math.Erfc(z/math.Sqrt2) / 2 }
	if a > 0 {
		return tail(a) - tail(b)
	}
	return tail(-b) - tail(-a)
}

// gaussian is N(mu, 1) against N(0, 1). Its loss at t is μt − μ²/2.
func gaussian(mu float64) pair {
	return pair{
		between: func(a, b float64) (p, q float64) { return normal(a-mu, b-mu), normal(a, b) },
		output:  func(loss float64) float64 { return loss/mu + mu/2 },
	}
}

// sampledReplaced is (1−q)N(0) + qN(mu) against (1−q)N(0) + qN(−mu), the pair for a replaced record of a sampled
// Gaussian (derivation in package accountant). With u = e^{μt} and c = e^{−μ²/2}, a loss x means
// qcu² − (1−q)(e^x − 1)u − e^x·qc = 0.
func sampledReplaced(mu, rate float64) pair {
	mixture := func(a, b, mu float64) float64 { return (1-rate)*normal(a, b) + rate*normal(a-mu, b-mu) }
	return pair{
		between: func(a, b float64) (p, q float64) { return mixture(a, b, mu), mixture(a, b, -mu) },
		output: func(loss float64) float64 {
			x := math.Abs(loss) // the loss is odd in t
			qc, half := rate*math.Exp(-mu*mu/2), (1-rate)*math.Expm1(x)/2
			return math.Copysign(math.Log((half+math.Sqrt(half*half+qc*qc*math.Exp(x)))/qc)/mu, loss)
		},
	}
}

// laplace is noise of scale 1 around a > 0 against noise around 0. Outputs below 0 and above a are atoms of loss −a and
// a. The loss between them is 2t − a.
func laplace(a float64) pair {
	far := math.Exp(-a) / 2
	return pair{
		between: func(from, to float64) (p, q float64) {
			from, to = math.Max(from, 0), math.Min(to, a)
			if !(from < to) {
				return 0, 0
			}
			step := -math.Expm1(from - to)
			return math.Exp(to-a) / 2 * step, math.Exp(-from) / 2 * step
		},
		output: func(loss float64) float64 { return (loss + a) / 2 },
		atoms:  [][2]float64{{far, 0.5}, {0.5, far}},
	}
}

// discreteLaplace is integer noise, P(k) ∝ e^{−rate·|k|}, around shift ≥ 1 against noise around 0. Outputs up to 0 are
// one atom, and outputs from shift on are one.
func discreteLaplace(rate float64, shift int64) pair {
	r := math.Exp(-rate)
	far, near := math.Exp(-rate*float64(shift))/(1+r), 1/(1+r) // Σ of r^|k|(1−r)/(1+r) over k ≥ shift, and over k ≥ 0
	atoms := [][2]float64{{far, near}, {near, far}}
	for k := int64(1); k < shift; k++ {
		one := func(k int64) float64 { return (1 - r) / (1 + r) * math.Exp(-rate*float64(k)) }
		atoms = append(atoms, [2]float64{one(shift - k), one(k)})
	}
	return pair{atoms: atoms}
}

// response is k-ary randomized response: the true value with probability 1 − p + p/k, each other value with p/k.
func response(p float64, k int64) pair {
	other := p / float64(k)
	return pair{atoms: [][2]float64{{1 - p + other, other}, {other, 1 - p + other}, {other * float64(k-2),
		other * float64(k-2)}}}
}

// approximate dominates every (ε, δ)-DP mechanism (Kairouz, Oh & Viswanath 2015).
func approximate(epsilon, delta float64) pair {
	likely := (1 - delta) / (1 + math.Exp(-epsilon))
	return pair{atoms: [][2]float64{{delta, 0}, {0, delta}, {likely, 1 - delta - likely}, {1 - delta - likely, likely}}}
}

// sampled is (1−rate)·Q + rate·P against Q. A loss x of the mixture is a loss log((e^x − 1 + rate)/rate) of the pair.
func (p pair) sampled(rate float64) pair {
	s := pair{}
	if p.between != nil {
		s.between = func(a, b float64) (float64, float64) {
			with, without := p.between(a, b)
			return (1-rate)*without + rate*with, without
		}
		s.output = func(loss float64) float64 {
			odds := (math.Expm1(loss) + rate) / rate
			if !(odds > 0) {
				return math.Inf(-1)
			}
			return p.output(math.Log(odds))
		}
	}
	for _, a := range p.atoms {
		s.atoms = append(s.atoms, [2]float64{(1-rate)*a[1] + rate*a[0], a[1]})
	}
	return s
}

// reversed exchanges P and Q. The output changes its sign, so that the loss still increases.
func (p pair) reversed() pair {
	r := pair{}
	if p.between != nil {
		r.between = func(a, b float64) (float64, float64) {
			x, y := p.between(-b, -a)
			return y, x
		}
		r.output = func(loss float64) float64 { return -p.output(-loss) }
	}
	for _, a := range p.atoms {
		r.atoms = append(r.atoms, [2]float64{a[1], a[0]})
	}
	return r
}

// pairOf returns the pair of a mechanism, possibly sampled, with the record under P.
func pairOf(t Tree, adj event.Adjacency) (pair, error) {
	moved := distance(adj)
	switch {
	case t.Class == classGaussian && t.Noise > 0:
		return gaussian(moved / t.Noise), nil
	case t.Class == classLaplace && t.Noise > 0:
		return laplace(moved / t.Noise), nil
	case t.Class == classDiscreteLaplace && t.Parameter > 0 && t.Sensitivity > 0:
		return discreteLaplace(t.Parameter, t.Sensitivity*int64(moved)), nil
	case t.Class == classResponse && t.Parameter > 0 && t.Parameter < 1 && t.Buckets > 1 && adj == event.ReplaceOne:
		return response(t.Parameter, t.Buckets), nil
	case t.Class == classApproximate && t.Epsilon != nil && t.Delta != nil && *t.Epsilon >= 0 && *t.Delta >= 0:
		return approximate(*t.Epsilon, *t.Delta), nil
	case t.Class == classPoisson && t.Event != nil && t.Rate > 0 && t.Rate < 1 && adj == event.AddRemove &&
		t.Event.additive():
		p, err := pairOf(*t.Event, adj)
		return p.sampled(t.Rate), err
	case t.Class == classPoisson && t.Event != nil && t.Rate > 0 && t.Rate < 1 && t.Event.Class == classGaussian:
		return sampledReplaced(1/t.Event.Noise, t.Rate), nil
	}
	return pair{}, fmt.Errorf("no privacy loss for %s under %s", t, adj)
}

// additive reports whether an event adds noise to a sum, so that a record outside the sample contributes 0.
func (t Tree) additive() bool {
	return t.Class == classGaussian || t.Class == classLaplace || t.Class == classDiscreteLaplace
}
