package calibration

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strconv"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/calibration/results"
	"github.com/dpverify/dpverify/verify/formula"
)

// significanceCases returns claims, from printed results of two methods, that the first is significantly above the
// second, at level alpha. If the methods do not differ, a confirmed claim is an error, which a test may make with
// probability alpha. Because the claim is one-sided, it happens in half as many runs.
func significanceCases() (out []Case) {
	for _, k := range []struct {
		name  string
		claim func(r *rand.Rand, difference float64) formula.Significance // 0: no difference; 1: a clear difference
	}{
		{"5 repeated runs", repeatedRuns(0.01)},
		{"5 repeated runs, deviations 1 and 5", repeatedRuns(0.002)},
		{"same test set", sameTestSet(1)},
		{"same test set, in at least 1 of 4 pairs", sameTestSet(4)},
		{"signs of 12 rows", printedRows(12)},
	} {
		for difference, name := range []string{", no difference", ", a plain difference"} {
			out = append(out, Case{Name: k.name + name, isTrue: difference == 1, event: results.Confirmed,
				check: verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
					c := k.claim(s.Stream("instance"), float64(difference))
					c.Quantity, c.Sense, c.Level = "accuracy", verify.Above, s.Alpha
					return c.Prepare(ctx, s)
				})})
		}
	}
	return out
}

// printedFloat prints x with the given number of decimals.
func printedFloat(x float64, places int) formula.Cell {
	return formula.Cell{Place: "a result", Text: strconv.FormatFloat(x, 'f', places, 64)}
}

const repeatedRunCount, testExamples = 5, 400

// repeatedRuns prints means and standard deviations of normal results. deviation is for the first method; the second
// has 0.01.
func repeatedRuns(deviation float64) func(*rand.Rand, float64) formula.Significance {
	cell := func(r *rand.Rand, mean, deviation float64) formula.Cell {
		var m confidence.Moments
		for range repeatedRunCount {
			_ = m.Add(mean + deviation*rng.Normal(r)) // finite
		}
		return formula.Cell{Place: "a cell", Text: fmt.Sprintf("%.4f±%.4f", m.Mean(), m.StdDev())}
	}
	return func(r *rand.Rand, difference float64) formula.Significance {
		return formula.Significance{Test: formula.RepeatedRuns, Pairs: []formula.Pair{{
			Left: cell(r, 0.8+0.1*difference, deviation), Right: cell(r, 0.8, 0.01), Runs: repeatedRunCount}}}
	}
}

// sameTestSet prints pairs of accuracies of two methods on one test set. With several pairs, the claim is that at
// least one differs.
func sameTestSet(pairs int) func(*rand.Rand, float64) formula.Significance {
	share := func(r *rand.Rand, p float64) formula.Cell {
		k := 0
		for range testExamples {
			if r.Float64() < p {
				k++
			}
		}
		return printedFloat(float64(k)/testExamples, 4)
	}
	return func(r *rand.Rand, difference float64) formula.Significance {
		c := formula.Significance{Test: formula.SameTestSet}
		for range pairs {
			c.Pairs = append(c.Pairs, formula.Pair{Left: share(r, 0.6+0.3*difference), Right: share(r, 0.6),
				Examples: testExamples})
		}
		if pairs > 1 {
			c.Need = 1
		}
		return c
	}
}

// printedRows prints one pair of results per row, for rows of different difficulty.
func printedRows(n int) func(*rand.Rand, float64) formula.Significance {
	return func(r *rand.Rand, difference float64) formula.Significance {
		c := formula.Significance{Test: formula.SignOfRows}
		for range n {
			base := 50 + 30*r.Float64()
			c.Pairs = append(c.Pairs, formula.Pair{Left: printedFloat(base+10*difference+rng.Normal(r), 2),
				Right: printedFloat(base+rng.Normal(r), 2)})
		}
		return c
	}
}
