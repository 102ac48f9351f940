package prestige

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// surfaceClaims returns the statement of the proof of Lemma 2 about the surface of the sphere.
func surfaceClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "prestige/lemma-2/surface", Kind: verify.Identity, Origin: verify.Stated,
			Place:     "Lemma 2, proof: fifth sentence, SA_d(L)",
			Statement: "the surface of the ball of radius L in R^d is d L^(d−1) π^(d/2)/Γ(d/2+1)",
			Check:     surfaceRatio(0),
			Control:   checks.Faulty(surfaceRatio(0.5), "π^((d+1)/2) in place of π^(d/2)"),
		},
	}
}

// surfaceRatio compares 2SA_{d−1}(1)/((d−1)SA_d(1)), which equals E|V₁| on the sphere, with a quadrature, and the
// surfaces of the circle and the sphere with 2π and 4π. It adds more to the exponent d/2 of π.
func surfaceRatio(more float64) verify.Check {
	logSurface := func(d float64) float64 {
		gamma, _ := math.Lgamma(d/2 + 1)
		return math.Log(d) + (d/2+more)*math.Log(math.Pi) - gamma
	}
	return formula.Check{
		Quantity: "2SA_{d−1}(1)/((d−1)SA_d(1)); SA_2(1); SA_3(1)", Sense: verify.Equals, Domain: "d ∈ {3, 10, 123, 784}, " +
			"d = 2 and 3",
		Proof: "the quotients determine all surfaces from one of them",
		Points: func(add func(formula.Point)) {
			for _, d := range dimensions {
				if d < 3 {
					continue
				}
				mean, err := bounds.HalfSphereMeanByQuadrature(d)
				dims := float64(d)
				add(formula.Point{Place: formula.Placef("d=%d", d), Claimed: mean,
					Measured: 2 * math.Exp(logSurface(dims-1)-logSurface(dims)) / (dims - 1),
					Error:    quadratureError, Show: true, Err: err})
			}
			add(formula.Point{Place: formula.Placef("the circle"), Measured: math.Exp(logSurface(2)), Claimed: 2 * math.Pi,
				Show: true})
			add(formula.Point{Place: formula.Placef("the sphere"), Measured: math.Exp(logSurface(3)), Claimed: 4 * math.Pi,
				Show: true})
		},
	}
}
