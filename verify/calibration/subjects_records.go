package calibration

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/verify/inputs"
)

// sets returns mechanisms that release the keys above a threshold.
func sets() []Subject {
	const epsilon, threshold, length = 1.0, 6, 3
	const span = 60 // counts beyond, of probability e⁻⁶⁰, are merged
	partitions := must(mechanism.NewPartitionSelection(1/epsilon, threshold))
	histogram := must(mechanism.NewThresholdedHistogram(epsilon, threshold))
	trie := must(mechanism.NewTrie("ab", length, length/epsilon, 3))
	return []Subject{
		subjectOf[[]string, []string]{id: "partition", mechanism: partitions, advertised: epsilon,
			delta: slightlyAbove(math.Exp(partitions.LogDensity([]string{"c"}, []string{"c"}))),
			pairs: []inputs.Pair[[]string]{
				oneMore("c", "a", 8, "b", 4), oneMore("c", "a", 8, "b", 4, "c", 4), oneMore("a", "a", 5, "b", 5),
			},
			law: func(users []string) []float64 { return setMasses(partitions, users, []string{"a", "b", "c"}) }}.hide(),
		subjectOf[[]string, any]{id: "hist_threshold", mechanism: histogram, advertised: epsilon,
			delta: slightlyAbove(1 - histogram.Distribution(1, span)[0]),
			pairs: []inputs.Pair[[]string]{oneMore("c", "a", 8, "b", 4), oneMore("c", "a", 8, "c", 5)},
			law:   func(items []string) []float64 { return histogram.Distribution(occurrences(items, "c"), span) }}.hide(),
		subjectOf[[]string, []string]{id: "trie", mechanism: trie, advertised: epsilon, law: trie.Distribution,
			pairs: []inputs.Pair[[]string]{
				oneMore("bba", "aab", 6, "bab", 3), oneMore("aab", "aab", 6, "abb", 3), oneMore("bbb"),
			}}.hide(),
	}
}

// oneMore returns a pair of item lists that differ by one item. others are alternately an item and its count.
func oneMore(item string, others ...any) inputs.Pair[[]string] {
	a := []string{}
	for i := 0; i < len(others); i += 2 {
		a = append(a, slices.Repeat([]string{others[i].(string)}, others[i+1].(int))...)
	}
	return pairOf("one "+item+" less or more", a, append(slices.Clone(a), item))
}

func occurrences(items []string, key string) (n int) {
	for _, item := range items {
		if item == key {
			n++
		}
	}
	return n
}

// setMasses returns the probabilities of all subsets of the keys.
func setMasses(m *mechanism.PartitionSelection, users, keys []string) (law []float64) {
	for set := range 1 << len(keys) {
		var out []string
		for i, key := range keys {
			if set>>i&1 == 1 {
				out = append(out, key)
			}
		}
		law = append(law, math.Exp(m.LogDensity(users, out)))
	}
	return law
}

// numbers returns mechanisms for statistics of clipped numbers and counts, and for a record of several fields.
func numbers() []Subject {
	const epsilon, n, levels, bits, group, answer = 1.0, 5, 4, 3, 0.5, 0.5
	const nodes, far = 1<<levels - 1, 40
	mean, tree := must(mechanism.NewClippedMean(0, 1, 1/(n*epsilon))), must(mechanism.NewCountTree(levels, epsilon/levels))
	twos := slices.Repeat([]int{2}, 1<<(levels-1))
	record := must(mechanism.NewRecord(bits, group, answer))
	return []Subject{
		subjectOf[[]float64, float64]{id: "clipped_mean", mechanism: mean, advertised: epsilon, density: mean.LogDensity,
			probes: []float64{0, 1},
			pairs: []inputs.Pair[[]float64]{
				pairOf("all 0 and last 7", fill(n, 0), []float64{0, 0, 0, 0, 7}),
				pairOf("spread, and one below moved above", []float64{-1, 0.2, 0.4, 0.7, 2}, []float64{3, 0.2, 0.4, 0.7, 2}),
			}}.hide(),
		subjectOf[[]int, []int]{id: "count_tree", mechanism: tree, advertised: epsilon, density: tree.LogDensity,
			probes: [][]int{slices.Repeat([]int{-far}, nodes), slices.Repeat([]int{far}, nodes)},
			pairs:  []inputs.Pair[[]int]{pairOf("all 2 and first 3", twos, append([]int{3}, twos[1:]...))}}.hide(),
		subjectOf[mechanism.Visit, any]{id: "json_record", mechanism: record, law: record.Distribution,
			advertised: math.Log1p(math.Pow(2, -bits)) + group + answer,
			pairs: []inputs.Pair[mechanism.Visit]{
				pairOf("count, group and an answer differ", mechanism.Visit{Count: 2, Group: 1, Agrees: [3]bool{true, false, true}},
					mechanism.Visit{Count: 3, Group: 2, Agrees: [3]bool{true, true, true}}),
			}}.hide(),
	}
}
