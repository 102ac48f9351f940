// Package inputs describes the input space of a mechanism and proposes pairs of neighbors, among which an audit
// searches for the worst case of a claim.
//
// In Go, a [PairSpace] proposes neighboring inputs of any type. [Datasets] is the PairSpace for lists of records, and
// [PairSearch] finds the pair with the largest computed value. A claims file describes a [Space].
//
// A [Type] is a set of JSON values: [Int], [Float], [Bool], [Enum], [String], [List], [Object],
// [Tuple] and [Vector] build one, and [ParseType] reads one:
//
//	{list: {record: {object: {age: {int: [0, 120]}, income: {float: [0, 1e6]}}}, size: [0, 50]}}
//
// A [Space] combines a type with a [Relation] that defines neighbors: datasets that differ by one added, removed or
// replaced record, vectors of numbers within a distance, or any two values (local differential privacy). It proposes
// pairs in three steps. Edge cases come first: no record, one record, the maximum, equal records, one outlier, an
// absent class, sorted and reversed records, every number of records, and NaN if the type allows it. The patterns of
// StatDP (Ding et al. 2018) and DP-Sniper (Bichsel et al. 2021) follow. For a local search, the space then proposes
// mutations and simplifications of a given pair.
// has and pairs that are simpler.
// [NewPairSpace] turns a Space into a [PairSpace] for the Go type that a mechanism takes. [Search] ranks candidates of
// any kind from few samples of each and spends more samples on the better ones.
package inputs
