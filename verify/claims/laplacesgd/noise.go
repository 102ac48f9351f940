package laplacesgd

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func densityClaims() []verify.Claim {
	claims := checks.Pair(verify.Claim{
		ID: "laplace-sgd/alg-1/density", Kind: verify.Identity, Origin: verify.Stated,
		Place: "Alg. 1, lines 1 to 3: line 1, \"from the unit ball\"; eq. (7) and the sentence before the algorithm, " +
			"which says that it samples this noise",
		Statement: "Algorithm 1 samples the density (7), ∝ exp(−(α/2)‖z‖). It draws v uniformly in the unit ball and " +
			"l from Γ(d, 2/α), of shape d and scale 2/α",
		Check:    densities(bounds.LogBallGammaDensity, ""),
		Formerly: []string{"laplace-sgd/alg-1/density/sampled"},
	}, verify.Claim{
		Place: "Alg. 1, line 1, corrected: Sect. 3.4, eq. (7), the density that Algorithm 1 must sample",
		Statement: "v uniform on the unit sphere times l from Γ(d, 2/α), of shape d and scale 2/α, has the density (7), " +
			"∝ exp(−(α/2)‖z‖)",
		Check:    densities(bounds.LogSphereGammaDensity, spreadProof),
		Formerly: []string{"laplace-sgd/alg-1/density/sampled/corrected"},
	}, "v on the unit sphere", "v in the ball")
	return append(claims, verify.Claim{
		ID: "laplace-sgd/alg-1/growth", Kind: verify.Identity, Origin: verify.Stated,
		Place: "Sect. 4.3, the paragraph before Fig. 8: its last sentence, and the last one before Fig. 9, larger values " +
			"of the noise in more dimensions",
		Statement: "the noise of Algorithm 1 (v in the unit ball) is longer in more dimensions. The root mean square " +
			"of each coordinate rises with d ∈ {1, 2, 4, 5, 9, 15, 34, 784}, and from d = 9 to 34 it doubles",
		Check: larger(func(d int) float64 { return bounds.BallGammaMeanSquare(d, 2) },
			"E‖Z‖² = d²(d+1)/(d+2) s², and its d-th part, rise with d; under (7) the root mean square is √(d+1) s"),
		Control: checks.Faulty(larger(func(int) float64 { return 8 }, ""), "noise of the same length in all dimensions"),
	})
}

const spreadProof = "the gamma density ∝ r^(d−1)e^(−r/s) divided by the surface S_d r^(d−1) of the sphere of radius " +
	"r is ∝ e^(−r/s)"

// logDensity returns the log density of noise at a vector of length r.
type logDensity func(d int, scale, r float64) float64

// densities compares a density with the density (7), normalized.
func densities(density logDensity, proof string) verify.Check {
	return formula.Check{
		Quantity: "density over that of (7)", Sense: verify.Equals, Proof: proof,
		Grid:   formula.Grid{formula.Over("d", dimensions...), formula.Over("α", alphas...)},
		Domain: "‖z‖ ∈ {0.5, 1, d, 2d} times 2/α",
		At: func(at []float64, add func(formula.Point)) {
			d, alpha := int(at[0]), at[1]
			for _, x := range []float64{0.5, 1, at[0], 2 * at[0]} {
				r := x * 2 / alpha
				add(formula.Point{Place: formula.Placef("‖z‖=%.6g", r), Claimed: 1, Error: 1e-9,
					Show:     alpha == 1 && d <= 5 && x != 1,
					Measured: math.Exp(density(d, 2/alpha, r) - bounds.LogL2LaplaceDensity(d, 2/alpha, r))})
			}
		},
	}
}

// larger compares the root mean square of a coordinate with its value at the previous dimension. The length of the
// noise has √d times this root mean square and increases with it.
func larger(square func(d int) float64, proof string) verify.Check {
	root := func(d int) float64 { return math.Sqrt(square(d) / float64(d)) }
	return formula.Check{
		Quantity: "root mean square of a coordinate at α = 1", Sense: verify.AtLeast, Proof: proof,
		Domain: "d ∈ {1, 2, 4, 5, 9, 15, 34, 784}, each against the one before; d = 34 against 1.99 times d = 9",
		Points: func(add func(formula.Point)) {
			for i, d := range dimensions[1:] {
				add(formula.Point{Place: formula.Placef("d=%d and %d", d, dimensions[i]), Measured: root(d),
					Claimed: root(dimensions[i]), Show: true})
			}
			add(formula.Point{Place: formula.Placef("d=34 and 9"), Measured: root(34), Claimed: 1.99 * root(9), Show: true})
		},
	}
}
