// Package inversion computes certified bounds of δ(ε) for compositions of mechanisms of which the
// transforms M(s) = E[e^{sL}] of the privacy loss L are known to any precision.
//
// With s = θ + it, θ > 0, and the transform 1/(s(s+1)) of the payoff (1 − e^{−v})⁺,
//
//	δ(ε) = E[(1 − e^{ε−L})⁺] = (1/2π) ∫ ΠM(s)·e^{−sε}/(s(s+1)) dt.
//
// Noise. To make that short, L is given normal noise N with variance σ² and mean σ²/2, so that E[e^{−N}] = 1: by
// Jensen's inequality the expected payoff B can only grow, and by at most a constant times the density
// k of −N (see bend). So E[B − ck] ≤ δ ≤ E[B], at every ε; c ≈ σ², and the ends are apart by about σ²(θ+1) in ε,
// whatever is composed. The noise's transform e^{σ²(s²+s)/2} cuts off frequencies beyond some 7/σ.
//
// Sum. The trapezoidal rule with step 2π/W is, by Poisson's summation, exact but for the neighbours
// e^{θkW}δ(ε+kW), k ≠ 0, all positive: those on the left are 1 to within e^{ε−kW}, those on the right are bounded by
// Chernoff's inequality at a larger tilt.
//
// Transforms. M of one step is an integral of an analytic function, which the trapezoidal rule gives to any
// precision with a bound of its error by what the integrand is off the real line (see Sampled.step). They are
// taken relative to M(θ), and to 1, so that what is nearly an atom keeps its digits through any number of steps.
// Frequencies are walked up with leaps where |M(s)/M(θ)| to the power of the steps is nothing, as far as integration
// by parts does not show that all beyond is nothing (see Sampled.decay), or evaluated all at once by Fourier transforms
// of moments about lattice points. Everything left out, and all rounding, is bounded and added.
package inversion
