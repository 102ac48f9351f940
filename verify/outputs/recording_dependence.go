package outputs

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"github.com/dpverify/dpverify/verify/internal/dependence"
)

// All orders of independent releases have the same probability, whatever the mechanism. The tests below use only this
// fact, or a bound on the counts of equal outputs that holds for every distribution. Their error bounds therefore hold
// for discrete and continuous outputs.

// DependenceAlpha bounds the probability that [Recording.Dependence] returns a warning for one recording of
// independent releases.
const DependenceAlpha = 1e-9

// dependenceTests is the number of tests that share DependenceAlpha.
const dependenceTests = 3

// Dependence describes evidence that the outputs are not independent releases of one mechanism; "" if there is none.
//
// Sorted or drifting: of the outputs i and i + n/2, the later one is larger too often or too rarely. For independent
// releases that differ, a fair coin decides which one is larger. If the file is in ascending or descending order of
// the outputs or of one of their first numbers, sorted is true. The releases may then be independent, and a certificate
// does not depend on the order. Outputs in no such order drift.
//
// Counted: a number of the outputs is a row number; see [counter].
//
// Repeated: outputs at some distance from each other are equal too often, given how often each value occurs; see
// [repeats]. Files in order are not tested for this.
//
// Multiplied: every value occurs a multiple of g times, as if each release were written g times; see [multiplied].
func (r Recording) Dependence() (word string, sorted bool) {
	if k := counter(r.Outputs); k > 0 {
		return r.dependent("number %d of each output counts the outputs, as a row number does; remove it from the file", k),
			false
	}
	prints := Fingerprints(r.Outputs)
	const alpha = DependenceAlpha / dependenceTests
	ascents, pairs := trend(r.Outputs)
	ordered := binomialTail(max(ascents, pairs-ascents), pairs, 0.5)*2 <= alpha
	inOrder := inOrder(r.Outputs)
	sorted = ordered && inOrder
	f := countValues(prints)
	if !inOrder {
		if found := repeats(prints, f, alpha); found.p <= alpha {
			return r.dependent("%s; record each release once", found), false
		}
	}
	if g, p := multiplied(f.counts, f.singles); p <= alpha {
		return r.dependent("the counts of their %d values are multiples of %d: %d copies of each release; record "+
			"each release once", f.values(), g, g), false
	}
	if sorted {
		return fmt.Sprintf("%s: the samples are sorted, or drift: for two outputs half the file apart, the later one is "+
			"larger in %d of %d cases; record them as they are released", r.Name, ascents, pairs), true
	}
	if ordered {
		return r.dependent("they drift, and are not sorted: of two outputs half the file apart, the later one is "+
			"larger in %d of %d cases; record releases of a mechanism that keeps no state", ascents, pairs), false
	}
	return "", false
}

// CopiedWord describes evidence that two recordings are not independent of each other; "" if there is none. If two
// lines contain the same two different outputs in both files, and the files are independent, a fair coin decides
// whether the order is the same. The test errs with probability at most [DependenceAlpha].
func CopiedWord(a, b Recording) string {
	x, y := Fingerprints(a.Outputs), Fingerprints(b.Outputs)
	n := min(len(x), len(y))
	same, pairs, alike := 0, 0, 0
	order := rand.New(rand.NewPCG(uint64(n), 0)).Perm(n)
	for i := 1; i < n; i += 2 {
		j, k := order[i-1], order[i]
		switch {
		case x[j] == x[k]:
		case x[j] == y[j] && x[k] == y[k]:
			same++
			pairs++
		case x[j] == y[k] && x[k] == y[j]:
			pairs++
		}
	}
	if binomialTail(same, pairs, 0.5) > DependenceAlpha {
		return ""
	}
	for i := range n {
		if x[i] == y[i] {
			alike++
		}
	}
	return fmt.Sprintf("%s and %s are not independent of one another: %d of %d lines are the same in both", a.Name,
		b.Name, alike, n)
}

// dependent returns the warning that states a finding about the recording.
func (r Recording) dependent(finding string, args ...any) string {
	return r.Name + ": " + dependence.Finding + fmt.Sprintf(finding, args...)
}

// trend counts the pairs of different outputs half the file apart, and those whose later output is larger.
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

// monotone reports whether n outputs are in ascending or descending order.
func monotone(n int, compare func(i, j int) int) bool {
	up, down := true, true
	for i := 1; i < n && (up || down); i++ {
		c := compare(i-1, i)
		up, down = up && c <= 0, down && c >= 0
	}
	return up || down
}

// inOrder reports whether outputs are sorted by their value, by their text or by one of their first numbers.
func inOrder(outputs []any) bool {
	n := len(outputs)
	if monotone(n, func(i, j int) int { return compare(outputs[i], outputs[j]) }) ||
		monotone(n, func(i, j int) int { return strings.Compare(text(outputs[i]), text(outputs[j])) }) {
		return true
	}
	for k := range dependence.WatchedNumbers {
		all := true
		number := func(i int) float64 {
			numbers := dependence.AppendNumbers(nil, outputs[i], dependence.WatchedNumbers)
			if all = all && len(numbers) > k; !all {
				return math.NaN()
			}
			return numbers[k]
		}
		if monotone(n, func(i, j int) int { return cmp.Compare(number(i), number(j)) }) {
			return all
		}
	}
	return false
}

// text formats a number as most programs do. This determines its place in a file sorted as text.
func text(v any) string {
	x, number := v.(float64)
	switch {
	case !number:
		return fmt.Sprint(v)
	case x != 0 && (math.Abs(x) < 1e-4 || math.Abs(x) >= 1e16):
		return strconv.FormatFloat(x, 'e', -1, 64)
	}
	return strconv.FormatFloat(x, 'f', -1, 64)
}

// compare orders outputs: numbers by size, arrays by their first different values, others by their text.
func compare(a, b any) int {
	listA, arrayA := a.([]any)
	listB, arrayB := b.([]any)
	if arrayA && arrayB {
		return slices.CompareFunc(listA, listB, compare)
	}
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

// binomialTail returns P(X ≥ k) for n trials with success probability p.
func binomialTail(k, n int, p float64) float64 {
	if k <= 0 {
		return 1
	}
	return mathext.RegIncBeta(float64(k), float64(n-k+1), p)
}
