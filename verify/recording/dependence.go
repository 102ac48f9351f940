package recording

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/dpverify/dpverify/verify/internal/dependence"
	"github.com/dpverify/dpverify/verify/internal/values"
)

// Outputs of independent releases come in any order with the same probability, whatever the
// mechanism. That, and what the counts of equal outputs can be, is all the tests below rest on:
// they err with the probability stated on mechanisms of few values as on continuous ones.

// DependenceAlpha bounds the probability that one recording of independent releases gets any word
// of [Recording.Dependence].
const DependenceAlpha = 1e-9

// dependenceTests share DependenceAlpha.
const dependenceTests = 3

// Dependence says how the outputs of a recording are evidently no independent releases of one
// mechanism, in words; "" where nothing shows.
//
// Sorted, or drifting: of the outputs i and i + n/2 the later one is the larger too often, or too
// rarely; a fair coin says which, if the outputs are exchangeable. If the file is in ascending or descending order, of
// the outputs or of one of their first numbers, then sorted is true: the order does not count for a certificate, and
// the releases may be independent. Outputs in another order drift.
//
// Repeated: outputs at some distance from one another are equal too often. Where two of four
// outputs have one value and the other two another, each of the three ways in which they can
// be equal is as likely as the others, whatever the values.
//
// Multiplied: every value stands there a multiple of g times, as where a few releases are written
// g times each. Of n releases with k values that has a probability of at most
// c^k·√(2πn)·e^(1/12n), where c ≤ 1/2 is the largest ratio, over the mean, of the probability
// that a Poisson count is a positive multiple of g to that of a positive count.
func (r Recording) Dependence() (word string, sorted bool) {
	prints := values.Fingerprints(r.Outputs)
	const alpha = DependenceAlpha / dependenceTests
	if g, k, p := multiplied(prints); p <= alpha {
		return fmt.Sprintf("%s: the samples are not independent releases: each of its %d values stands there a multiple of "+
			"%d times (%d samples)", r.Name, k, g, len(prints)), false
	}
	ascents, pairs := trend(r.Outputs)
	ordered := binomialTail(max(ascents, pairs-ascents), pairs, 0.5)*2 <= alpha
	sorted = ordered && inOrder(r.Outputs)
	if lag, equal, of, p := repeats(prints); p <= alpha && !sorted {
		return fmt.Sprintf("%s: the samples are not independent releases: outputs %s repeat each other (%d of %d "+
			"comparisons, where a third is expected)", r.Name, apart(lag), equal, of), false
	}
	if sorted {
		return fmt.Sprintf("%s: the samples are sorted, or drift: of outputs half the file apart the "+
			"later one is the larger "+
			"in %d of %d cases; record them as they are released", r.Name, ascents, pairs), true
	}
	if ordered {
		return fmt.Sprintf("%s: %sthey drift, and are not sorted: of outputs half the file apart the later one is the "+
			"larger in %d of %d cases; record releases of a mechanism that keeps no state", r.Name, dependence.Finding,
			ascents, pairs), false
	}
	return "", false
}

// Copied says how two recordings are evidently not independent of one another, in words; "" where
// nothing shows. Of two lines with the same two outputs in both files, in whatever order, a fair
// coin says whether each stands on its own line again. It errs with probability at most
// [DependenceAlpha].
func Copied(a, b Recording) string {
	x, y := values.Fingerprints(a.Outputs), values.Fingerprints(b.Outputs)
	n := min(len(x), len(y))
	same, of, alike := 0, 0, 0
	order := rand.New(rand.NewPCG(uint64(n), 0)).Perm(n)
	for i := 1; i < n; i += 2 {
		j, k := order[i-1], order[i]
		switch {
		case x[j] == x[k]:
		case x[j] == y[j] && x[k] == y[k]:
			same++
			of++
		case x[j] == y[k] && x[k] == y[j]:
			of++
		}
	}
	if binomialTail(same, of, 0.5) > DependenceAlpha {
		return ""
	}
	for i := range n {
		if x[i] == y[i] {
			alike++
		}
	}
	return fmt.Sprintf("%s and %s are not independent of one another: %d of %d lines are the same in both", a.Name, b.Name,
		alike, n)
}

func apart(lag int) string {
	if lag == 1 {
		return "next to each other"
	}
	return fmt.Sprintf("%d lines apart", lag)
}

// trend counts, of outputs half a file apart that differ, where the later one is larger.
func trend(outputs []any) (ascents, pairs int) {
	half := len(outputs) / 2
	for i := range half {
		switch compare(outputs[i], outputs[i+half]) {
		case -1:
			ascents++
			pairs++
		case 1:
			pairs++
		}
	}
	return ascents, pairs
}

// monotone tells outputs that never turn.
func monotone(outputs []any) bool {
	up, down := true, true
	for i := 1; i < len(outputs); i++ {
		c := compare(outputs[i-1], outputs[i])
		up, down = up && c <= 0, down && c >= 0
	}
	return up || down
}

// inOrder reports whether outputs are sorted, by themselves or by one of their first numbers.
func inOrder(outputs []any) bool {
	if monotone(outputs) {
		return true
	}
	for k := range values.Followed {
		column := make([]any, len(outputs))
		for i, o := range outputs {
			numbers := values.Numbers(nil, o, values.Followed)
			if len(numbers) <= k {
				return false
			}
			column[i] = numbers[k]
		}
		if monotone(column) {
			return true
		}
	}
	return false
}

// compare orders outputs: numbers by size, others in some fixed way.
func compare(a, b any) int {
	x, numberX := a.(float64)
	y, numberY := b.(float64)
	if numberX && numberY {
		switch {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	}
	s, t := fmt.Sprint(a), fmt.Sprint(b)
	switch {
	case s < t:
		return -1
	case s > t:
		return 1
	}
	return 0
}

// mostLags that are tried: the distances from the first outputs to those equal to them.
const mostLags = 8

// repeats is the distance at which outputs repeat each other most evidently. Of two pairs of
// outputs, each a lag apart, with two values twice each among the four, those of a pair are
// the equal ones with probability 1/3. No output is in two of the pairs, and no pair in two of
// the comparisons; p is for all distances together.
func repeats(prints []uint64) (lag, equal, of int, p float64) {
	n := len(prints)
	p = 1
	for _, d := range lags(prints) {
		var pairs [][2]uint64
		for i := 0; i+d < n; i++ {
			if i/d%2 == 0 { // else it was the later one of a pair
				pairs = append(pairs, [2]uint64{prints[i], prints[i+d]})
			}
		}
		hits, all := 0, 0
		// In an order that depends on their number alone: neighbours tell little of each other.
		order := rand.New(rand.NewPCG(uint64(n), uint64(d))).Perm(len(pairs))
		for i := 1; i < len(order); i += 2 {
			x, y := pairs[order[i-1]], pairs[order[i]]
			switch {
			case x == y && x[0] == x[1]: // one value
			case x[0] == x[1] && y[0] == y[1]:
				hits++
				all++
			case x[0] != x[1] && (x == y || x[0] == y[1] && x[1] == y[0]):
				all++
			}
		}
		if q := binomialTail(hits, all, 1.0/3) * float64(n); q < p { // any distance might have been tried
			lag, equal, of, p = d, hits, all, q
		}
	}
	return lag, equal, of, p
}

// lags are the distances from the first output, and from that in the middle, to the next equal ones.
func lags(prints []uint64) []int {
	out := []int{1}
	for _, from := range []int{0, len(prints) / 2} {
		for i, found := from+1, 0; i < len(prints) && found < mostLags; i++ {
			if prints[i] == prints[from] {
				found++
				out = append(out, i-from)
			}
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// multiplied is the greatest common divisor g of how often each of the k values stands there, and
// a bound of the probability of that, over all divisors above 1.
func multiplied(prints []uint64) (g, k int, p float64) {
	sorted := slices.Sorted(slices.Values(prints))
	for from, to := 0, 0; from < len(sorted); from = to {
		for to = from; to < len(sorted) && sorted[to] == sorted[from]; to++ {
		}
		g, k = divisor(g, to-from), k+1
	}
	if g < 2 {
		return g, k, 1
	}
	n := float64(len(prints))
	logP := float64(k)*math.Log(multipleShare(g)) + math.Log(2*math.Pi*n)/2 + 1/(12*n) + math.Log(n)
	return g, k, math.Min(1, math.Exp(logP))
}

func divisor(a, b int) int {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// multipleShare bounds, over all means y, the probability that a Poisson count is a positive
// multiple of g divided by that of a positive count. It is at most 1/2: terms y^j/j! with j beside
// a multiple of g outweigh that of the multiple, and for g = 2 it is (1 − e^(−y))/2. From g = 4
// on its largest value, near y = g, is below 1.5/√(2πg); a test computes it.
func multipleShare(g int) float64 {
	if g < 4 {
		return 0.5
	}
	return 1.5 / math.Sqrt(2*math.Pi*float64(g))
}

// binomialTail is P(X ≥ k) of n trials.
func binomialTail(k, n int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}
