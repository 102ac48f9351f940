// Package worstcase searches a space of inputs for the worst case of a claim and checks the claim there. [Privacy]
// searches for a pair of neighbours; [Input] searches for an input, for any [Check] of a claim about one input: its
// mean, or its distribution. For sensitivity claims,
// [sensitivity.Pairs] does the same.
//
// All of it is within the number of samples that the user gives. A part of them, less than a half, is for an
// [inputs.Search], which chooses the pair, and for shrinking it where it promises to break the claim.
// Nothing of what chose is counted: the pair is certified on fresh samples.
//
// # Error
//
// The certificate of the most promising pair has the whole alpha, and its verdict is that of the
// check. Only where it refutes is the smaller pair judged, on samples of its own, with an alpha as large
// again. Still the probability that any pair is said to break a claim that it keeps is at most alpha: if
// the first pair keeps the claim, there is no error unless the first certificate errs; if it does
// not, there is none unless the second does (serial gatekeeping: Maurer, Hothorn & Lehmacher 1995).
//
// A claim that is not refuted is judged at the pair that was found: it says how many were tried, and no
// search shows that no other is worse.
package worstcase
