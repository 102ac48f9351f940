package dependence

import (
	"math"
	"slices"
)

// Groups returns an [Error] if the outputs of two groups evidently have different distributions, for example outputs of
// two processes that were started one after the other. The message begins with what.
//
// Independent outputs of one distribution divide between the groups at random, for any values. So the number of copies
// of one value in the first group is hypergeometric, and so is the number of outputs that are at most a value. Each
// value and each first number is tested; the tests share alpha (Bonferroni).
func Groups(a, b *Reply, alpha float64, what string) error {
	var tests []func(output) bool
	all := slices.Concat(a.outputs, b.outputs)
	prints := make(map[uint64]bool)
	var numbers []float64
	for _, o := range all {
		if !prints[o.print] {
			prints[o.print] = true
			tests = append(tests, func(p output) bool { return p.print == o.print })
		}
		if x := o.features[0]; !math.IsNaN(x) && !slices.Contains(numbers, x) {
			numbers = append(numbers, x)
			tests = append(tests, func(p output) bool { return p.features[0] <= x })
		}
	}
	for _, holds := range tests {
		k, other := 0, 0
		for _, o := range a.outputs {
			if holds(o) {
				k++
			}
		}
		for _, o := range b.outputs {
			if holds(o) {
				other++
			}
		}
		p := 2 * min(hypergeometricTail(k, k+other, a.Len(), len(all)), hypergeometricTail(other, k+other, b.Len(),
			len(all)))
		if p*float64(len(tests)) <= alpha {
			return found(alpha, "%s: one event holds in %.3g of the %d outputs of one and in %.3g of the %d outputs of "+
				"the other",
				what, float64(k)/float64(a.Len()), a.Len(), float64(other)/float64(b.Len()), b.Len())
		}
	}
	return nil
}

// hypergeometricTail returns P(X ≥ k), where X is the number of marked outputs among n outputs drawn from all; m of all
// are marked.
func hypergeometricTail(k, m, n, all int) float64 {
	sum := 0.0
	for i := k; i <= min(m, n); i++ {
		if n-i <= all-m {
			sum += math.Exp(choose(m, i) + choose(all-m, n-i) - choose(all, n))
		}
	}
	return min(1, sum)
}

// choose returns the logarithm of a binomial coefficient.
func choose(n, k int) float64 {
	lg := func(x int) float64 { y, _ := math.Lgamma(float64(x) + 1); return y }
	return lg(n) - lg(k) - lg(n-k)
}

// SameValues returns the logarithm of a bound on the probability that independent outputs have exactly these values in
// some order, for any distribution. The bound is the multinomial probability at the observed frequencies.
func SameValues(prints []uint64) float64 {
	counts := make(map[uint64]int)
	for _, p := range prints {
		counts[p]++
	}
	n := float64(len(prints))
	bound, _ := math.Lgamma(n + 1)
	frequencies := make([]int, 0, len(counts))
	for _, k := range counts {
		frequencies = append(frequencies, k)
	}
	slices.Sort(frequencies) // fixed order, since sums are rounded
	for _, k := range frequencies {
		lg, _ := math.Lgamma(float64(k) + 1)
		bound += float64(k)*math.Log(float64(k)/n) - lg
	}
	return bound
}
