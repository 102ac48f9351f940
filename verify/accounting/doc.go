// Package accounting checks claims about a described release with package accountant. It does not run or sample a
// mechanism, so the verdict has no error probability. The accountant's bracket includes rounding errors.
//
// A guarantee holds if the upper end of the bracket is at most the claimed value. It is refuted if the lower end
// is above it. A reported number holds if the bracket is inside the interval that rounds to it. It is refuted if
// bracket and interval are disjoint. Otherwise the check narrows the bracket as far as the budget allows. If the
// bracket is still too wide, the verdict is inconclusive.
//
// The truth of which the brackets speak is that of the description. A mechanism that is said to
// be ε₀-DP and no more is any such mechanism, and the worst of them decides. Whether a program
// is what is described, [Release.Audited] asks of its outputs.
package accounting
