package accounting_test

import (
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// partitions returns thresholded counts. A new partition was empty without the record; the others are old.
func partitions(r *rand.Rand, adj event.Adjacency) (all []independent) {
	scale, sigma, s, q := between(r, 0.5, 2), between(r, 0.5, 2), between(r, 0.5, 1), between(r, 0.1, 0.9)
	threshold := s + between(r, 0.51, 2.49)
	for _, x := range []struct {
		name  string
		event event.Event
		noise noise
	}{
		{"threshold laplace", event.Laplace(scale), laplaceNoise(scale, math.Inf(1))},
		{"threshold gaussian", event.Gaussian(sigma), gaussianNoise(sigma)},
	} {
		cut := func(p, q mixture) pairLaw { return thresholded(x.noise, threshold, p, q) }
		e := event.Threshold(threshold, x.event).WithSensitivity(s)
		created := cut(at(s), nil)
		whole := x.noise.pair(at(s), at(0))
		all = append(all, partition(e, adj, x.name,
			[]pairLaw{created, cut(at(2*s), at(s)), cut(at(threshold+s), at(threshold)), cut(at(threshold+20),
				at(threshold+20-s))},
			[]pairLaw{created, whole}))
		created = cut(mixture{{q, s}}, nil)
		whole = x.noise.pair(sampled(q, s), at(0))
		all = append(all, partition(event.Poisson(q, e), adj, x.name+" poisson",
			[]pairLaw{created, cut(members(q, 2, s), members(q, 1, s)), cut(members(q, 6, s), members(q, 5, s))},
			[]pairLaw{created, whole}))
	}
	return all
}

// partition returns the pairs of one partition to which a record is added. A replaced record leaves one partition and
// enters another. Given the number of other members, an old partition is a post-processing of its noisy count.
func partition(e event.Event, adj event.Adjacency, cell string, occurs, above []pairLaw) independent {
	if adj == event.AddRemove {
		return independent{e, adj, cell, occurs, above}
	}
	one := independent{e, adj, cell, nil, nil}
	const step = 0.03
	for _, x := range occurs {
		for _, y := range occurs {
			both := independently(x.coarse(step), y.reversed().coarse(step))
			one.occurs = append(one.occurs, both.coarse(step))
		}
	}
	for _, x := range above {
		for _, y := range above {
			both := independently(x.spread(step), y.reversed().spread(step))
			one.above = append(one.above, both.spread(step))
		}
	}
	return one
}

// thresholded returns the pair of a partition that is reported only if it is nonempty and above the threshold. Weights
// of a mixture that sum to less than 1 leave the rest for the empty partition.
func thresholded(n noise, threshold float64, p, q mixture) pairLaw {
	hidden := func(m mixture) float64 {
		missing, below := 1.0, 0.0
		for _, s := range m {
			missing -= s.weight
			below += s.weight * n.mass(math.Inf(-1), threshold-s.at)
		}
		if missing > 1e-9 {
			below += missing
		}
		return below
	}
	return append(n.pairAbove(threshold, p, q), finite([]float64{hidden(p)}, []float64{hidden(q)})...)
}

// members returns the distribution of the number of sampled members of a partition, times their contribution. A
// partition without sampled members counts as absent.
func members(q float64, n int, s float64) (m mixture) {
	for k := 1; k <= n; k++ {
		m = append(m, mixture{{binomial(n, k, q), float64(k) * s}}...)
	}
	return m
}

func binomial(n, k int, q float64) float64 {
	p := math.Pow(q, float64(k)) * math.Pow(1-q, float64(n-k))
	for i := range k {
		p *= float64(n-i) / float64(i+1)
	}
	return p
}

// subsets returns truncated Poisson samples and random allocations.
func subsets(r *rand.Rand, adj event.Adjacency) []independent {
	sigma, s, q := between(r, 0.7, 2.5), between(r, 0.5, 1.5), between(r, 0.1, 0.9)
	most, others := 1+r.IntN(3), 3+r.IntN(5)
	g := event.Gaussian(sigma).WithSensitivity(s)
	truncated := independent{event.TruncatedPoisson(q, int64(most), int64(others+1), g), adj, "truncated", nil, nil}
	for _, c := range []float64{0, -s, s} {
		with, other := truncatedSum(q, most, others, c, s), truncatedSum(q, most, others, c, -s)
		if adj == event.AddRemove {
			other = truncatedSum(q, most, others, c, math.NaN())
		}
		truncated.occurs = append(truncated.occurs, gaussianNoise(sigma).pair(with, other))
	}
	steps, picks, cells := 2, 1, 150
	if r.IntN(2) == 0 {
		steps, picks, cells = 3, 1+r.IntN(2), 40
	}
	step, opposite := gaussianStep(sigma, s, cells)
	if adj == event.AddRemove {
		opposite = nil
	}
	return []independent{truncated, picked(event.Allocation(int64(steps), int64(picks), g), step, opposite, steps, picks)}
}

// truncatedSum returns the sum over a Poisson sample of records that contribute c each, and one record that contributes
// x. If x is NaN, that record is absent. A sample of more than most records loses random ones.
func truncatedSum(q float64, most, others int, c, x float64) (m mixture) {
	add := func(weight, at float64) { m = append(m, mixture{{weight, at}}...) }
	for j := 0; j <= others; j++ {
		p := binomial(others, j, q)
		kept := float64(min(j, most))
		if math.IsNaN(x) {
			add(p, kept*c)
			continue
		}
		add(p*(1-q), kept*c)
		in := math.Min(1, float64(most)/float64(j+1))
		kept = float64(min(j+1, most))
		add(p*q*in, (kept-1)*c+x)
		add(p*q*(1-in), kept*c)
	}
	return m
}

// doubled returns the products for the sets without and with one additional step.
func doubled(products []float64, out, in float64) (all []float64) {
	for _, x := range products {
		all = append(all, x*out)
	}
	for _, x := range products {
		all = append(all, x*in)
	}
	return all
}

func shifted(sums []float64, by float64) (all []float64) {
	all = append(all, sums...)
	for _, x := range sums {
		all = append(all, x+by)
	}
	return all
}

func ones(set int) (n int) {
	for ; set > 0; set &= set - 1 {
		n++
	}
	return n
}

// selections returns the best of a random number of runs, by a score that orders outputs by their loss or by its
// negative. The probability that all runs are in a set of outputs is the generating function of the number of runs, at
// the set's probability.
func selections(r *rand.Rand, adj event.Adjacency) (all []independent) {
	eta, gamma := []float64{0, 1, -0.5, 2}[r.IntN(4)], between(r, 0.05, 0.7)
	scale, e0, sigma := between(r, 1, 3), between(r, 0.3, 1.5), between(r, 1, 3)
	generated := func(x float64) float64 {
		if eta == 0 {
			return math.Log1p((gamma-1)*x) / math.Log(gamma)
		}
		return math.Expm1(-eta*math.Log1p((gamma-1)*x)) / math.Expm1(-eta*math.Log(gamma))
	}
	best := func(base pairLaw) (l pairLaw) {
		var a, b, doneA, doneB float64
		for i, c := range base {
			a, b = a+c.p, b+c.q
			p, q := generated(math.Min(1, a))-generated(doneA), generated(math.Min(1, b))-generated(doneB)
			if i < len(base)-1 && (p < 1e-6 || q < 1e-6) {
				continue
			}
			if p > 1e-7 && q > 1e-7 {
				l = append(l, finite([]float64{p}, []float64{q})...)
			}
			doneA, doneB = math.Min(1, a), math.Min(1, b)
		}
		return l
	}
	moved := 0.0
	if adj == event.ReplaceOne {
		moved = -1
	}
	p := 1 / (1 + math.Exp(-e0))
	for _, x := range []struct {
		name  string
		event event.Event
		base  pairLaw
		pure  float64
	}{
		{"rr", event.RandomizedResponse(e0, 2), finite([]float64{1 - p, p}, []float64{p, 1 - p}), e0},
		{"pure", event.Pure(e0), finite([]float64{1 - p, p}, []float64{p, 1 - p}), e0},
		{"laplace", event.Laplace(scale), laplaceNoise(scale, math.Inf(1)).pair(at(1), at(moved)), (1 - moved) / scale},
		{"gaussian", event.Gaussian(sigma), gaussianNoise(sigma).pair(at(1), at(moved)), math.Inf(1)},
	} {
		reverse := make(pairLaw, len(x.base))
		for i, c := range x.base {
			reverse[len(x.base)-1-i] = c
		}
		one := independent{event.RepeatAndSelect(eta, gamma, x.event), adj, "select " + x.name, nil, nil}
		one.occurs = []pairLaw{best(x.base), best(reverse)}
		if top := (2 + eta) * x.pure; !math.IsInf(top, 1) {
			one.above = []pairLaw{finite([]float64{1, math.Exp(-top)}, []float64{math.Exp(-top), 1})}
			for i := range one.above[0] {
				one.above[0][i].p /= 1 + math.Exp(-top)
				one.above[0][i].q /= 1 + math.Exp(-top)
			}
		}
		all = append(all, one)
	}
	return all
}
