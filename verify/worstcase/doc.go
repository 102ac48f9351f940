// Package worstcase searches a space of inputs for the worst case of a claim and checks the claim there. [Privacy]
// searches for a pair of neighbours; [Input] searches for an input, for any [Check] of a claim about one input: its
// mean, or its distribution. For sensitivity claims,
// [sensitivity.Pairs] does the same.
//
// Search and certification together use at most the number of samples that the user gives. Less than half of them are
// for an [inputs.Search], which chooses the pair, and for shrinking the pair if it is expected to refute the claim.
// The pair is certified on fresh samples only.
//
// # Error
//
// The most promising pair is certified at the whole alpha, and its verdict is the verdict of the check. The shrunk
// pair is judged only if the first pair refutes the claim, on separate samples and again at the whole alpha. The
// probability of reporting that a pair breaks a claim that it satisfies is still at most alpha. If the first pair
// satisfies the claim, only an error of the first certificate is an error. If it does not, only an error of the
// second one is (serial gatekeeping: Maurer, Hothorn & Lehmacher 1995).
//
// If the claim is not refuted, the evidence is about the chosen pair, and reports how many pairs were tried. The
// search cannot show that no other pair is worse.
package worstcase
