// Package results prints results of two methods that differ by as much as is asked.
package results

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/printed"
)

// Kind of results, with the claim that those of the first method are above those of the second: a difference of
// 0 is none, one of 1 is plain.
type Kind struct {
	Name  string
	Claim func(r *rand.Rand, difference float64) printed.Significance
}

// Kinds of results.
func Kinds() []Kind {
	return []Kind{
		{"5 repeated runs", func(r *rand.Rand, d float64) printed.Significance {
			return claimOf(printed.RepeatedRuns,
				printed.Pair{Left: repeatedRuns(r, 0.8+0.1*d, 0.01), Right: repeatedRuns(r, 0.8, 0.01), Runs: fewRuns})
		}},
		{"5 repeated runs, deviations 1 and 5", func(r *rand.Rand, d float64) printed.Significance {
			return claimOf(printed.RepeatedRuns,
				printed.Pair{Left: repeatedRuns(r, 0.8+0.1*d, 0.002), Right: repeatedRuns(r, 0.8, 0.01), Runs: fewRuns})
		}},
		{"same test set", func(r *rand.Rand, d float64) printed.Significance {
			return claimOf(printed.SameTestSet, sharesOf(r, 0.6+0.3*d, 0.6))
		}},
		{"same test set, in at least 1 of 4 pairs", func(r *rand.Rand, d float64) printed.Significance {
			var pairs []printed.Pair
			for range 4 {
				pairs = append(pairs, sharesOf(r, 0.6+0.3*d, 0.6))
			}
			c := claimOf(printed.SameTestSet, pairs...)
			c.Need = 1
			return c
		}},
		{"signs of 12 rows", func(r *rand.Rand, d float64) printed.Significance {
			return claimOf(printed.SignOfRows, rowsOf(r, 12, d)...)
		}},
	}
}

// Float prints x with so many decimals.
func Float(x float64, places int) printed.Cell {
	return printed.Cell{At: "a result", Text: strconv.FormatFloat(x, 'f', places, 64)}
}

func claimOf(test printed.Test, pairs ...printed.Pair) printed.Significance {
	return printed.Significance{Quantity: "accuracy", Sense: verify.Above, Pairs: pairs, Test: test}
}

const fewRuns, examples = 5, 400

// repeatedRuns prints mean and deviation of normal results.
func repeatedRuns(r *rand.Rand, mean, deviation float64) printed.Cell {
	var m confidence.Moments
	for range fewRuns {
		_ = m.Add(mean + deviation*rng.Normal(r)) // finite
	}
	return printed.Cell{At: "a cell", Text: fmt.Sprintf("%.4f±%.4f", m.Mean(), m.StdDev())}
}

// sharesOf prints the shares of examples that each of two methods gets right.
func sharesOf(r *rand.Rand, left, right float64) printed.Pair {
	count := func(p float64) printed.Cell {
		k := 0
		for range examples {
			if r.Float64() < p {
				k++
			}
		}
		return Float(float64(k)/examples, 4)
	}
	return printed.Pair{Left: count(left), Right: count(right), Examples: examples}
}

// rowsOf prints a pair of results a row, of rows of different difficulty.
func rowsOf(r *rand.Rand, n int, difference float64) []printed.Pair {
	pairs := make([]printed.Pair, n)
	for i := range pairs {
		base := 50 + 30*r.Float64()
		pairs[i].Left = Float(base+10*difference+rng.Normal(r), 2)
		pairs[i].Right = Float(base+rng.Normal(r), 2)
	}
	return pairs
}
