// Package inputs describes the input space of a mechanism and its pairs of neighbours. It searches them for the
// worst case of a claim. Privacy audits search over pairs of neighbours, and a sensitivity is a maximum over them.
//
// In Go, a [PairSpace] proposes neighbouring inputs of any type; [Datasets] is the one of lists of records, and a
// [PairSearch] finds its worst pair. What a claims file describes is a [Space].
//
// A [Type] is a set of JSON values: [Int], [Float], [Bool], [Enum], [String], [List], [Object],
// [Tuple] and [Vector] build one, and [ParseType] reads one:
//
//	{list: {record: {object: {age: {int: [0, 120]}, income: {float: [0, 1e6]}}}, size: [0, 50]}}
//
// A [Space] joins it with a [Relation], which says which two values are neighbours: datasets of
// which one has a record more, or that differ in one record, or vectors of numbers at a bounded
// distance, or any two values (local differential privacy). It proposes pairs of neighbours: first those at the edges
// (no record, one, the most; all
// equal, one of another kind, a class that is absent, an outlier at the bounds, sorted and reversed,
// every number of records, and NaN where the type allows it), then the patterns of StatDP (Ding et
// al. 2018) and DP-Sniper (Bichsel et al. 2021), and then, to a local search, pairs like one that it
// has and pairs that are simpler.
//
// [NewPairSpace] makes of it a [PairSpace] over the Go type that a mechanism takes. [Search] chooses
// among candidates of any kind by few samples of each: those of more promise get more.
package inputs
