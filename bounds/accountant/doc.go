// Package accountant is a privacy accountant. For a described release it computes ε at a given δ, δ at a given ε,
// or the noise that meets a target. Every answer is a bracket that is proved, so that a verdict can use it:
//
//	lower ≤ truth ≤ upper,   with an estimate between,
//
// and carries the adjacency, sensitivity, sampling scheme and theorem it rests on.
//
// # Definitions
//
// A mechanism is (ε, δ)-DP if P(S) ≤ e^ε Q(S) + δ for all events S and the output
// laws P, Q of neighbouring data sets. Neighbours differ by one record added or
// removed (AddRemove) or replaced (ReplaceOne). The sensitivity is what one record
// contributes; replacing it moves a sum by twice that. For a fixed pair the
// least δ at ε is the hockey-stick divergence
//
//	δ(ε) = E_P[(1 − e^{ε−L})⁺],   L = log dP/dQ,
//
// a function of the law of the privacy loss L under P. A pair dominates a
// mechanism if its δ(ε) is at least that of every pair of neighbours, at every
// real ε; composing mechanisms then composes dominating pairs, adaptively
// too (Zhu, Dong & Wang 2022, Theorem 10). "The truth" is the δ(ε) of the composed
// dominating pairs, which for the leaves named exact below is attained.
//
// # Events
//
// An Event is an immutable tree: mechanisms at the leaves (Gaussian, Laplace,
// DiscreteLaplace, RandomizedResponse, Exponential, and the black boxes Pure,
// Approximate, Concentrated), Poisson, FixedBatches and ShuffledBatches
// for sampling, Compose and Repeat above. ParseEvents reads one from YAML or
// JSON, Description builds one from flags.
//
// Of other events the dominating pair itself is built, on a lattice of losses where no formula is known; those marked
// exact are attained, of the others one pair is above and an instance below:
//
//	Table                   a law of your own                                             exact
//	GaussianMixture         what a record or group contributes by chance                  exact
//	DiscreteGaussian        Canonne, Kamath & Steinke 2020                                exact
//	TruncatedLaplace        with the mass beyond the other's bound as infinite loss       exact
//	Uniform                 the same                                                      exact
//	Matrix                  μ = sens(C)/σ of package matrix (Denisov et al. 2022)         as sens(C) is
//	WithoutReplacement      Balle, Barthe & Gaboardi 2018; Zhu, Dong & Wang 2022          exact; replaced and
//	                                                                                      composed bracketed
//	TruncatedPoisson        told whether a sample might be cut                            bracket
//	Allocation              random allocation (Feldman & Shenfeld 2025)                  bracket
//	Threshold               the chance to see a new partition, and the noise of an old    bracket
//	PermuteAndFlip          ε₀-DP (McKenna & Sheldon 2020), exact at δ = 0                bracket
//	TopK                    peeling (Durfee & Rogers 2019)                                bracket
//	NoisyArgmax             the votes with their noise (Papernot et al. 2018)             bracket
//	SparseVector            ε₁ + ε₂ (Lyu, Su & Li 2017)                                   bracket
//	RepeatAndSelect         Rényi DP (Papernot & Steinke 2022, Theorem 2); at δ = 0 by    one run or a score below
//	                        the largest loss next to better outputs
//
// Masses of infinite loss count in full in every δ: Rényi methods take them off δ first.
//
// Poisson(q, e) amplifies; batches do not. A fixed partition uses a record in
// one step an epoch, and that step is all the epoch reveals of it. Shuffled
// batches are bounded by their worst permutation, the same figure; the method
// shuffled-lower shows how far below Poisson accounting they can fall.
//
// The dominating pair of a Poisson-sampled mechanism with pair (P, Q) is
// (1−q)Q + qP against Q, and the reverse, under AddRemove. For the Gaussian under
// ReplaceOne it is (1−q)N(0) + qN(μ) against (1−q)N(0) + qN(−μ): by advanced joint
// convexity (Balle, Barthe & Gaboardi 2018, Theorem 2) δ is q times the hockey-stick of
// N(u) against a mixture of N(0) and N(v), and for every power of a test
// opposite u and v make both errors least by Neyman and Pearson's lemma, with one
// half-space for all; mixtures likewise. Other noise known by its pair is bracketed by folded pairs, and thresholds
// are two partitions. Sampled Laplace noise under ReplaceOne has ε′ = log((1 − q + qe^ε)/(1 − q + qe^−ε)) above, ε
// that of an added record, and below the two records that push in opposite directions. Sampled randomized response is
// folded. A black box whose guarantee is for replaced records may show who was sampled, and keeps its ε.
//
// # Methods
//
// Epsilons and Deltas evaluate every method that applies, side by side:
//
//	best                      largest lower end and least upper end of all
//	gaussian-exact            Balle & Wang 2018; μ-GDP, μ² adds up       exact
//	laplace-exact             one release                               exact
//	pld                       privacy-loss distribution                 bracket
//	optimal-composition       Kairouz, Oh & Viswanath 2015; Murtagh &
//	                          Vadhan 2016                               exact for black boxes
//	rdp                       Rényi DP, best known conversion           upper
//	rdp-classical             Rényi DP, Mironov's conversion            upper
//	one-run                   one run, from the probabilities of outputs  exact, or bracket
//	one-base-run              repeat-and-select: a run of what it repeats lower
//	zcdp, zcdp-classical      Bun & Steinke 2016                        upper
//	advanced-composition-kov  Kairouz, Oh & Viswanath, Theorem 3.4      upper
//	advanced-composition      Dwork, Rothblum & Vadhan 2010             upper
//	basic-composition         Dwork et al. 2006                         upper
//	gaussian-classical        √(2 log(1.25/δ)) Δ/σ, for ε < 1 only       upper
//	shuffled-lower            Chua et al. 2024                          lower
//
// A method that proves one side leaves the other trivial. Exact values are
// computed to a relative 1e-11 or better and bracketed by that and by what their
// arguments' rounding does; an ε found as a root is moved out until the certified δ
// there proves it.
//
// Every bracket passes one seal on its way out: it is 0 ≤ lower ≤ estimate ≤ upper, and
// the brackets of all methods asked meet. A breach is an error that wraps ErrBreach and
// names the event and the methods, never a number. The brackets are tested against closed
// forms in high precision at the ends of the domain (testdata/extremes.py).
//
// # Rényi divergences
//
// Renyi and the methods rdp use every real order α > 1. Renyi's lower end is that of laws that occur: the table
// renyiAttained has those of each kind. Closed forms are used
// where there are any. Elsewhere, with u = P/Q − 1, which Q integrates to zero,
//
//	E_Q[(P/Q)^α] − 1 = E_Q[(1+u)^α − 1 − αu],
//
// a positive integrand, so that the tiniest divergence keeps its digits: by the
// trapezoidal rule for Gaussians (geometric convergence), with little noise or at
// large orders by Gauss–Legendre panels that bisection finds, where all it passes over is
// proven negligible and added; by sums and panels for bounded losses. Every term carries
// its rounding upwards. Conversions are minimised over continuous α, each order being
// rounded up by itself: Mironov (2017), and Canonne, Kamath & Steinke (2020) with
// Bretagnolle & Huber's inequality.
//
// A [Profile] brackets the whole privacy curve, the trade-off function and the success of attacks.
//
// # Concentrated and Gaussian differential privacy
//
// Concentrated and GaussianMu bracket the least ρ and μ. ρ and μ² add up from above only. From below, ρ needs one order
// for all parts, and μ an event of the whole release.
//
// # Privacy-loss distributions
//
// As a function of t = e^ε, δ is convex. A pair with losses on a lattice ih has a broken
// line with corners at e^{ih} as its curve. Above every curve lie the chords
// between lattice points; below it the convex hull of the points where tangents
// at the middles of the cells meet. Both are off by O(h²) a step, the tangents
// half as far as the chords. Atoms of the mechanisms are put on the lattice
// where they have a common spacing, and are exact then.
//
// Compositions are powers of Fourier transforms of the masses tilted by e^{θx},
// with θ the best Rényi order minus one: the tail asked for becomes the bulk,
// and every error is relative to it. What the bracket accounts for, beyond h: the
// rounding of every mass (scaled in or out), of the transforms in the ℓ2 norm, of
// powers and sums, of the quadrature in narrow cells, the mass outside the window by
// Chernoff's bound on the very masses, and the distance of losses from the lattice.
// Losses that a lattice of spacing 1 cannot span within MaxPoints are refused. Hence brackets hold for
// δ down to 1e-200, below which the method is refused. The one premise left to
// trust: exp, log and erfc of the standard library are within a few roundings.
//
// Compositions with Gaussians, sampled or not, are inverted instead (inversion in package pld): transforms
// of single steps are known to any precision, whatever the spacing of a lattice would be, and one
// portion of normal noise, added to the loss of the whole composition, makes the inversion
// short: δ is between two payoffs of the noisy loss, apart by σ²(θ + 1) in ε. Neither
// a near-atom nor the number of steps widens that. Rare large losses beyond the δ asked for are
// left out and their probability added. The lattice answers where that is not as narrow as asked for.
//
// # What to expect
//
// Brackets of width 0.0001 for ten thousand sampled Gaussian steps take some 5 ms, those of rare
// large losses up to half a second; the Rényi bound 0.2 ms. Precision trades width for time; a
// bracket that could not be made as narrow as asked for within MaxPoints is returned as wide as it is.
package accountant
