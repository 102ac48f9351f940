// Package curve brackets the whole privacy curve of an event, and what follows from it for an attacker.
//
// A [Profile] holds certified brackets of δ(ε) at some ε ≥ 0. As a function of t = e^ε, δ is convex and
// falls, and δ(−ε) = 1 − e^{−ε} + e^{−ε}δ(ε) for the worse of both orders of the neighbours. So the points
// bound δ between them as well: chords of the upper ends from above, from below the lines through the upper
// end of one point and the lower end of the next, beyond the latter. All that is said here follows from
// these two bounds:
//
//   - The trade-off function f(α), the least type II error of a test of the neighbours at type I error α, is
//     the supremum over ε ≥ 0 of 1 − δ(ε) − e^ε α and e^{−ε}(1 − δ(ε) − α), and 0 (Wasserman & Zhou 2010;
//     Dong, Roth & Su 2022, Proposition 2.12). An upper bound of δ gives a lower bound of f, at some ε; a
//     lower bound of δ gives an upper bound, which needs all ε.
//   - Gaussian privacy: μ-GDP is f ≥ G_μ, or δ(ε) ≤ δ_μ(ε) for all ε. Its regret is the least κ with
//     f(α + κ) − κ ≤ G_μ(α) for all α, which is the largest (δ_μ(ε) − δ(ε))/(1 + e^ε) (Kaissis, Kolek, Balle,
//     Hayes & Rueckert 2024; Gomez, Kulynych, Kaissis, Hayes, Balle & Honkela 2025).
//   - Attacks: the advantage of a test, its true-positive rate at a false-positive rate, the probability of
//     a right guess of membership at a prior, and of a reconstruction (Hayes, Mahloujifar & Balle 2023).
//
// "The truth" is that of package accountant: the δ(ε) of the composed dominating pairs.
package curve
