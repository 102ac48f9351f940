// Package accountant is a privacy accountant. For a described release it computes ε at a given δ, δ at a given ε, or
// the noise that meets a target. Every answer is a proven bracket:
//
//	lower ≤ true value ≤ upper,   with an estimate in between.
//
// The result also lists the adjacency, sensitivity, sampling scheme and theorem that the bracket rests on. For example,
//
//	training := event.Repeat(1000, event.Poisson(0.01, event.Gaussian(1)))
//	results, err := accountant.Epsilons(training, event.AddRemove, 1e-5, accountant.Options{})
//
// returns one [Result] per applicable method for 1000 steps of DP-SGD with sampling rate 0.01 and noise multiplier 1.
//
// # Definitions
//
// A mechanism is (ε, δ)-DP if P(S) ≤ e^ε Q(S) + δ for all events S and for the output distributions P and Q of any two
// neighboring data sets. Neighbors differ by one record, which is added or removed (AddRemove) or replaced
// (ReplaceOne). The sensitivity bounds the norm of one record's contribution. Replacing a record can move a sum by
// twice the sensitivity. For a fixed pair, the smallest δ at ε is the hockey-stick divergence
//
//	δ(ε) = E_P[(1 − e^{ε−L})⁺],   L = log dP/dQ,
//
// which depends only on the distribution of the privacy loss L under P. A pair dominates a mechanism if its δ(ε) is at
// least the δ(ε) of every neighboring pair, at every real ε. The composition of dominating pairs dominates the
// composition of mechanisms, even if mechanisms are chosen adaptively (Zhu, Dong & Wang 2022, Theorem 10). The true
// value of a bracket is the δ(ε) of the composed dominating pairs. Mechanisms marked exact below attain it.
//
// # Events
//
// An [Event] is an immutable tree. Its leaves are mechanisms: Gaussian, Laplace, DiscreteLaplace, RandomizedResponse,
// Exponential, and the guarantees Pure, Approximate and Concentrated, whose mechanism is unknown. Inner nodes sample
// records (Poisson, FixedBatches, ShuffledBatches) or compose events (Compose, Repeat). ParseEvents reads an event from
// YAML or JSON. A Description builds one from flags.
//
// Group returns the event for neighbors that differ by a group of records. Most mechanisms have a pair for the group,
// listed in group.go. For the others, the account of one record bounds ε and δ of the group.
//
// The following events have no closed form. The accountant builds their dominating pair, if necessary on a lattice of
// losses. For an exact event some neighbors attain the pair. For the others, an upper bound comes from a dominating
// pair and a lower bound from specific neighboring data sets:
//
//	Table                   a user-defined pair of distributions                          exact
//	GaussianMixture         random contribution of a record or a group                    exact
//	DiscreteGaussian        Canonne, Kamath & Steinke 2020                                exact
//	TruncatedLaplace        outputs outside the other support have infinite loss          exact
//	Uniform                 the same                                                      exact
//	Matrix                  μ = sens(C)/σ from package matrix (Denisov et al. 2022)       if sens(C) is exact
//	WithoutReplacement      Balle, Barthe & Gaboardi 2018; Zhu, Dong & Wang 2022          exact; bracket if replaced
//	                                                                                      or composed
//	WithReplacement         replace-one: hockey-stick bound of package pld                bracket
//	ShuffledReports         replace-one: Feldman, McMillan & Talwar 2021; for randomized  bracket
//	                        response, the number of uniform reports is revealed
//	TruncatedPoisson        depends on whether a sample can be cut                        bracket
//	Allocation              random allocation (Feldman & Shenfeld 2025); steps with       bracket
//	                        Laplace noise or a table: proof at StepPair in package pld
//	Threshold               probability of a new partition, noise of an existing one      bracket
//	PermuteAndFlip          Laplace noise moved by ε₀ (proof in noisy_max.go)             exact; bracket if composed
//	TopK                    peeling (Durfee & Rogers 2019)                                bracket
//	NoisyArgmax             noisy vote counts (Papernot et al. 2018); see VotesEpsilon    bracket
//	LaplaceArgmax           noisy vote counts (Papernot et al. 2017)                      bracket
//	SparseVector            ε₁ + ε₂ (Lyu, Su & Li 2017)                                   bracket
//	RepeatAndSelect         upper: Rényi DP (Papernot & Steinke 2022, Theorem 2), or      bracket
//	                        the largest loss at δ = 0; lower: one run or a bad score
//
// Outputs with infinite loss add their full probability to every δ. Rényi methods subtract this probability from δ
// before they convert.
//
// Poisson(q, e) amplifies privacy; batches do not. Under a fixed partition each record enters one step per epoch, and
// only this step depends on the record. Shuffled batches get the same bound, from their worst permutation. The method
// shuffled-lower proves how much weaker shuffled batches can be than Poisson accounting claims.
//
// Let (P, Q) be the dominating pair of a mechanism. Under AddRemove, Poisson sampling at rate q has the dominating
// pairs (1−q)Q + qP against Q, and the reverse. Under ReplaceOne, the sampled Gaussian has (1−q)N(0) + qN(μ) against
// (1−q)N(0) + qN(−μ). The proof has two steps. By advanced joint convexity (Balle, Barthe & Gaboardi 2018, Theorem 2),
// δ is q times the hockey-stick divergence of N(u) against a mixture of N(0) and N(v). By the Neyman–Pearson lemma,
// opposite u and v minimize both errors at every power of a test, and one half-space is optimal for all of them.
// Gaussian mixtures follow in the same way. The remaining cases under ReplaceOne are bracketed:
//
//   - Mechanisms known by their dominating pair, including sampled randomized response, use folded pairs. A threshold
//     counts as two partitions.
//   - Sampled Laplace noise satisfies ε′ = log((1 − q + qe^ε)/(1 − q + qe^−ε)), where ε belongs to an added record. Two
//     records with opposite contributions give the lower bound.
//   - A guarantee for replaced records keeps its ε, because its mechanism may reveal which records were sampled.
//
// # Methods
//
// Epsilons and Deltas evaluate every applicable method:
//
//	best                      largest lower and smallest upper end      bracket
//	gaussian-exact            Balle & Wang 2018; μ-GDP, μ² adds up      exact
//	laplace-exact             one release                               exact
//	pld                       privacy-loss distribution                 bracket
//	optimal-composition       Kairouz, Oh & Viswanath 2015; Murtagh &
//	                          Vadhan 2016                               exact if only guarantees are known
//	rdp                       Rényi DP, best known conversion           upper
//	rdp-classical             Rényi DP, Mironov's conversion            upper
//	one-run                   one run, from output probabilities        exact, or bracket
//	one-base-run              repeat-and-select: one run of the base    lower
//	zcdp, zcdp-classical      Bun & Steinke 2016                        upper
//	advanced-composition-kov  Kairouz, Oh & Viswanath, Theorem 3.4      upper
//	advanced-composition      Dwork, Rothblum & Vadhan 2010             upper
//	basic-composition         Dwork et al. 2006                         upper
//	gaussian-classical        √(2 log(1.25/δ)) Δ/σ, only for ε < 1      upper
//	shuffled-lower            Chua et al. 2024                          lower
//	group                     record by record (Vadhan 2017)            upper
//	one-record                a group of one record                     lower
//
// A method that proves only one side leaves the other end trivial. Exact values have a relative error of at most 1e-11.
// Their bracket contains this error and the rounding of the arguments. If ε is the root of an equation, its ends move
// outwards until the certified δ at each end proves them.
//
// Before it is returned, every bracket passes one check: 0 ≤ lower ≤ estimate ≤ upper, and the brackets of all
// requested methods intersect. Otherwise the call returns no number but an error that wraps ErrBreach and contains the
// event and the methods. Tests compare the brackets with closed forms in high precision, including the ends of the
// domain (testdata/extremes.py).
//
// # Rényi divergences
//
// Renyi and the rdp methods use every real order α > 1. The lower end of Renyi is the divergence of distributions that
// neighbors produce; the table renyiAttained lists them by kind of event. Closed forms are used if they exist.
// Otherwise let u = P/Q − 1, which has mean zero under Q. Then
//
//	E_Q[(P/Q)^α] − 1 = E_Q[(1+u)^α − 1 − αu].
//
// The integrand on the right is positive, so even tiny divergences keep their digits. Gaussians use the trapezoidal
// rule, which converges geometrically. If the noise is small or the order large, they use Gauss–Legendre panels found
// by bisection; the skipped part has a proven bound, which is added. Bounded losses use sums and panels. Every term is
// rounded up. Conversions to (ε, δ) are minimized over continuous α, and the value at each order is rounded up
// separately. They are Mironov (2017), and Canonne, Kamath & Steinke (2020) combined with the Bretagnolle–Huber
// inequality.
//
// # Privacy profiles
//
// A [Profile] holds certified brackets of δ(ε) at some points ε ≥ 0. As a function of t = e^ε, δ is convex and
// decreasing. For the worse order of the neighbors, δ(−ε) = 1 − e^{−ε} + e^{−ε}δ(ε). So the points also bound δ between
// them. Chords through the upper ends bound it from above. From below, a line through the upper end of one point and
// the lower end of the next bounds it beyond the second point. Everything else follows from these two bounds:
//
//   - The trade-off function f(α) is the smallest type II error of a test of the neighbors at type I error α. It is the
//     supremum over ε ≥ 0 of 1 − δ(ε) − e^ε α, e^{−ε}(1 − δ(ε) − α) and 0 (Wasserman & Zhou 2010; Dong, Roth & Su 2022,
//     Proposition 2.12). An upper bound of δ at one ε gives a lower bound of f. An upper bound of f needs a lower bound
//     of δ at all ε.
//   - Gaussian differential privacy: μ-GDP means f ≥ G_μ, or δ(ε) ≤ δ_μ(ε) for all ε. The regret of μ is the smallest κ
//     with f(α + κ) − κ ≤ G_μ(α) for all α. It equals the maximum of (δ_μ(ε) − δ(ε))/(1 + e^ε) (Kaissis, Kolek, Balle,
//     Hayes & Rueckert 2024; Gomez, Kulynych, Kaissis, Hayes, Balle & Honkela 2025).
//   - Attacks: the advantage of a test, its true-positive rate at a false-positive rate, the probability of a correct
//     membership guess at a given prior, and the success of a reconstruction (Hayes, Mahloujifar & Balle 2023).
//
// SolveRisk finds the noise at which a [Risk] stays within a limit. Each risk is a monotonic function of the curve. So
// a risk is monotonic in a parameter if δ(ε) is monotonic in it, in the same direction at every ε.
//
// # Concentrated and Gaussian differential privacy
//
// Concentrated and GaussianMu bracket the smallest ρ and the smallest μ. Upper bounds of ρ and μ² add up under
// composition. Lower bounds do not: ρ needs one order for all parts, and μ needs one output event of the whole release.
//
// # Privacy-loss distributions
//
// As a function of t = e^ε, δ is convex. If all losses are lattice points ih, the curve is piecewise linear with
// corners at e^{ih}. The chords between lattice points are an upper bound of every curve. The lower bound is the
// convex hull of the points at which tangents from the cell midpoints intersect. Each step adds an error O(h²), which
// is half as large for tangents as for chords. If the atoms of all mechanisms have a common spacing, the lattice uses
// it and represents them exactly.
//
// Compositions are powers of Fourier transforms of the probabilities, tilted by e^{θx}. θ + 1 is the best Rényi order,
// so that the tail of interest becomes the bulk and every error is relative to it. Apart from h, the bracket includes
//
//   - the rounding of every probability, upwards or downwards by scaling,
//   - the rounding of the transforms in the ℓ2 norm, and of powers and sums,
//   - the quadrature error in narrow cells,
//   - the probability outside the window, by Chernoff's bound on the computed probabilities,
//   - the distance of losses from the lattice.
//
// Brackets hold for δ down to 1e-200; the method rejects smaller δ. It also rejects losses that a lattice of spacing 1
// cannot cover within MaxPoints. One assumption remains unproven: exp, log and erfc of the standard library are
// accurate to within a few roundings.
//
// Compositions that contain Gaussians, sampled or not, use Fourier inversion instead (inversion.go in package pld). The
// transform of a single step can be computed to any precision without a lattice. Normal noise is added once, to the
// loss of the whole composition, to make the inversion short. Then δ lies between two payoffs of the noisy loss, which
// differ by σ²(θ + 1) in ε. Neither concentrated losses nor many steps increase this width. Rare large losses whose
// probability is far below the requested δ are omitted, and their probability is added. If the bracket is wider than
// requested, the lattice method is used.
//
// # Speed and precision
//
// Brackets of width 0.0001 for ten thousand sampled Gaussian steps take about 5 ms, or up to half a second if rare
// losses are large. The Rényi bound takes 0.2 ms. Precision trades width for time. If MaxPoints does not allow the
// requested width, the wider bracket is returned.
package accountant
