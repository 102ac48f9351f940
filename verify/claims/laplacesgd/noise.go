package laplacesgd

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/algorithms/laplacesgd"
	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
	"github.com/dpverify/dpverify/verify/mean"
)

func densityClaims() []verify.Claim {
	const corrected = "laplace-sgd/alg-1/density/corrected"
	return []verify.Claim{
		{
			ID: "laplace-sgd/alg-1/density", Source: "Alg. 1, eq. (7)", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Algorithm 1, lines 1 to 3 (its line 1 says \"from the unit ball\"), with eq. (7) " +
				"and the sentence before the algorithm, that it samples that noise",
			Statement: "v uniform in the unit ball times l of Γ(d, 2/α), shape and scale, has the density " +
				"proportional to exp(−(α/2)‖z‖)",
			Check: densities(bounds.LogBallGammaDensity, asScale, ""),
			Control: verify.Control{Check: densities(bounds.LogSphereGammaDensity, asScale, spreadProof), Want: checks.Holds,
				Fault: "none: v on the unit sphere"},
			Corrected: corrected,
		},
		{
			ID: "laplace-sgd/alg-1/density/rate", Source: "Alg. 1, eq. (7), 2/α as a rate", Kind: verify.Identity,
			Origin: verify.Reading, Place: "Algorithm 1, line 2: whether 2/α in Γ(d, 2/α) is a scale or a rate is not said; " +
				"and line 1, with the ball taken for its surface",
			Statement: "v uniform on the unit sphere times l of Γ(d, 2/α), shape and rate, has the density " +
				"proportional to exp(−(α/2)‖z‖)",
			Check: densities(bounds.LogSphereGammaDensity, asRate, ""),
			Control: verify.Control{Check: densities(bounds.LogSphereGammaDensity, asScale, spreadProof), Want: checks.Holds,
				Fault: "none: 2/α as a scale"},
			Corrected: corrected,
		},
		{
			ID: "laplace-sgd/alg-1/density/program", Source: "the program of [1]", Kind: verify.Identity,
			Origin: verify.Program, Place: laplaceFile + ", lines 5 and 6",
			Statement: "a uniform point of the cube [−1, 1]^d divided by its norm has a direction of uniform " +
				"density, as (7) needs",
			Check:     cubeDirections(2),
			Control:   verify.Control{Check: cubeDirections(1), Want: checks.Holds, Fault: "none: d = 1 alone"},
			Corrected: corrected,
		},
		{
			ID: corrected, Source: "Alg. 1, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Sect. 3.4, eq. (7): the law that Algorithm 1 has to draw from",
			Statement: "v uniform on the unit sphere times l of Γ(d, 2/α), shape and scale, has the density " +
				"proportional to exp(−(α/2)‖z‖)",
			Check: densities(bounds.LogSphereGammaDensity, asScale, spreadProof),
			Control: verify.Control{Check: densities(bounds.LogBallGammaDensity, asScale, ""), Want: checks.Refuted,
				Fault: "v in the ball"},
		},
		{
			ID: "laplace-sgd/alg-1/density/sampled", Source: "Alg. 1, eq. (7)", Kind: verify.Identity,
			Origin: verify.Implied, Place: "Algorithm 1, lines 1 to 3, and eq. (7), at the median of its length",
			Statement: "half of the noise vectors of Algorithm 1, v in the unit ball, are longer than the " +
				"median length under (7)",
			Check: lengths(laplacesgd.DistributionPrinted),
			Control: verify.Control{Check: lengths(laplacesgd.DistributionDensity), Want: checks.Consistent,
				Fault: "none: v on the unit sphere"},
			Corrected: "laplace-sgd/alg-1/density/sampled/corrected",
		},
		{
			ID: "laplace-sgd/alg-1/density/sampled/corrected", Source: "Alg. 1, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Sect. 3.4, eq. (7), at the median of its length",
			Statement: "half of the noise vectors of Algorithm 1, v on the unit sphere, are longer than the " +
				"median length under (7)",
			Check: lengths(laplacesgd.DistributionDensity),
			Control: verify.Control{Check: lengths(laplacesgd.DistributionRate), Want: checks.Refuted,
				Fault: "2/α as a rate, at α = 1"},
		},
		{
			ID: "laplace-sgd/alg-1/growth", Source: "Alg. 1, Figs. 8 and 9", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Sect. 4.3, the paragraph before Fig. 8, last sentence, and the one before Fig. 9, " +
				"last sentence: larger values of the noise in more dimensions",
			Statement: "the noise of Algorithm 1 is larger in more dimensions, in length and in each coordinate, root mean " +
				"square",
			Check: larger(func(d int) float64 { return bounds.BallGammaMeanSquare(d, 2) },
				"E‖Z‖² = d²(d+1)/(d+2) s², and its d-th part, rise with d"),
			Control: verify.Control{Check: larger(func(int) float64 { return 8 }, ""), Want: checks.Refuted,
				Fault: "noise of the same length in all dimensions"},
		},
	}
}

const spreadProof = "the gamma density r^(d−1)e^(−r/s) over the surface S_d r^(d−1) of the sphere of " +
	"radius r leaves e^(−r/s)"

func asScale(alpha float64) float64 { return 2 / alpha }
func asRate(alpha float64) float64  { return alpha / 2 }

// logDensity of noise at a vector of length r.
type logDensity func(d int, scale, r float64) float64

// densities compares a density with (7), whose constant follows from its integral.
func densities(of logDensity, scale func(alpha float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "density over that of (7)", Sense: verify.Equals, Proof: proof,
		Domain: gridWords + ", ‖z‖ ∈ {0, 10⁻⁶, 10⁻³, ½, 1, d, 2d, 100} times 2/α, 0 where the density has a limit there",
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions {
				for _, alpha := range alphas {
					for i, x := range []float64{0, 1e-6, 1e-3, 0.5, 1, float64(d), 2 * float64(d), 100} {
						r := x * 2 / alpha
						ratio := math.Exp(of(d, scale(alpha), r) - bounds.LogL2LaplaceDensity(d, 2/alpha, r))
						if x == 0 && math.IsNaN(ratio) {
							continue
						}
						add(formula.Point{Place: formula.Placef("d=%d, α=%g, ‖z‖=%.6g", d, alpha, r), Measured: ratio, Claimed: 1,
							Error: 1e-9,
							Show:  alpha == 1 && d <= 5 && i != 0 && i != 4})
					}
				}
			}
		},
	}
}

// cubeDirections compares the density of a direction along a diagonal with that along an
// axis, in the claim's dimensions from least on; with least = 1 only d = 1 is asked for.
func cubeDirections(least int) verify.Check {
	return formula.Check{
		Quantity: "density along a diagonal over that along an axis", Sense: verify.Equals,
		Domain: "d ∈ {1, 2, 4, 5, 9, 15, 34}, as far as the statement is meant; the cube reaches √d times as far " +
			"along its diagonals",
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions[:7] {
				if least == 1 && d > 1 {
					return
				}
				axis, diagonal := make([]float64, d), make([]float64, d)
				axis[0] = 1
				floats.AddConst(1, diagonal)
				ratio := bounds.CubeDirectionFactor(diagonal) / bounds.CubeDirectionFactor(axis)
				add(formula.Point{Place: formula.Placef("d=%d", d), Measured: ratio, Claimed: 1, Show: true})
			}
		},
	}
}

// lengths samples the implementation at α = 1.
func lengths(law laplacesgd.Distribution) verify.Check {
	grid := []float64{1, 2, 5, 9, 15, 34}
	return mean.Rate{
		Quantity: "share of noise vectors longer than the median of Γ(d, 2/α), at α = 1", Variable: "d", Grid: grid,
		Replicates: 40000,
		Run: func(_ context.Context, r *rand.Rand, x float64) (float64, error) {
			noise, err := laplacesgd.NewNoise(law, int(x), 1)
			if err != nil {
				return 0, err
			}
			z := make([]float64, int(x))
			if err := noise.Draw(r, z); err != nil {
				return 0, err
			}
			if (distuv.Gamma{Alpha: x, Beta: 0.5}).CDF(floats.Norm(z, 2)) > 0.5 {
				return 1, nil
			}
			return 0, nil
		},
		Sense: verify.Equals, Bound: func(float64) float64 { return 0.5 },
		Range: func(float64) (lo, hi float64) { return 0, 1 },
	}
}

// larger holds the root mean square of a coordinate against that of the dimension before; where it rises the
// length, √d times as long, rises all the more.
func larger(square func(d int) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "root mean square of a coordinate at α = 1", Sense: verify.Above, Proof: proof,
		Domain: "d ∈ {1, 2, 4, 5, 9, 15, 34, 784}, each against the one before",
		Points: func(add func(formula.Point)) {
			root := func(d int) float64 { return math.Sqrt(square(d) / float64(d)) }
			for i, d := range dimensions[1:] {
				add(formula.Point{Place: formula.Placef("d=%d and "+
					"%d", d, dimensions[i]), Measured: root(d), Claimed: root(dimensions[i]),
					Show: true})
			}
		},
	}
}
