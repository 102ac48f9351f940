// Package permutation has tests by rearrangement: of paired differences, and of correlations.
package permutation
