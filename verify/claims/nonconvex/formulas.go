package nonconvex

import (
	"math"

	"github.com/dpverify/dpverify/algorithms/erm"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func formulaClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/remark-3", Source: "Remark 3", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 3, first sentence, for p → ∞, of which G_C = o(√p) speaks",
			Statement: "for ‖C‖₂ ≤ 1 and the ℓ1 ball, whose width is o(√p), (7) without its O is below (4) without " +
				"its O for all p ≥ 3",
			Check: mirrorBelow(3, l1Width, "‖C‖₂² + G_C² ≤ 1 + 2·ln(2p) < p for p ≥ 9, and the points decide the rest"),
			Control: verify.Control{Check: mirrorBelow(3, l2Width, ""), Want: checks.Refuted,
				Fault: "the ℓ2 ball, whose width is not o(√p)"},
		},
		{
			ID: "nonconvex/remark-3/always", Source: "Remark 3, every p", Kind: verify.Identity,
			Origin: verify.Reading, Place: "Remark 3, first sentence: always, read as for every p",
			Statement: "for ‖C‖₂ ≤ 1 and the ℓ1 ball (7) without its O is below (4) without its O for every p ≥ 1",
			Check:     mirrorBelow(1, l1Width, ""),
			Control:   verify.Control{Check: mirrorBelow(3, l1Width, ""), Want: checks.Holds, Fault: "none: p ≥ 3"},
			Corrected: "nonconvex/remark-3",
		},
		{
			ID: "nonconvex/remark-3/same", Source: "Remark 3, Theorems 4 and 5", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Remark 3, last sentence; also the abstract, last but two sentences",
			Statement: "but for the terms in C, that is at ‖C‖₂ = 1, (6) and (7) without their O are the same",
			Check:     sameBounds(1),
			Control:   verify.Control{Check: sameBounds(0.5), Want: checks.Refuted, Fault: "‖C‖₂ = ½"},
		},
		{
			ID: "nonconvex/table-1/previous", Source: "Table 1, first three rows; Remark 1", Kind: verify.Identity,
			Origin: verify.Stated, Place: "Table 1, first three rows; Remark 1, first sentence",
			Statement: "the row of Algorithm 1 is that of Wang, Ye & Xu, and below that of Zhang et al. by (ln(n/δ))^¼",
			Check:     previousRows(false),
			Control: verify.Control{Check: previousRows(true), Want: checks.Refuted,
				Fault: "the row of Algorithm 4, at p = 100"},
		},
		{
			ID: "nonconvex/table-1", Source: "Table 1", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Table 1, rows of Algorithms 1 to 4, and its caption",
			Statement: "each row of Table 1, for ‖C‖₂ ≤ 1 and C the ℓ1 ball in the last one, is at least the bound of its " +
				"theorem without its O, η constant in (8)",
			Check: tableRows(func(p int) (float64, float64) { return 1, 2 * float64(p) }, 2, true),
			Control: verify.Control{Check: tableRows(func(p int) (float64, float64) { return math.Sqrt(float64(p)), 2 }, 2,
				true),
				Want: checks.Contradictory, Fault: "a segment along the diagonal, ‖C‖₁ = √p"},
		},
		{
			ID: "nonconvex/table-1/polytope", Source: "Table 1, last row", Kind: verify.Consistency,
			Origin: verify.Stated, Place: "Table 1, last row: C is an ℓ1 ball or a polytope",
			Statement: "the row of Algorithm 4 is at least a constant times (8) without its O, for polytopes with ‖C‖₂ ≤ 1",
			Check:     tableRows(func(p int) (float64, float64) { return math.Sqrt(float64(p)), 2 }, 8, true),
			Control: verify.Control{Check: tableRows(func(p int) (float64, float64) { return 1, 2 * float64(p) }, 8, true),
				Want: checks.Holds, Fault: "none: the ℓ1 ball"},
			Corrected: "nonconvex/table-1/polytope/corrected",
		},
		{
			ID: "nonconvex/table-1/polytope/corrected", Source: "Table 1, last row, corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Theorem 6, eq. (8), and Table 1, last row",
			Statement: "the row of Algorithm 4 times ‖C‖₁, with |A| for p, is (8) without its O to a factor of 2, for the " +
				"segment of ‖C‖₁ = √p, |A| = 2",
			Check: tableRows(func(p int) (float64, float64) { return math.Sqrt(float64(p)), 2 }, 2, false),
			Control: verify.Control{Check: tableRows(func(p int) (float64, float64) { return float64(p), 2 }, 2, false),
				Want: checks.Refuted, Fault: "‖C‖₁ = p"},
		},
		{
			ID: "nonconvex/thm-6/dimension", Source: "after Corollary 1", Kind: verify.Identity,
			Origin: verify.Stated, Place: "paragraph after Corollary 1, last two sentences",
			Statement: "for C that contain the unit ℓ2 ball, such as the ℓ1 ball of radius √p, (8) without its O grows no " +
				"faster than √ln(np)",
			Check: vertexGrowth(func(p float64) float64 { return math.Sqrt(p) }, ""),
			Control: verify.Control{Check: vertexGrowth(func(float64) float64 { return 1 },
				"ln(2np/η) ≤ ln(2n/η)/ln(n)·ln(np) for p ≥ 1"), Want: checks.Holds, Fault: "none: the unit ℓ1 ball"},
			Corrected: "nonconvex/thm-6/dimension/corrected",
		},
		{
			ID: "nonconvex/thm-6/smallest", Source: "after Corollary 1, against (6)", Kind: verify.Identity,
			Origin: verify.Reading,
			Place: "paragraph after Corollary 1, second sentence (\"could be\"): for the sets of Corollary 1, the Lipschitz " +
				"constants taken as equal, as in Table 1",
			Statement: "on the unit ℓ1 ball (8) without its O is the smallest of the bounds (4), (6), (7) and (8)",
			Check:     smallest(1, ""),
			Control: verify.Control{Check: smallest(0, smallestProof), Want: checks.Holds,
				Fault: "none: the G of (4), (6) and (7) as large as G√p"},
			Corrected: "nonconvex/thm-6/smallest/corrected",
		},
		{
			ID: "nonconvex/thm-6/smallest/corrected", Source: "after Corollary 1, against (6)", Kind: verify.Identity,
			Origin: verify.Correction, Place: "paragraph after Corollary 1, second sentence, and Assumptions 1 and 4",
			Statement: "where ln(2np/η) ≤ p, (8) on the unit ℓ1 ball is the smallest if the G of (4), (6) and (7), in the " +
				"ℓ2 norm, is the √p that a loss with constant 1 in the ℓ1 norm can have there",
			Check:   smallest(0, smallestProof),
			Control: verify.Control{Check: smallest(1, ""), Want: checks.Refuted, Fault: "equal constants"},
		},
		{
			ID: "nonconvex/thm-6/dimension/corrected", Source: "after Corollary 1, for the unit ℓ1 ball", Kind: verify.Identity,
			Origin: verify.Correction, Place: "Corollary 1 and eq. (8)",
			Statement: "for the unit ℓ1 ball (8) without its O grows no faster than √ln(np)",
			Check:     vertexGrowth(func(float64) float64 { return 1 }, "ln(2np/η) ≤ ln(2n/η)/ln(n)·ln(np) for p ≥ 1"),
			Control: verify.Control{Check: vertexGrowth(func(p float64) float64 { return math.Sqrt(p) }, ""),
				Want: checks.Refuted, Fault: "the ℓ1 ball of radius √p"},
		},
	}
}

func l1Width(p int) float64 { return unitWidth(erm.NewL1Ball(p, 1)) }
func l2Width(p int) float64 { return unitWidth(erm.NewL2Ball(p, 1)) }

// unitWidth is the width of a unit ball, which exists in every dimension p ≥ 1.
func unitWidth(ball erm.ExactWidth, err error) float64 {
	if err != nil {
		panic(err)
	}
	return ball.GaussianWidth()
}

func mirrorBelow(least int, width func(p int) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "(7)/(4)", Sense: verify.Below,
		Domain: "every p to 10 and p ∈ {100, 10⁴, 10⁶} as far as the statement reaches, ‖C‖₂ ∈ {0.1, 1}, n = " +
			"10⁴, ε = 1, δ = 10⁻³", Proof: proof,
		Points: func(add func(formula.Point)) {
			for _, p := range []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 100, 10000, 1000000} {
				for _, norm := range []float64{0.1, 1} {
					if p < least {
						continue
					}
					const n, epsilon, delta = 1e4, 1, 1e-3
					add(formula.Point{
						Place: formula.Placef("p=%d, ‖C‖₂=%g", p, norm), Claimed: 1, Show: true,
						Measured: paper.MirrorGradient(n, epsilon, delta, norm, norm*width(p)) /
							paper.ProjectedGradient(n, epsilon, delta, float64(p)),
					})
				}
			}
		},
	}
}

// tableRows compares the theorems with the rows that stand for them, at L = G = 1, the
// last one up to factor. hull gives ‖C‖₁ and |A| in dimension p. Unless asPrinted, the
// last row has √p, the ‖C‖₁ of the segment, as a factor, and |A| for p.
func tableRows(hull func(p int) (normL1, vertices float64), factor float64, asPrinted bool) verify.Check {
	const n, epsilon, delta, eta = 1e4, 1, 1e-3, 0.05
	return formula.Check{
		Quantity: "bound of the theorem over the row", Sense: verify.AtMost, Contradiction: asPrinted,
		Domain: "p ∈ {1, 10, 100, 10⁴, 10⁶}, ‖C‖₂ ∈ {0.1, 1}, n = 10⁴, ε = 1, δ = 10⁻³, η = 0.05; the last row up to a " +
			"factor, the others exactly",
		Points: func(add func(formula.Point)) {
			l := math.Log(1 / delta)
			for _, p := range []int{1, 10, 100, 10000, 1000000} {
				dim := float64(p)
				for _, norm := range []float64{0.1, 1} {
					width := norm * l1Width(p)
					row := math.Pow((norm*norm+width*width)*l, 0.25) / math.Sqrt(n*epsilon)
					add(formula.Point{Place: formula.Placef("Algorithm 1, p=%d", p),
						Measured: paper.ProjectedGradient(n, epsilon, delta, dim) /
							(math.Pow(dim*l, 0.25) / math.Sqrt(n*epsilon)), Claimed: 1})
					add(formula.Point{Place: formula.Placef("Algorithm 2, p=%d, ‖C‖₂=%g", p, norm),
						Measured: paper.FrankWolfeGap(n, epsilon, delta, norm, width) / row, Claimed: 1})
					add(formula.Point{Place: formula.Placef("Algorithm 3, p=%d, ‖C‖₂=%g", p, norm),
						Measured: paper.MirrorGradient(n, epsilon, delta, norm, width) / row, Claimed: 1})
				}
				normL1, vertices := hull(p)
				row := math.Pow(l/(n*epsilon*n*epsilon), 0.25) * math.Sqrt(math.Log(n*dim))
				if !asPrinted {
					row = math.Sqrt(dim) * math.Pow(l/(n*epsilon*n*epsilon), 0.25) * math.Sqrt(math.Log(n*vertices))
				}
				add(formula.Point{
					Place: formula.Placef("Algorithm 4, p=%d, ‖C‖₁=%.4g, |A|=%g", p, normL1, vertices), Show: true,
					Measured: paper.VertexGap(n, epsilon, delta, normL1, vertices, eta) / row, Claimed: factor,
				})
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
		Domain: "p ∈ {1, 10, 100, 10⁴, 10⁶}, |A| = 2p, n = 10⁴; every set with the unit ℓ2 ball in it has ‖C‖₁ ≥ √p, by " +
			"its point (1, …, 1)/√p",
		Points: func(add func(formula.Point)) {
			for _, p := range []float64{1, 10, 100, 1e4, 1e6} {
				add(formula.Point{Place: formula.Placef("p=%g", p), Measured: over(p) / over(1), Claimed: 1, Show: true})
			}
		},
	}
}

// sameBounds is (7) over (6) on ℓ1 balls.
func sameBounds(norm float64) verify.Check {
	return formula.Check{
		Quantity: "(7)/(6)", Sense: verify.Equals, Domain: "ℓ1 balls, p ∈ {1, 100, 10⁴}, n = 10⁴, ε = 1, δ = 10⁻³",
		Proof: "the ratio is √‖C‖₂",
		Points: func(add func(formula.Point)) {
			const n, epsilon, delta = 1e4, 1, 1e-3
			for _, p := range []int{1, 100, 10000} {
				width := norm * l1Width(p)
				add(formula.Point{Place: formula.Placef("p=%d, ‖C‖₂=%g", p, norm), Claimed: 1, Show: true,
					Measured: paper.MirrorGradient(n, epsilon, delta, norm, width) / paper.FrankWolfeGap(n, epsilon, delta, norm,
						width)})
			}
		},
	}
}

// previousRows holds the row of Algorithm 1, or of Algorithm 4, against those of Wang, Ye & Xu and of Zhang et al.
func previousRows(fourth bool) verify.Check {
	return formula.Check{
		Quantity: "row of Algorithm 1 over the other row, times (ln(n/δ))^¼ for Zhang et al.", Sense: verify.Equals,
		Domain: "n ∈ {10², 10⁶}, p = 100, ε = 1, δ = 10⁻³", Proof: "the formulas differ by that factor",
		Points: func(add func(formula.Point)) {
			const p, epsilon, delta = 100, 1, 1e-3
			for _, n := range []float64{1e2, 1e6} {
				row := paper.ProjectedGradient(n, epsilon, delta, p)
				if fourth {
					row = paper.VertexGap(n, epsilon, delta, 1, p, 1)
				}
				saved := math.Pow(math.Log(n/delta), 0.25)
				add(formula.Point{Place: formula.Placef("n=%g, Wang, Ye & Xu", n), Claimed: 1, Show: true,
					Measured: row / (math.Pow(p*math.Log(1/delta), 0.25) / math.Sqrt(n*epsilon))})
				add(formula.Point{Place: formula.Placef("n=%g, Zhang et al.", n), Claimed: 1, Show: true,
					Measured: row * saved / paper.GradientZhang(n, epsilon, delta, p)})
			}
		},
	}
}

const smallestProof = "squared and times nε/√ln(1/δ), (8) is ln(2np/η) ≤ p, the others p times √p or √(1 + G_C²)"

// smallest is (8) on the unit ℓ1 ball over the least of (4), (6) and (7), which grow like their G = p^((1 − share)/2)
// where noise decides, as far as ln(2np/η) ≤ p.
func smallest(share float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "(8) over the least of (4), (6) and (7)", Sense: verify.AtMost,
		Domain: "the unit ℓ1 ball, |A| = 2p, p ∈ {20, 100, 10⁴, 10⁶}, n ∈ {10⁴, 10⁹} with ln(2np/η) ≤ p, ε = 1, δ = " +
			"10⁻³, η = 0.05",
		Proof: proof,
		Points: func(add func(formula.Point)) {
			const epsilon, delta, eta = 1, 1e-3, 0.05
			for _, p := range []float64{20, 100, 1e4, 1e6} {
				width := l1Width(int(p))
				for _, n := range []float64{1e4, 1e9} {
					if math.Log(2*n*p/eta) > p {
						continue
					}
					least := min(paper.ProjectedGradient(n, epsilon, delta, p),
						paper.FrankWolfeGap(n, epsilon, delta, 1, width), paper.MirrorGradient(n, epsilon, delta, 1, width))
					grown := math.Pow(p, (1-share)/2)
					add(formula.Point{Place: formula.Placef("p=%g, n=%.3g", p, n), Claimed: 1, Show: true,
						Measured: paper.VertexGap(n, epsilon, delta, 1, 2*p, eta) / (grown * least)})
				}
			}
		},
	}
}
