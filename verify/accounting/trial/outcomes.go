package trial

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
)

// outcomes is a mechanism with finitely many outputs: their probabilities with the record, with another in its
// place, and without it.
type outcomes struct {
	present, other, absent []float64
	logs                   [3][]float64 // of the probabilities: with the replacement, without the record, with it
	// run draws an output from the definition of the mechanism. It is nil if the table is the definition.
	run func(r *rand.Rand, s state) int
}

func (o outcomes) law(s state) []float64 {
	switch s {
	case present:
		return o.present
	case other:
		return o.other
	}
	return o.absent
}

// withLogs computes the logarithms of the probabilities.
func (o outcomes) withLogs() outcomes {
	for s := other; s <= present; s++ {
		var logs []float64
		for _, p := range o.law(s) {
			logs = append(logs, math.Log(p))
		}
		o.logs[1+int(s)] = logs
	}
	return o
}

func (o outcomes) draw(r *rand.Rand, s state, out []float64) []float64 {
	law := o.law(s)
	if o.run != nil && len(law) == len(o.present) {
		return append(out, float64(o.run(r, s)))
	}
	u := r.Float64()
	for i, p := range law {
		if u -= p; u < 0 {
			return append(out, float64(i))
		}
	}
	return append(out, float64(len(law)-1))
}

func (o outcomes) logDensity(s state, out []float64) (float64, []float64) {
	i, logs := int(out[0]), o.logs[1+int(s)]
	if i >= len(logs) {
		return math.Inf(-1), out[1:]
	}
	return logs[i], out[1:]
}

// between returns the mechanism with output distributions p and q on neighbors. A guarantee for replaced records does
// not restrict the output without the record. If revealed is true, that output differs from all others.
func between(p, q []float64, revealed bool) outcomes {
	o := outcomes{present: p, other: q, absent: q}
	if revealed {
		o.absent = append(make([]float64, len(p)), 1)
	}
	return o.withLogs()
}

// odds returns the probability whose log odds are t.
func odds(t float64) float64 { return 1 / (1 + math.Exp(-t)) }

func coin(p float64) []float64 { return []float64{p, 1 - p} }

// randomizedResponse reports the true one of k categories with odds e^ε₀ against each other category. The record has
// category 0, its replacement category 1, and an absent record a fixed category.
func randomizedResponse(epsilon0 float64, k, fixed int) outcomes {
	law := func(truth int) []float64 {
		p := make([]float64, k)
		for i := range p {
			p[i] = 1 / (math.Exp(epsilon0) + float64(k-1))
		}
		p[truth] *= math.Exp(epsilon0)
		return p
	}
	o := outcomes{present: law(0), other: law(1), absent: law(fixed)}.withLogs()
	o.run = func(r *rand.Rand, s state) int {
		truth := fixed
		switch s {
		case present:
			truth = 0
		case other:
			truth = 1
		}
		if r.Float64() < o.present[0] {
			return truth
		}
		lie := r.IntN(k - 1)
		if lie >= truth {
			lie++
		}
		return lie
	}
	return o
}

// exponential chooses between two candidates. The record lowers the log odds by ε₀, from t.
func exponential(epsilon0, t float64, revealed bool) outcomes {
	return between(coin(odds(t)), coin(odds(t-epsilon0)), revealed)
}

// steepest returns the log odds t of a grid at which the choice between two candidates reveals the most at ε.
func steepest(epsilon0, epsilon float64) float64 {
	best, at := -1.0, 0.0
	for i := range 201 {
		t := epsilon0 * float64(i) / 200
		p, q := odds(t), odds(t-epsilon0)
		if d := p - math.Exp(epsilon)*q; d > best {
			best, at = d, t
		}
	}
	return at
}

// leaking returns randomized response that reveals the record with probability δ₀.
func leaking(epsilon0, delta0 float64, revealed bool) outcomes {
	p := odds(epsilon0) * (1 - delta0)
	q := 1 - delta0 - p
	return between([]float64{p, q, delta0, 0}, []float64{q, p, 0, delta0}, revealed)
}

// permuteAndFlip chooses between two candidates. With the record, the first one is ahead; without it, the second one.
// The difference of the scores moves by two sensitivities, which is a loss of epsilon0. The first output has the
// largest δ at the ε given.
func permuteAndFlip(epsilon0, epsilon float64, revealed bool) outcomes {
	epsilon = math.Min(epsilon, epsilon0)
	behind := [2]float64{math.Exp((epsilon - epsilon0) / 2), math.Exp((-epsilon - epsilon0) / 2)}
	o := between(coin(1-behind[0]/2), coin(behind[1]/2), revealed)
	o.run = func(r *rand.Rand, s state) int {
		best := 1
		if s == present {
			best = 0
		}
		for first := r.IntN(2); ; first = 1 - first {
			if first == best || r.Float64() < behind[best] {
				return first
			}
		}
	}
	return o
}

// noisyArgmax returns the class with more votes, of two. The record votes for class 0 or for class 1, and the other
// records are undecided.
func noisyArgmax(sigma float64, revealed bool) outcomes {
	wins := math.Erfc(-1/(2*sigma)) / 2 // Φ(1/(√2·σ))
	o := between(coin(wins), coin(1-wins), revealed)
	o.run = func(r *rand.Rand, s state) int {
		votes := [2]float64{0, 1}
		if s == present {
			votes = [2]float64{1, 0}
		}
		if votes[0]+sigma*rng.Normal(r) > votes[1]+sigma*rng.Normal(r) {
			return 0
		}
		return 1
	}
	return o
}
