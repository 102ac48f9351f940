package nonconvex

import (
	"math"
	"slices"

	"github.com/dpverify/dpverify/algorithms/erm"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func formulaClaims() []verify.Claim {
	return slices.Concat([]verify.Claim{
		{
			ID: "nonconvex/remark-3", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Remark 3, first sentence: for growing p, to which G_C = o(√p) applies",
			Statement: "bound (7) is below bound (4), both without their O, for every p ≥ 3 on the ℓ1 balls with ‖C‖₂ = " +
				"0.1 and 1, whose width is o(√p). Setting: n = 10⁴, ε = 1, δ = 10⁻³",
			Check:   mirrorBelow(l1Width, "‖C‖₂² + G_C² ≤ 1 + 2·ln(2p) < p for p ≥ 9, and the points decide the rest"),
			Control: checks.Faulty(mirrorBelow(l2Width, ""), "the ℓ2 ball, whose width is not o(√p)"),
		},
		{
			ID: "nonconvex/remark-3/same", Kind: verify.Identity, Origin: verify.Stated,
			Place: "Remark 3, last sentence: also the abstract, last but two sentences",
			Statement: "bound (7) is √‖C‖₂ times bound (6), both without their O. So the bounds for the Frank–Wolfe gap " +
				"and the projected gradient agree at ‖C‖₂ = 1, as Remark 3 and the abstract say",
			Check:   sameBounds(math.Sqrt),
			Control: checks.Faulty(sameBounds(func(float64) float64 { return 1 }), "the factor 1 at every ‖C‖₂"),
		},
	}, checks.Pair(verify.Claim{
		ID: "nonconvex/table-1/polytope", Kind: verify.Identity, Origin: verify.Implied,
		Place: "Table 1, last row: C is an ℓ1 ball or a polytope; (8) has the factor ‖C‖₁, up to √p, and |A| for p",
		Statement: "for every polytope with ‖C‖₂ ≤ 1, the row of Algorithm 4 in Table 1 equals (8) without its O up to " +
			"a factor of 8. The row includes polytopes. Tried on the segment along the diagonal, |A| = 2, ‖C‖₁ = √p",
		Check:    tableRows(math.Sqrt, func(float64) float64 { return 2 }, 8),
		Formerly: []string{"nonconvex/table-1/polytope/corrected"},
	}, verify.Claim{
		ID: "nonconvex/table-1", Origin: verify.Stated,
		Place: "Table 1, all rows: with the caption; Remark 1, first sentence",
		Statement: "each row of Table 1 is at least the bound of its theorem without its O, for ‖C‖₂ ≤ 1 and η = 0.05. " +
			"This is exact for (4), (6) and (7), with ℓ1 balls for C, and up to a factor of 2 for (8) on the unit ℓ1 " +
			"ball. The row of Algorithm 1 is the row of Wang, Ye & Xu, as Remark 1 says",
		Check:    tableRows(func(float64) float64 { return 1 }, func(p float64) float64 { return 2 * p }, 2),
		Formerly: []string{"nonconvex/table-1/previous"},
	}, "the unit ℓ1 ball", "a segment along the diagonal, ‖C‖₁ = √p"), []verify.Claim{
		{
			ID: "nonconvex/thm-6/smallest", Kind: verify.Identity, Origin: verify.Stated,
			Place: "paragraph after Corollary 1: second sentence (\"could be\"), and Assumptions 1 and 4",
			Statement: "on the unit ℓ1 ball, (8) is the smallest of (4), (6), (7) and (8), all without their O, if " +
				"ln(2np/η) ≤ p. This is the case in which \"the above bound could be the smallest\". Setting: losses with " +
				"constant 1 in the ℓ1 norm and √p in the ℓ2 norm; (4), (6) and (7) have this factor √p",
			Check:    smallest(0),
			Control:  checks.Faulty(smallest(1), "equal constants"),
			Formerly: []string{"nonconvex/thm-6/smallest/corrected"},
		},
		{
			ID: "nonconvex/thm-6/dimension", Kind: verify.Identity, Origin: verify.Stated,
			Place: "paragraph after Corollary 1: last two sentences; every such set has ‖C‖₁ ≥ √p, by its point (1, …, 1)/√p",
			Statement: "bound (8) without its O depends on p only as √ln(np) for sets that contain the unit ℓ2 ball, such " +
				"as the ℓ1 ball of radius √p. Setting: n = 10⁴, η = 0.05",
			Check: vertexGrowth(math.Sqrt, ""),
			Control: verify.Control{Check: vertexGrowth(func(float64) float64 { return 1 },
				"ln(2np/η) ≤ ln(2n/η)/ln(n)·ln(np) for p ≥ 1"), Want: checks.Holds,
				Fault: "none: the unit ℓ1 ball, as in Corollary 1"},
			Formerly: []string{"nonconvex/thm-6/dimension/corrected"},
		},
	})
}

func l1Width(p int) float64 { return unitWidth(erm.NewL1Ball(p, 1)) }
func l2Width(p int) float64 { return unitWidth(erm.NewL2Ball(p, 1)) }

// unitWidth returns the width of a unit ball, which exists in every dimension p ≥ 1.
func unitWidth(ball erm.ExactWidth, err error) float64 {
	if err != nil {
		panic(err)
	}
	return ball.GaussianWidth()
}

func mirrorBelow(width func(p int) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "(7)/(4)", Sense: verify.Below, Domain: "n = 10⁴, ε = 1, δ = 10⁻³", Proof: proof,
		Grid: formula.Grid{formula.Over("p", 3, 4, 5, 6, 7, 8, 9, 10, 100, 10000, 1000000), formula.Over("‖C‖₂", 0.1, 1)},
		At: func(at []float64, add func(formula.Point)) {
			const n, epsilon, delta = 1e4, 1, 1e-3
			p, norm := at[0], at[1]
			add(formula.Point{Claimed: 1, Show: true,
				Measured: paper.MirrorGradient(n, epsilon, delta, norm, norm*width(int(p))) /
					paper.ProjectedGradient(n, epsilon, delta, p)})
		},
	}
}

// tableRows compares the bounds of the theorems with their rows of Table 1 at L = G = 1, the last one up to factor,
// and the row of Algorithm 1 with the row of Wang, Ye & Xu. normL1 and vertices return ‖C‖₁ and |A| of the last row
// in dimension p.
func tableRows(normL1, vertices func(p float64) float64, factor float64) verify.Check {
	const n, epsilon, delta, eta = 1e4, 1, 1e-3, 0.05
	return formula.Check{
		Quantity: "bound of the theorem over the row", Sense: verify.AtMost,
		Domain: "n = 10⁴, ε = 1, δ = 10⁻³, η = 0.05; the last row up to a factor, the others exactly",
		Grid:   formula.Grid{formula.Over("p", 1, 10, 100, 10000, 1000000), formula.Over("‖C‖₂", 0.1, 1)},
		At: func(at []float64, add func(formula.Point)) {
			p, norm, l := at[0], at[1], math.Log(1/delta)
			width := norm * l1Width(int(p))
			row := func(name string, bound, row, claimed float64) {
				add(formula.Point{Place: formula.Placef("%s", name), Measured: bound / row, Claimed: claimed,
					Show: claimed != 1})
			}
			row("Algorithm 1, and Wang, Ye & Xu", paper.ProjectedGradient(n, epsilon, delta, p),
				math.Pow(p*l, 0.25)/math.Sqrt(n*epsilon), 1)
			inC := math.Pow((norm*norm+width*width)*l, 0.25) / math.Sqrt(n*epsilon)
			row("Algorithm 2", paper.FrankWolfeGap(n, epsilon, delta, norm, width), inC, 1)
			row("Algorithm 3", paper.MirrorGradient(n, epsilon, delta, norm, width), inC, 1)
			if norm == 1 {
				row("Algorithm 4", paper.VertexGap(n, epsilon, delta, normL1(p), vertices(p), eta),
					math.Pow(l/(n*epsilon*n*epsilon), 0.25)*math.Sqrt(math.Log(n*p)), factor)
			}
		},
	}
}

// vertexGrowth compares (8) on the ℓ1 ball of the given radius with its value at p = 1,
// both over √ln(np).
func vertexGrowth(radius func(p float64) float64, proof string) verify.Check {
	const n, epsilon, delta, eta = 1e4, 1, 1e-3, 0.05
	over := func(p float64) float64 {
		return paper.VertexGap(n, epsilon, delta, radius(p), 2*p, eta) / math.Sqrt(math.Log(n*p))
	}
	return formula.Check{
		Quantity: "(8)/√ln(np), relative to p = 1", Sense: verify.AtMost, Proof: proof,
		Domain: "|A| = 2p, n = 10⁴, η = 0.05", Grid: formula.Grid{formula.Over("p", 1, 10, 100, 1e4, 1e6)},
		At: func(at []float64, add func(formula.Point)) {
			add(formula.Point{Measured: over(at[0]) / over(1), Claimed: 1, Show: true})
		},
	}
}

// sameBounds compares the quotient of (7) and (6) on ℓ1 balls with a factor of ‖C‖₂.
func sameBounds(factor func(norm float64) float64) verify.Check {
	return formula.Check{
		Quantity: "(7)/(6)", Sense: verify.Equals, Domain: "ℓ1 balls, n = 10⁴, ε = 1, δ = 10⁻³",
		Proof: "the ratio is √‖C‖₂", Grid: formula.Grid{formula.Over("‖C‖₂", 0.5, 1, 4),
			formula.Over("p", 1, 100, 10000)},
		At: func(at []float64, add func(formula.Point)) {
			const n, epsilon, delta = 1e4, 1, 1e-3
			norm := at[0]
			width := norm * l1Width(int(at[1]))
			add(formula.Point{Claimed: factor(norm), Show: true, Measured: paper.MirrorGradient(n, epsilon, delta, norm,
				width) /
				paper.FrankWolfeGap(n, epsilon, delta, norm, width)})
		},
	}
}

// smallest compares (8) on the unit ℓ1 ball with the smallest of (4), (6) and (7), for ln(2np/η) ≤ p. The latter
// increase with their G = p^((1 − share)/2) if the noise dominates.
func smallest(share float64) verify.Check {
	return formula.Check{
		Quantity: "(8) over the smallest of (4), (6) and (7)", Sense: verify.AtMost,
		Domain: "the unit ℓ1 ball, |A| = 2p, ln(2np/η) ≤ p, ε = 1, δ = 10⁻³, η = 0.05",
		Proof:  "squared and times nε/√ln(1/δ), (8) is ln(2np/η) ≤ p, the others p times √p or √(1 + G_C²)",
		Grid:   formula.Grid{formula.Over("p", 20, 100, 1e4, 1e6), formula.Over("n", 1e4, 1e9)},
		At: func(at []float64, add func(formula.Point)) {
			const epsilon, delta, eta = 1, 1e-3, 0.05
			p, n := at[0], at[1]
			if math.Log(2*n*p/eta) > p {
				return
			}
			width := l1Width(int(p))
			smallest := min(paper.ProjectedGradient(n, epsilon, delta, p),
				paper.FrankWolfeGap(n, epsilon, delta, 1, width), paper.MirrorGradient(n, epsilon, delta, 1, width))
			add(formula.Point{Claimed: 1, Show: true, Measured: paper.VertexGap(n, epsilon, delta, 1, 2*p, eta) /
				(math.Pow(p, (1-share)/2) * smallest)})
		},
	}
}
