package calibration

import (
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/formula"
)

// significanceCases print the results of methods a and b and claim that a's are above b's
// beyond chance, at level alpha. Where the methods do not differ, a claim that is
// confirmed is the error that a test is allowed with probability alpha. As the claim names
// a direction, that happens in half as many runs.
func significanceCases() ([]Case, error) {
	const none, plain = 0.0, 1.0
	var out []Case
	for _, k := range resultKinds() {
		for _, difference := range []float64{none, plain} {
			name := k.Name + ", no difference"
			if difference == plain {
				name = k.Name + ", a plain difference"
			}
			out = append(out, Case{Name: name, True: difference == plain, Counted: results.Confirmed,
				Check: drawn(func(r *rand.Rand, s verify.Settings) (verify.Check, error) {
					c := k.Claim(r, difference)
					c.Level = s.Alpha
					return c, nil
				})})
		}
	}
	return out, nil
}

// resultKind is a kind of results, with the claim that those of the first method are above those of the second: a
// difference of 0 is none, one of 1 is plain.
type resultKind struct {
	Name  string
	Claim func(r *rand.Rand, difference float64) formula.Significance
}

// resultKinds returns the kinds of results.
func resultKinds() []resultKind {
	return []resultKind{
		{"5 repeated runs", func(r *rand.Rand, d float64) formula.Significance {
			return significanceClaim(formula.RepeatedRuns,
				formula.Pair{Left: repeatedRuns(r, 0.8+0.1*d, 0.01), Right: repeatedRuns(r, 0.8, 0.01), Runs: repeatedRunCount})
		}},
		{"5 repeated runs, deviations 1 and 5", func(r *rand.Rand, d float64) formula.Significance {
			return significanceClaim(formula.RepeatedRuns,
				formula.Pair{Left: repeatedRuns(r, 0.8+0.1*d, 0.002), Right: repeatedRuns(r, 0.8, 0.01), Runs: repeatedRunCount})
		}},
		{"same test set", func(r *rand.Rand, d float64) formula.Significance {
			return significanceClaim(formula.SameTestSet, printedShares(r, 0.6+0.3*d, 0.6))
		}},
		{"same test set, in at least 1 of 4 pairs", func(r *rand.Rand, d float64) formula.Significance {
			var pairs []formula.Pair
			for range 4 {
				pairs = append(pairs, printedShares(r, 0.6+0.3*d, 0.6))
			}
			c := significanceClaim(formula.SameTestSet, pairs...)
			c.Need = 1
			return c
		}},
		{"signs of 12 rows", func(r *rand.Rand, d float64) formula.Significance {
			return significanceClaim(formula.SignOfRows, printedRows(r, 12, d)...)
		}},
	}
}

// printedFloat prints x with so many decimals.
func printedFloat(x float64, places int) formula.Cell {
	return formula.Cell{Place: "a result", Text: strconv.FormatFloat(x, 'f', places, 64)}
}

func significanceClaim(test formula.Test, pairs ...formula.Pair) formula.Significance {
	return formula.Significance{Quantity: "accuracy", Sense: verify.Above, Pairs: pairs, Test: test}
}

const repeatedRunCount, testExamples = 5, 400

// repeatedRuns prints mean and deviation of normal results.
func repeatedRuns(r *rand.Rand, mean, deviation float64) formula.Cell {
	var m confidence.Moments
	for range repeatedRunCount {
		_ = m.Add(mean + deviation*rng.Normal(r)) // finite
	}
	return formula.Cell{Place: "a cell", Text: fmt.Sprintf("%.4f±%.4f", m.Mean(), m.StdDev())}
}

// printedShares prints the shares of examples that each of two methods gets right.
func printedShares(r *rand.Rand, left, right float64) formula.Pair {
	count := func(p float64) formula.Cell {
		k := 0
		for range testExamples {
			if r.Float64() < p {
				k++
			}
		}
		return printedFloat(float64(k)/testExamples, 4)
	}
	return formula.Pair{Left: count(left), Right: count(right), Examples: testExamples}
}

// printedRows prints a pair of results a row, of rows of different difficulty.
func printedRows(r *rand.Rand, n int, difference float64) []formula.Pair {
	pairs := make([]formula.Pair, n)
	for i := range pairs {
		base := 50 + 30*r.Float64()
		pairs[i].Left = printedFloat(base+10*difference+rng.Normal(r), 2)
		pairs[i].Right = printedFloat(base+rng.Normal(r), 2)
	}
	return pairs
}
