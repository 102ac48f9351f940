// Package confidence computes confidence limits and tests with a stated error probability alpha. A one-sided limit
// is wrong with probability at most alpha, at any sample size, unless its comment says that it is asymptotic.
//
//   - Binomial probability: Clopper–Pearson limits, accurate down to alpha = 1e-12 ([ClopperPearson]).
//   - ε and δ from two counts: an event occurs in X of n₁ outputs for one input and in Y of n₂ outputs for its
//     neighbor. [EpsilonLower] and [DeltaLower] invert an exact joint test of p ≤ e^ε·q + δ (Buehler 1957).
//   - Sequential tests of the same hypothesis, valid at any stopping time ([EProcess], [AnytimeEpsilon]).
//   - Bounded mean: a betting interval (Waudby-Smith & Ramdas 2024) from a [MeanTally] ([MeanInterval]).
//   - Privacy curve: simultaneous lower bounds of δ(ε) from nested events ([Band]).
//   - One-run audits: ε from guesses about canaries (Steinke, Nasr & Jagielski 2023; [Guesses]).
//   - Trade-off functions: μ of Gaussian privacy or any f from two counts ([Attack]) or from guesses
//     ([Guesses]).
//   - Independent scores: ε from a threshold at an order statistic ([RankAttack]), and the standardized difference of
//     normal scores ([StandardizedLower]).
//   - Log-log slope of a measured curve, with an interval that allows for curvature ([FitSlope]).
//   - Classical tests: binomial, Welch, correlation ([BinomialTest], [WelchDF], [PearsonP]).
//
// For example, an event that occurs in 900 of 1000 outputs for one input and in 100 of 1000 outputs for its
// neighbor shows at δ = 0 that ε is at least
//
//	confidence.EpsilonLower(900, 1000, 100, 1000, 0, 0.05) // 2.04
package confidence
