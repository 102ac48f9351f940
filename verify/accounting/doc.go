// Package accounting checks claims about a release that is described and not run: what an
// accountant proves of the description decides. A guarantee holds where the upper end of the
// bracket is at most what is claimed, and is refuted where the lower end is above it; a printed
// number holds where the bracket lies within what was rounded, and is refuted where the two do
// not meet. In between, the bracket is made narrower first, as far as the budget goes, and the
// verdict is inconclusive where it stays too wide. Nothing is sampled: there is no error
// probability, and the rounding of doubles is within the brackets; see package accountant.
//
// The truth of which the brackets speak is that of the description. A mechanism that is said to
// be ε₀-DP and no more is any such mechanism, and the worst of them decides. Whether a program
// is what is described, [Release.Audited] asks of its outputs.
package accounting
