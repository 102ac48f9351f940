// Package worstcase searches a space of inputs for the worst case of a claim and checks the claim there. [Privacy]
// searches for a pair of neighbors. [Input] searches for an input, for any [Check] of a claim about one input, such as
// its mean or its distribution. For sensitivity claims, [sensitivity.Pairs] does the same.
//
// Search and certification together use at most the number of samples that the user gives. An [inputs.Search] on 40 %
// of them chooses the pair. If the pair is expected to refute the claim, 10 or 20 % are for shrinking it. The pair is
// certified only on fresh samples.
//
// # Error
//
// The most promising pair is certified at the whole alpha, and its verdict is the verdict of the check. The shrunk
// pair is judged only if the first pair refutes the claim, on separate samples and again at the whole alpha. The
// probability of reporting that a pair breaks a claim that it satisfies is at most alpha. If the first pair satisfies
// the claim, a false report needs an error of the first certificate. If it does not, a false report needs an error of
// the second (serial gatekeeping: Maurer, Hothorn & Lehmacher 1995).
//
// If the claim is not refuted, the evidence is about the chosen pair, and reports how many pairs were tried. The
// search cannot show that no other pair is worse.
package worstcase
