package accounting_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/bounds/accountant/event"
)

// replacements returns the events that are defined for replaced records only.
func replacements(r *rand.Rand, adj event.Adjacency) []independent {
	if adj != event.ReplaceOne {
		return nil
	}
	return []independent{redrawn(r), shuffledResponses(r), shuffledReports(r)}
}

// redrawn returns Gaussian noise on draws with replacement. The other records contribute the opposite, nothing,
// or random numbers. Revealing how often the record is drawn gives a pair that dominates: the sum then moves by at most
// that multiple of 2s.
func redrawn(r *rand.Rand) independent {
	draws, records, sigma, s := 1+r.IntN(3), 2+r.IntN(3), between(r, 2, 5), between(r, 0.3, 1.2)
	n := gaussianNoise(sigma)
	one := independent{event.WithReplacement(int64(draws), int64(records), event.Gaussian(sigma).WithSensitivity(s)),
		event.ReplaceOne, "with-replacement", nil, nil}
	for _, c := range []float64{-s, 0, math.NaN()} {
		others := make([]float64, records-1)
		for i := range others {
			if others[i] = c; math.IsNaN(c) {
				others[i] = between(r, -s, s)
			}
		}
		sums := func(x float64) mixture { return drawnSums(append([]float64{x}, others...), draws) }
		one.occurs = append(one.occurs, n.pair(sums(s), sums(-s)), n.pair(sums(s), sums(0)))
	}
	var revealed pairLaw
	for k := 0; k <= draws; k++ {
		w := binomial(draws, k, 1/float64(records))
		for _, c := range n.pair(at(2*s*float64(k)), at(0)) {
			revealed = append(revealed, cell{w * c.p, w * c.q, c.lo, c.hi})
		}
	}
	one.above = []pairLaw{revealed}
	return one
}

// drawnSums returns the sums of all sequences of draws, each of which is any of the values.
func drawnSums(values []float64, draws int) mixture {
	sums := at(0)
	for range draws {
		var longer mixture
		for _, m := range sums {
			for _, x := range values {
				longer = append(longer, mixture{{m.weight / float64(len(values)), m.at + x}}...)
			}
		}
		sums = longer
	}
	return sums
}

// shuffledResponses returns shuffled randomized response at the values of all other users. The categories have equal
// roles, so the first user has category 0 or 1.
func shuffledResponses(r *rand.Rand) independent {
	k, users, e0 := 2+r.IntN(3), 1+r.IntN(4), between(r, 0.2, 3)
	one := independent{event.ShuffledReports(int64(users), event.RandomizedResponse(e0, k)), event.ReplaceOne,
		fmt.Sprint("shuffled rr ", k), nil, nil}
	local := make([][]float64, k)
	for x := range local {
		local[x] = randomResponse(e0, k, x)
	}
	for _, others := range multisets(k, users-1) {
		one.occurs = append(one.occurs, histograms(local, valued(0, others), valued(1, others)))
	}
	one.above = one.occurs
	return one
}

// shuffledReports returns the shuffled reports of a drawn ε₀-DP randomizer. A shuffle is post-processing of reports of
// which one differs.
func shuffledReports(r *rand.Rand) independent {
	k, values, users, e0 := 2+r.IntN(2), 3, 2+r.IntN(3), between(r, 0.2, 3)
	p := 1 / (1 + math.Exp(-e0))
	one := independent{event.ShuffledReports(int64(users), event.Pure(e0)), event.ReplaceOne, "shuffled pure", nil,
		[]pairLaw{finite([]float64{p, 1 - p}, []float64{1 - p, p})}}
	for range 3 {
		local := make([][]float64, values)
		for x := range local { // each sum changes a probability by a factor of at most e^(ε₀/2)
			local[x] = make([]float64, k)
			sum := 0.0
			for y := range local[x] {
				local[x][y] = math.Exp(e0 / 2 * float64(r.IntN(2)))
				sum += local[x][y]
			}
			for y := range local[x] {
				local[x][y] /= sum
			}
		}
		for _, others := range multisets(values, users-1) {
			one.occurs = append(one.occurs, histograms(local, valued(0, others), valued(1, others)))
		}
	}
	return one
}

// multisets returns all sorted lists of n numbers below k.
func multisets(k, n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, l := range multisets(k, n-1) {
		for x := range k {
			if n == 1 || x >= l[len(l)-1] {
				all = append(all, append(slices.Clone(l), x))
			}
		}
	}
	return all
}

// valued returns the values of a user and the others.
func valued(x int, others []int) []int { return append([]int{x}, others...) }

// histograms returns the histograms of the reports of users who have the values with or without. A shuffle releases the
// reports of a histogram in uniformly random order. Each row of local has the probabilities of one value's reports.
func histograms(local [][]float64, with, without []int) pairLaw {
	at := map[string]int{}
	var p, q []float64
	reports := make([]int, len(with))
	for {
		one, other, counts := 1.0, 1.0, make([]int, len(local[0]))
		for i, y := range reports {
			one, other = one*local[with[i]][y], other*local[without[i]][y]
			counts[y]++
		}
		name := fmt.Sprint(counts)
		if _, ok := at[name]; !ok {
			at[name] = len(p)
			p, q = append(p, 0), append(q, 0)
		}
		p[at[name]] += one
		q[at[name]] += other
		i := 0
		for ; i < len(reports) && reports[i] == len(local[0])-1; i++ {
			reports[i] = 0
		}
		if i == len(reports) {
			return finite(p, q)
		}
		reports[i]++
	}
}
