package outputs

import "github.com/dpverify/dpverify/verify/internal/dependence"

// leastCounted is the minimum number of outputs that are tested for a counter.
const leastCounted = 20

// counter returns the position, from 1, of the first number that counts the outputs: it changes by the same amount from
// each output to the next, as a row number does. It returns 0 if there is none. Of the n! equally likely orders of n
// independent releases at most two count, so the error probability is at most 2·8/20!, below 1e-17.
func counter(outputs []any) int {
	if len(outputs) < leastCounted {
		return 0
	}
	numbers := func(i int) []float64 { return dependence.AppendNumbers(nil, outputs[i], dependence.WatchedNumbers) }
	first, last := numbers(0), numbers(1)
	counts := make([]bool, min(len(first), len(last)))
	for k := range counts {
		counts[k] = last[k] != first[k]
	}
	open := len(counts) > 0
	for i := 2; i < len(outputs) && open; i++ {
		row := numbers(i)
		open = false
		for k := range counts {
			counts[k] = counts[k] && k < len(row) && row[k]-last[k] == last[k]-first[k]
			open = open || counts[k]
		}
		first, last = last, row
	}
	for k, c := range counts {
		if c {
			return k + 1
		}
	}
	return 0
}
