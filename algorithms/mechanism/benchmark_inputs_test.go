package mechanism

import (
	"math"
	"slices"
)

type pair struct{ a, b []float64 }

func fill(n int, v float64) []float64 { return slices.Repeat([]float64{v}, n) }

func halves(n int, left, right float64) []float64 {
	return append(fill(n/2, left), fill(n-n/2, right)...)
}

func withFirst(x []float64, v float64) []float64 {
	x = slices.Clone(x)
	x[0] = v
	return x
}

// oneDiffer returns the benchmark's neighbors "one" for n answers. allDiffer returns its neighbors "all".
func oneDiffer(n int) []pair {
	ones := fill(n, 1)
	return []pair{{ones, withFirst(ones, 0)}, {ones, withFirst(ones, 2)}}
}

func allDiffer(n int) []pair {
	ones := fill(n, 1)
	pairs := oneDiffer(n)
	for _, b := range [][]float64{
		withFirst(fill(n, 0), 2), withFirst(fill(n, 2), 0), halves(n, 2, 0), fill(n, 2), fill(n, 0),
	} {
		pairs = append(pairs, pair{ones, b})
	}
	return append(pairs, pair{halves(n, 1, 0), halves(n, 0, 1)})
}

// reachable returns the largest |log ratio| of two distributions over the pairs.
func reachable(pairs []pair, law func([]float64) []float64) float64 {
	worst := 0.0
	for _, p := range pairs {
		a, b := law(p.a), law(p.b)
		for i := range a {
			if a[i] > 0 || b[i] > 0 {
				worst = max(worst, math.Abs(math.Log(a[i]/b[i])))
			}
		}
	}
	return worst
}
