package accounting_test

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// A grouped builds events in which a group of k records is added or removed, or replaced.
type grouped struct {
	adj event.Adjacency
	k   int
	q   float64 // rate of Poisson sampling
	all []independent
}

// groups returns events of each kind for groups of two or three records.
func groups(r *rand.Rand, adj event.Adjacency) []independent {
	g := &grouped{adj: adj, k: 2 + r.IntN(2), q: between(r, 0.05, 0.9)}
	g.sums(r)
	g.batches(r)
	g.choices(r)
	return g.all
}

func (g *grouped) add(e event.Event, cell string, occurs, above []pairLaw) {
	g.all = append(g.all, independent{event.Group(int64(g.k), e), g.adj, "group " + cell, occurs, above})
}

// sampled returns the sums of the sampled records of the group. Each is in the sample independently and contributes x.
func (g *grouped) sampled(x float64) mixture {
	return append(members(g.q, g.k, x), mixture{{binomial(g.k, 0, g.q), 0}}...)
}

// sums adds noise on a number. All records of the group contribute the same, and their replacements the opposite. In
// batches, the group is in one batch, or its first record is in the first one and the others are in the second one.
func (g *grouped) sums(r *rand.Rand) {
	sigma, scale, rate, bound := between(r, 3, 5), between(r, 0.8, 3), between(r, 0.2, 1), between(r, 8, 12)
	s, whole := between(r, 0.3, 0.8), float64(1+r.IntN(2))
	opposite := 0.0
	if g.adj == event.ReplaceOne {
		opposite = -1
	}
	for _, x := range []sum{
		{"gaussian", event.Gaussian(sigma).WithSensitivity(s), gaussianNoise(sigma), s},
		{"laplace", event.Laplace(scale).WithSensitivity(s), laplaceNoise(scale, math.Inf(1)), s},
		{"discrete-laplace", event.DiscreteLaplace(rate).WithSensitivity(whole), discreteLaplaceNoise(rate), whole},
		{"discrete-gaussian", event.DiscreteGaussian(6).WithSensitivity(whole), discreteGaussianNoise(6), whole},
		{"truncated-laplace", event.TruncatedLaplace(scale, bound).WithSensitivity(s), laplaceNoise(scale, bound), s},
		{"uniform", event.Uniform(bound).WithSensitivity(s), uniformNoise(bound), s},
		{"matrix", event.Matrix(sigma, s, s), gaussianNoise(sigma), s},
		{"mixture", event.GaussianMixture(sigma, []float64{s}, []float64{1}), gaussianNoise(sigma), s},
	} {
		shifted := func(n float64) pairLaw { return x.noise.pair(at(n*x.s), at(n*x.s*opposite)) }
		together := shifted(float64(g.k))
		g.add(x.event, x.name, []pairLaw{together}, []pairLaw{together})
		const step = 0.02
		apart := independently(shifted(1).coarse(step), shifted(float64(g.k-1)).coarse(step))
		batches := []pairLaw{together, apart.coarse(step)}
		g.add(event.FixedBatches(2, x.event), x.name+" fixed", batches, nil)
		sampled := x.noise.pair(g.sampled(x.s), g.sampled(x.s*opposite))
		g.add(event.Poisson(g.q, x.event), x.name+" poisson", []pairLaw{sampled}, nil)
	}
}

// batches adds Gaussian noise on a batch of fixed size. All other records, and those that replace the group, contribute
// the opposite of the group.
func (g *grouped) batches(r *rand.Rand) {
	sigma, s, m, n := between(r, 4, 7), between(r, 0.3, 0.8), 1+r.IntN(3), 7+r.IntN(3)
	noise := event.Gaussian(sigma).WithSensitivity(s)
	weights, total := make([]float64, g.k+1), 0.0
	for set := range 1 << n {
		if ones(set) == m {
			total++
			weights[ones(set&(1<<g.k-1))]++
		}
	}
	var inside mixture
	for j, w := range weights {
		inside = append(inside, mixture{{w / total, s * float64(2*j-m)}}...)
	}
	pair := gaussianNoise(sigma).pair(inside, at(-s*float64(m)))
	g.add(event.WithoutReplacement(int64(m), int64(n), noise), "without", []pairLaw{pair}, nil)
	if g.adj != event.ReplaceOne {
		return
	}
	with, without := []float64{-s, -s, -s, -s}, []float64{-s, -s, -s, -s}
	for i := range g.k {
		with[i] = s
	}
	pair = gaussianNoise(sigma).pair(drawnSums(with, 2), drawnSums(without, 2))
	g.add(event.WithReplacement(2, 4, noise), "with-replacement", []pairLaw{pair}, nil)
	e0 := between(r, 0.2, 2)
	local := [][]float64{randomResponse(e0, 2, 0), randomResponse(e0, 2, 1)}
	all := [4]int{}
	for i := range g.k {
		all[i] = 1
	}
	reports := histograms(local, all[:], []int{0, 0, 0, 0})
	g.add(event.ShuffledReports(4, event.RandomizedResponse(e0, 2)), "shuffled rr", []pairLaw{reports}, nil)
}

// guaranteed returns the largest probabilities of an event after 0 … k steps of an (ε, δ)-DP mechanism, from p.
func (g *grouped) guaranteed(p, epsilon, delta float64) []float64 {
	chain := []float64{p}
	for range g.k {
		p = math.Min(1, math.Min(delta+math.Exp(epsilon)*p, 1-math.Exp(-epsilon)*(1-delta-p)))
		chain = append(chain, p)
	}
	return chain
}

// twoOutputs returns the pairs of a mechanism with two outputs. The first has the probability chain[j] if j records of
// the group take part.
func (g *grouped) twoOutputs(chain []float64) (alone, poisson pairLaw) {
	sampled := 0.0
	for j, p := range chain {
		sampled += binomial(g.k, j, g.q) * p
	}
	of := func(p, q float64) pairLaw { return finite([]float64{p, 1 - p}, []float64{q, 1 - q}) }
	return of(chain[g.k], chain[0]), of(sampled, chain[0])
}

// choices adds mechanisms with finitely many outputs, and guarantees.
func (g *grouped) choices(r *rand.Rand) {
	e0, d0, rho, sigma := between(r, 0.2, 1.2), between(r, 0.01, 0.1), between(r, 0.02, 0.15), between(r, 1, 4)
	k := float64(g.k)
	add := func(e event.Event, cell string, alone, poisson, above []pairLaw) {
		g.add(e, cell, alone, above)
		if e.Kind == event.KindConcentrated {
			return
		}
		if g.adj == event.ReplaceOne {
			poisson = nil // an absent record is a different output
		}
		g.add(event.Poisson(g.q, e), cell+" poisson", poisson, nil)
	}
	n := discreteLaplaceNoise(e0) // ε₀-DP for one record
	alone := []pairLaw{n.pair(at(k), at(0))}
	add(event.Pure(e0), "pure", alone, []pairLaw{n.pair(g.sampled(1), at(0))}, alone)
	pairs := func(chains ...[]float64) (alone, poisson []pairLaw) {
		for _, c := range chains {
			a, p := g.twoOutputs(c)
			alone, poisson = append(alone, a), append(poisson, p)
		}
		return alone, poisson
	}
	alone, poisson := pairs(g.guaranteed(0, e0, d0), g.guaranteed(0.05, e0, d0), g.guaranteed(0.4, e0, d0))
	add(event.Approximate(e0, d0), "approximate", alone, poisson, nil)
	var odds, flips, votes [][]float64
	for t := -3 * k * e0; t <= 3; t += 0.3 {
		var bounded []float64
		for j := range g.k + 1 {
			bounded = append(bounded, 1/(1+math.Exp(-t-float64(j)*e0)))
		}
		odds = append(odds, bounded)
	}
	for margin := -4.0 * k; margin <= 4; margin += 0.5 {
		var flip, vote []float64
		for j := range g.k + 1 {
			by := margin + 2*float64(j)
			flip = append(flip, flipChances(e0, []float64{by, 0})[0])
			if g.adj == event.AddRemove {
				by = margin + float64(j) // an added record casts a vote
			}
			vote = append(vote, math.Erfc(-by/sigma/2)/2)
		}
		flips, votes = append(flips, flip), append(votes, vote)
	}
	alone, poisson = pairs(odds...)
	add(event.Exponential(e0), "exponential", alone, poisson, nil)
	alone, poisson = pairs(flips...)
	add(event.PermuteAndFlip(e0), "permute-and-flip", alone, poisson, nil)
	alone, poisson = pairs(votes...)
	add(event.NoisyArgmax(sigma), "noisy-argmax", alone, poisson, nil)
	add(event.Concentrated(rho), "zcdp", []pairLaw{gaussianNoise(1).pair(at(k*math.Sqrt(2*rho)), at(0))}, nil, nil)
	for _, categories := range []int{2, 3} {
		c := choice{randomResponse(e0, categories, 0), randomResponse(e0, categories, 1), randomResponse(e0, categories, 0)}
		alone, sampled := c.pair(1, g.adj), c.pair(g.q, g.adj)
		for range g.k - 1 {
			alone, sampled = independently(alone, c.pair(1, g.adj)), independently(sampled, c.pair(g.q, g.adj))
		}
		add(event.RandomizedResponse(e0, categories), "rr", []pairLaw{alone}, []pairLaw{sampled}, []pairLaw{alone})
	}
}
