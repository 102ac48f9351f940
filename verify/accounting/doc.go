// Package accounting checks claims about a described release with package accountant: is the claimed ε, δ, ρ, μ or
// Rényi divergence true for every mechanism with this description? It does not run or sample a mechanism, so the
// verdict has no error probability. The accountant's bracket includes rounding errors.
//
// A guarantee holds if the upper end of the bracket is at most the claimed value. It is refuted if the lower end is
// above it. A reported number holds if all values in the bracket round to it. It is refuted if no value in the bracket
// does. Otherwise the check narrows the bracket as far as the budget allows. If the bracket is still too wide, the
// verdict is inconclusive. For example, ε of one Gaussian mechanism with σ = 2 at δ = 1e-5 has a
// bracket around 1.99: a claim of 2 holds, and a claim of 1.9 is refuted.
//
// The bracket contains the value for the worst mechanism with this description. For example, a part described only as
// ε₀-DP may be any ε₀-DP mechanism. [Release.Audited] tests whether a program has the described
// privacy, from its outputs.
package accounting
