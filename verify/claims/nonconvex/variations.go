package nonconvex

import "github.com/dpverify/dpverify/verify"

// variation is one theorem along one variable, with a fault that the means must detect: a bound that is smaller by a
// share not far below the attained one, or that lacks a part of its growth.
type variation struct {
	id, place, statement string
	origin               verify.Origin
	of                   rate
	along                axis
	fault                fault
	formerly             []string
}

// variations returns the theorems along each of their variables.
func variations() []variation {
	noisy, still, fresh := withRegularizer(true), withRegularizer(false), populationRate()
	ball, cross, mirror := frankWolfeRate(bodyL2), frankWolfeRate(bodyL1), mirrorRate()
	vertices, simplex := ballVertices(), simplexVertices()
	const (
		thm2 = "Theorem 2, eq. (4): its O with the constants that a proof gives; g_R after eq. (4), noise included"
		thm3 = "Theorem 3, eq. (5): its O with the constants that a proof gives for finite distributions; its " +
			"probability 1 − β read as the mean over the records, τ = G"
		thm4 = "Theorem 4, eq. (6): its O with the constants that a proof gives, at ‖C‖₂ = 1, as in Table 1"
		thm5 = "Theorem 5, eq. (7): its O with the constants that a proof gives, at ‖C‖₂ = 1"
		thm6 = "Theorem 6, eq. (8), and Corollary 1: the O with the constants that a proof gives; line 2 of Algorithm 4 " +
			"as reconstructed (nonconvex/alg-4)"
		product = "; n and ε enter only as nε"
	)
	return []variation{
		{
			id: "nonconvex/thm-2", origin: verify.Stated, place: thm2 + product,
			statement: "E‖g_R‖₂ of Algorithm 1 on R^p is at most √((8LΔ + 8cG²)/3)·(p·ln(1/δ))^¼/√(nε) as n grows from " +
				"1000 to 16000. Here g_R = (x_R − x_{R+1})/γ contains the noise, and Δ = F(x₁) − min F. Setting: p = 8, ε = " +
				"1, γ = 1/(2L), c = 11.66, T = ⌈v⌉, v = nε/√(p·ln(1/δ)); the worst of planted rows with the ℓ1 regularizer, " +
				"cancelling records and Huber losses",
			of: noisy, along: multiples(inRecords, 1000, 2, 5), fault: fault{0.75, 0},
			formerly: []string{"nonconvex/thm-2/epsilon"},
		},
		{
			id: "nonconvex/thm-2/dimension", origin: verify.Stated, place: thm2,
			statement: "E‖g_R‖₂ of Algorithm 1 on R^p is at most √((8LΔ + 8cG²)/3)·(p·ln(1/δ))^¼/√(nε) as p grows from 2 " +
				"to 162. Here g_R = (x_R − x_{R+1})/γ contains the noise. Setting: n = 16000, ε = 1, γ = 1/(2L), c = 11.66, " +
				"T = ⌈nε/√(p·ln(1/δ))⌉; the worst of planted rows with the ℓ1 regularizer, cancelling records and Huber " +
				"losses",
			of: noisy, along: multiples(inDimension, 2, 3, 5), fault: fault{1, -0.25},
		},
		{
			id: "nonconvex/thm-2/steps", origin: verify.Reading, place: "Theorem 2: T = O(v), read as Θ(v)",
			statement: "E‖g_R‖₂ of Algorithm 1 on R^p after T steps is at most √(8LΔ/(3T) + 4cG²T/(3v²)) for T from 25 to " +
				"1600 at v = nε/√(p·ln(1/δ)) = 2152. This is O(1/√v) for T between multiples of v: the T = O(·) of Theorem " +
				"2 is read as Θ(·). Setting: n = 16000, p = 8, ε = 1, γ = 1/(2L), c = 11.66; the worst of planted rows with " +
				"the ℓ1 regularizer, cancelling records and Huber losses",
			of: noisy, along: multiples(inSteps, 25, 2, 7), fault: fault{1, -0.5},
		},
		{
			id: "nonconvex/thm-2/gradient", origin: verify.Reading,
			place: "after eq. (4), and eq. (2): g_R contains the noise, the projected gradient of eq. (2) at ∇F(x_R) does " +
				"not",
			statement: "the mean norm of the projected gradient at ∇F(x_R), without the noise in g_R, is at most √(4LΔ + " +
				"2cG²)·(p·ln(1/δ))^¼/√(nε) for Algorithm 1 on R^p, as n grows from 1000 to 16000. Setting: p = 8, ε = 1, γ " +
				"= 1/(2L), c = 11.66, T = ⌈nε/√(p·ln(1/δ))⌉; the worst of planted rows with the ℓ1 regularizer, cancelling " +
				"records and Huber losses",
			of: still, along: multiples(inRecords, 1000, 2, 5), fault: fault{0.42, 0},
		},
		{
			id: "nonconvex/thm-3/utility", origin: verify.Reading, place: thm3,
			statement: "the mean norm of the population gradient at x_R of Algorithm 1 is at most √(τ²p·ln(τ/β)·ln(n)/n) " +
				"+ √(8LΔ/(3T) + cG²T/(3v²)) as n grows from 64 to 1024. The mean is over fresh records and the algorithm " +
				"(Theorem 3 has probability 1 − β). Setting: p = 2, uniform distributions on at most 4p rows, τ = G, β = " +
				"τ/5, T = ⌈v⌉, v = nε/√(p·ln(1/δ))",
			of: fresh, along: multiples(inRecords, 64, 2, 5), fault: fault{0.3, 0},
			formerly: []string{"nonconvex/thm-3/utility/epsilon", "nonconvex/thm-3/defined/corrected"},
		},
		{
			id: "nonconvex/thm-3/utility/dimension", origin: verify.Reading, place: thm3,
			statement: "the mean norm of the population gradient at x_R of Algorithm 1 is at most √(τ²p·ln(τ/β)·ln(n)/n) " +
				"+ √(8LΔ/(3T) + cG²T/(3v²)) as p grows from 1 to 8. The mean is over fresh records and the algorithm. " +
				"Setting: n = 512, ε = 1, uniform distributions on at most 4p rows, τ = G, β = τ/5, T = ⌈v⌉, v = " +
				"nε/√(p·ln(1/δ))",
			of: fresh, along: axis{inDimension, []float64{1, 2, 3, 5, 8}}, fault: fault{0.3, 0},
		},
		{
			id: "nonconvex/thm-4", origin: verify.Stated,
			place: thm4 + product + "; for smaller sets see nonconvex/thm-4/small, and for larger sets Δ grows with C",
			statement: "the mean Frank–Wolfe gap of Algorithm 2 on the unit ℓ2 ball is at most (Δ + G√(2c) + 2L)/√v as n " +
				"grows from 1000 to 16000. Setting: planted rows and linear losses, p = 4, γ = 1/√v, T = ⌈v⌉, v = " +
				"nε/√((‖C‖₂² + G_C²)·ln(1/δ)), c = 11.66",
			of: ball, along: multiples(inRecords, 1000, 2, 5), fault: fault{0.31, 0},
			formerly: []string{"nonconvex/thm-4/epsilon", "nonconvex/thm-4/steps"},
		},
		{
			id: "nonconvex/thm-4/dimension", origin: verify.Stated, place: thm4,
			statement: "the mean Frank–Wolfe gap of Algorithm 2 on the unit ℓ2 ball, whose width G_C grows as √p, is at " +
				"most (Δ + G√(2c) + 2L)/√v as p grows from 2 to 162. Setting: planted rows and linear losses, n = 1000, ε = " +
				"1, v = nε/√((‖C‖₂² + G_C²)·ln(1/δ))",
			of: ball, along: multiples(inDimension, 2, 3, 5), fault: fault{0.36, 0},
		},
		{
			id: "nonconvex/thm-4/dimension/l1-ball", origin: verify.Stated, place: thm4,
			statement: "the mean Frank–Wolfe gap of Algorithm 2 on the unit ℓ1 ball is at most (Δ + G√(2c) + 2L)/√v as p " +
				"grows from 2 to 162. The bound hardly grows with p, since G_C is at most √(2·ln(2p)). Setting: planted " +
				"rows and linear losses, n = 1000, ε = 1, v = nε/√((‖C‖₂² + G_C²)·ln(1/δ))",
			of: cross, along: multiples(inDimension, 2, 3, 5), fault: fault{0.36, 0},
		},
		{
			id: "nonconvex/thm-5", origin: verify.Stated, place: thm5 + product,
			statement: "E‖g_R‖₂ of Algorithm 3 on the unit ℓ1 ball is at most √(8LΔ/(3T) + 4cG²T/(3v²)) as n grows from " +
				"1000 to 16000. Setting: p = 2, the q-norm with modulus 1 in the ℓ1 norm, γ = 1/(2L), T = ⌈v⌉, v = " +
				"nε/√((‖C‖₂² + G_C²)·ln(1/δ)); planted rows, cancelling records and Huber losses with rows of norm up to 50",
			of: mirror, along: multiples(inRecords, 1000, 2, 5), fault: fault{0.28, 0},
			formerly: []string{"nonconvex/thm-5/epsilon", "nonconvex/thm-5/steps"},
		},
		{
			id: "nonconvex/thm-5/dimension", origin: verify.Stated, place: thm5,
			statement: "E‖g_R‖₂ of Algorithm 3 on the unit ℓ1 ball is at most √(8LΔ/(3T) + 4cG²T/(3v²)) as p grows from 4 " +
				"to 64. Setting: n = 1000, ε = 1, a q-norm with modulus 1 in the ℓ1 norm, γ = 1/(2L), T = ⌈v⌉, v = " +
				"nε/√((‖C‖₂² + G_C²)·ln(1/δ)), G_C ≤ √(2·ln(2p)); planted rows, cancelling records and Huber losses with " +
				"rows of norm up to 50",
			of: mirror, along: multiples(inDimension, 4, 2, 5), fault: fault{0.14, 0},
		},
		{
			id: "nonconvex/thm-6/utility", origin: verify.Stated,
			place: thm6 + "; ‖C‖₁ = 1, as Corollary 1 and Table 1 take it: for larger sets Δ grows with C",
			statement: "the mean Frank–Wolfe gap of Algorithm 4 on the unit ℓ1 ball is at most Δ/√(2T) + 2√2·L/√T + " +
				"8√2·G√T/v as n grows from 4000 to 20250. Setting: planted rows and linear losses, p = 64, line 2 as " +
				"reconstructed in alg-4, ε₀ = ε/√(8T·ln(1/δ)), η = 0.05, T = ⌈v⌉, v = nε/(√ln(1/δ)·ln(n|A|/η))",
			of: vertices, along: multiples(inRecords, 4000, 1.5, 5), fault: fault{0.135, 0},
			formerly: []string{"nonconvex/thm-6/utility/epsilon", "nonconvex/thm-6/utility/steps"},
		},
		{
			id: "nonconvex/thm-6/utility/dimension", origin: verify.Reading, place: thm6,
			statement: "the mean Frank–Wolfe gap of Algorithm 4 on the unit ℓ1 ball is at most Δ/√(2T) + 2√2·L/√T + " +
				"8√2·G√T/v as p grows from 2 to 162. Setting: planted rows and linear losses, n = 8000, ε = 1, line 2 as " +
				"reconstructed in alg-4, η = 0.05, T = ⌈v⌉, v = nε/(√ln(1/δ)·ln(n|A|/η))",
			of: vertices, along: multiples(inDimension, 2, 3, 5), fault: fault{0.15, 0},
		},
		{
			id: "nonconvex/thm-6/utility/simplex", origin: verify.Stated, place: thm6,
			statement: "the mean Frank–Wolfe gap of Algorithm 4 on the simplex is at most Δ/√(2T) + 2√2·L/√T + 8√2·G√T/v " +
				"as n grows from 4000 to 20250. Setting: planted rows and linear losses, p = |A| = 64, line 2 as " +
				"reconstructed in alg-4, η = 0.05, T = ⌈v⌉, v = nε/(√ln(1/δ)·ln(n|A|/η))",
			of: simplex, along: multiples(inRecords, 4000, 1.5, 5), fault: fault{0.11, 0},
			formerly: []string{"nonconvex/thm-6/utility/simplex/dimension"},
		},
	}
}
