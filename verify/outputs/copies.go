package outputs

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// frequencies holds how often each value of a recording occurs.
type frequencies struct {
	counts  []count // of the values that occur at least twice, the most frequent first
	singles int     // number of values that occur once
	n       int     // number of outputs
}

type count struct {
	print uint64 // hash of the value
	n     int    // number of outputs with this value
}

// countValues counts how often each hash occurs.
func countValues(prints []uint64) frequencies {
	f := frequencies{n: len(prints)}
	sorted := slices.Clone(prints)
	slices.Sort(sorted)
	for from, to := 0, 0; from < len(sorted); from = to {
		for to = from; to < len(sorted) && sorted[to] == sorted[from]; to++ {
		}
		if to-from == 1 {
			f.singles++
			continue
		}
		f.counts = append(f.counts, count{sorted[from], to - from})
	}
	slices.SortFunc(f.counts, func(a, b count) int { return cmp.Or(b.n-a.n, cmp.Compare(a.print, b.print)) })
	return f
}

func (f frequencies) values() int { return len(f.counts) + f.singles }

// equalShare returns the probability that two outputs at different places are equal, if all orders are equally likely.
func (f frequencies) equalShare() float64 {
	sum := 0.0
	for _, c := range f.counts {
		sum += float64(c.n) * float64(c.n-1)
	}
	return sum / (float64(f.n) * float64(f.n-1))
}

// Two classifications of the values: both depend only on how often each value occurs, not on the order.
const (
	half = 1 << iota // the value is in the second of two sets of values with about equally many outputs
	rare             // the value occurs in at most an eighth of the outputs, and more than once
)

// classes returns the class of each value that occurs at least twice, and the class of the others.
func (f frequencies) classes() (of map[uint64]uint8, single uint8) {
	of = make(map[uint64]uint8, len(f.counts))
	var halves [2]int
	put := func(n int) (class uint8) {
		if halves[1] < halves[0] {
			class = half
		}
		halves[class] += n
		return class
	}
	single = put(f.singles)
	for _, c := range f.counts {
		class := put(c.n)
		if c.n <= f.n/8 {
			class |= rare
		}
		of[c.print] = class
	}
	return of, single
}

// repetition is a distance at which outputs are equal.
type repetition struct {
	lag, equal, n int
	expected      float64 // number of equal outputs in a random order
	inARow        int     // greatest common divisor of the lengths of all runs of equal outputs
	p             float64
}

func (r repetition) String() string {
	switch all := r.equal == r.n-r.lag; {
	case r.inARow > 1:
		return fmt.Sprintf("each output is written %[1]d times in a row, or a multiple of %[1]d times", r.inARow)
	case all && r.n%r.lag == 0:
		return fmt.Sprintf("every output occurs again %d lines later: %d copies of one recording", r.lag, r.n/r.lag)
	case all:
		return fmt.Sprintf("every output occurs again %d lines later: %d copies of one recording and %d lines of "+
			"another copy", r.lag, r.n/r.lag, r.n%r.lag)
	}
	where := fmt.Sprintf("%d lines later", r.lag)
	if r.lag == 1 {
		where = "on the next line"
	}
	if r.excess() == 0 {
		return fmt.Sprintf("outputs resemble the output %s too often", where)
	}
	return fmt.Sprintf("%d of %d outputs occur again %s, against about %.3g in a random order", r.equal, r.n-r.lag,
		where, r.expected)
}

// repeats returns a distance at which so many outputs are equal that its p-value is at most alpha, if all orders are
// equally likely. If there are several such distances, it prefers a large excess of equal outputs, then a small
// distance. If there is none, p is 1. The p-value allows for all distances, so it does not depend on the choice of the
// suspects.
//
// The outputs at a distance form disjoint pairs: each output of an even block of lag outputs and the output lag lines
// later, or each output of an odd block. In a random order every way to distribute the outputs to the pairs is equally
// likely, for any distribution of the outputs, conditional on the frequencies of the values.
func repeats(prints []uint64, f frequencies, alpha float64) repetition {
	found := repetition{n: len(prints), p: 1}
	if f.values() < 2 || len(f.counts) == 0 {
		return found
	}
	of, single := f.classes()
	classes := make([]uint8, len(prints))
	for i, p := range prints {
		class, repeated := of[p]
		if classes[i] = class; !repeated {
			classes[i] = single
		}
	}
	const tests = 2 * 2 // even or odd blocks, halves or rare values
	logTests := math.Log(tests * float64(len(prints)))
	for _, lag := range suspects(prints, f) {
		log := 0.0
		for odd := range 2 {
			p := pairsAt(prints, classes, lag, odd)
			log = min(log, p.logHalves()+logTests, p.logRare(f)+logTests)
		}
		if log > math.Log(alpha) {
			continue
		}
		r := repetition{lag: lag, n: len(prints), p: math.Exp(log), expected: f.equalShare() * float64(len(prints)-lag)}
		for i := lag; i < len(prints); i++ {
			if prints[i] == prints[i-lag] {
				r.equal++
			}
		}
		// Multiples of the distance of copies are about as significant: the smallest distance describes the copies.
		if found.p == 1 || 0.7*r.excess() > found.excess() {
			found = r
		}
	}
	if found.lag == 1 {
		found.inARow = runDivisor(prints)
	}
	return found
}

// excess returns the number of equal outputs beyond the expected number.
func (r repetition) excess() float64 { return max(0, float64(r.equal)-r.expected) }

// runDivisor returns the greatest common divisor of the lengths of the runs of equal outputs.
func runDivisor(prints []uint64) (g int) {
	for from, to := 0, 0; from < len(prints); from = to {
		for to = from; to < len(prints) && prints[to] == prints[from]; to++ {
		}
		g = divisor(g, to-from)
	}
	return g
}

// pairing counts disjoint pairs of outputs.
type pairing struct {
	pairs  int
	second int // outputs in the second half
	mixed  int // pairs with an output in each half
	rare   int // pairs of two equal rare values
}

// pairsAt counts the pairs whose first outputs are in the even blocks of lag outputs, or in the odd ones.
func pairsAt(prints []uint64, classes []uint8, lag, odd int) (p pairing) {
	for from := odd * lag; from+lag < len(prints); from += 2 * lag {
		for i := from; i < min(from+lag, len(prints)-lag); i++ {
			a, b := classes[i], classes[i+lag]
			p.pairs++
			p.second += int(a&half) + int(b&half)
			p.mixed += int((a ^ b) & half)
			if a&rare != 0 && prints[i] == prints[i+lag] {
				p.rare++
			}
		}
	}
	return p
}

// negligible is the logarithm of a probability below which the exact value does not matter.
const negligible = -700

// logHalves returns the logarithm of the probability of at most p.mixed mixed pairs. There are m!/(a! u! b!)·2^u ways
// to place the outputs of the second half with u mixed pairs, a pairs within one half and b within the other.
func (p pairing) logHalves() float64 {
	m, c := p.pairs, p.second
	log := func(u int) float64 {
		a := (c - u) / 2
		return logFactorial(m) - logFactorial(a) - logFactorial(u) - logFactorial(m-u-a) + float64(u)*math.Ln2 -
			(logFactorial(2*m) - logFactorial(c) - logFactorial(2*m-c))
	}
	if m == 0 || float64(p.mixed) >= float64(c)*float64(2*m-c)/float64(2*m-1) {
		return 0
	}
	first := log(p.mixed)
	sum := 0.0
	for u := p.mixed; u >= 0; u -= 2 {
		term := math.Exp(log(u) - first)
		if sum += term; term < 1e-17 {
			break
		}
	}
	return min(0, first+math.Log(sum))
}

// logRare returns the logarithm of a bound on the probability of at least as many pairs of equal rare values. It is
// E[C(T, s)]/C(t, s), which bounds P(T ≥ t) for every s ≤ t (Markov). The expectation sums, over C(m, s) sets of pairs,
// the probability that all pairs of the set are equal. That is at most (Σ c(c−1))^s/(n(n−1)…(n−2s+1)), where c are the
// counts of the rare values.
func (p pairing) logRare(f frequencies) float64 {
	ordered := 0.0
	for _, c := range f.counts {
		if c.n <= f.n/8 {
			ordered += float64(c.n) * float64(c.n-1)
		}
	}
	log := 0.0
	for s := 0; s < p.rare && log > negligible; s++ {
		left := float64(f.n - 2*s)
		ratio := float64(p.pairs-s) / float64(p.rare-s) * ordered / (left * (left - 1))
		if ratio >= 1 { // it increases with s
			break
		}
		log += math.Log(ratio)
	}
	return log
}

func logFactorial(n int) float64 { lg, _ := math.Lgamma(float64(n) + 1); return lg }
