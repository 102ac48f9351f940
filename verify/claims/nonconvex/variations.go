package nonconvex

import "github.com/dpverify/dpverify/verify"

// The theorems along their variables. A fault is what the means of the worst instances show: a bound that is too
// small by a share not far below the one that they reach, or that lacks a part of its growth.

func descentVariations() []variation {
	noisy, still := withRegulariser(true), withRegulariser(false)
	const place = "Theorem 2, eq. (4), its O with the constants that a proof gives; g_R after eq. (4), noise included"
	const within = "E‖g_R‖₂ of Algorithm 1, g_R = (x_R − x_{R+1})/γ, after T = ⌈v⌉ steps, v = nε/√(p·ln(1/δ)), is at " +
		"most √(8LΔ/(3T) + 4cG²T/(3v²)), and so at most √((8LΔ + 8cG²)/3)·(p·ln(1/δ))^¼/√(nε)"
	return []variation{
		{
			"", noisy, multiples(inRecords, 1000, 2, 5), verify.Stated, place,
			within, fault{0.75, 0},
		},
		{
			"/epsilon", noisy, multiples(inEpsilon, 0.25, 2, 5), verify.Stated, place,
			within + ", as ε grows to 4", fault{1, -0.5},
		},
		{
			"/dimension", noisy, multiples(inDimension, 2, 3, 5), verify.Stated, place,
			within + ", as p grows to 162", fault{1, -0.25},
		},
		{
			"/steps", noisy, multiples(inSteps, 25, 2, 7), verify.Reading, "Theorem 2: T = O(v), read as Θ(v)",
			"E‖g_R‖₂ of Algorithm 1 after T steps is at most √(8LΔ/(3T) + 4cG²T/(3v²)), v = nε/√(p·ln(1/δ)), which is O(1/√v) " +
				"for T between multiples of v", fault{1, -0.5},
		},
		{
			"/gradient", still, multiples(inRecords, 1000, 2, 5), verify.Reading,
			"after eq. (4) and eq. (2): g_R has the noise in it, the projected gradient of eq. (2) at ∇F(x_R) has not",
			"the mean norm of the projected gradient at ∇F(x_R), without noise, is at most √(4LΔ/T + cG²T/v²), and so at most " +
				"√(4LΔ + 2cG²)·(p·ln(1/δ))^¼/√(nε)", fault{0.42, 0},
		},
	}
}

func populationVariations() []variation {
	fresh := populationRate()
	const place = "Theorem 3, eq. (5), its O with the constants that a proof gives for finite laws; its probability 1 " +
		"− β read as the mean over the records, τ = G"
	const within = "on fresh records the mean norm of the population gradient at x_R of Algorithm 1 is at most " +
		"√(τ²p·ln(τ/β)·ln(n)/n) + √(8LΔ/(3T) + cG²T/(3v²)), T = ⌈v⌉, v = nε/√(p·ln(1/δ))"
	return []variation{
		{
			"", fresh, multiples(inRecords, 64, 2, 5), verify.Reading, place,
			within, fault{0.3, 0},
		},
		{
			"/epsilon", fresh, multiples(inEpsilon, 0.15, 1.6, 5), verify.Reading, place,
			within + ", as ε grows to 1", fault{0.4, 0},
		},
		{
			"/dimension", fresh, axis{inDimension, []float64{1, 2, 3, 5, 8}}, verify.Reading, place,
			within + ", as p grows to 8", fault{0.3, 0},
		},
	}
}

func gapVariations() []variation {
	ball, cross := frankWolfeRate(bodyL2), frankWolfeRate(bodyL1)
	const place = "Theorem 4, eq. (6), its O with the constants that a proof gives, at ‖C‖₂ = 1, where the γ as " +
		"printed is 1/√v"
	const onBall = "the mean Frank–Wolfe gap of Algorithm 2 on the unit ℓ2 ball after T = ⌈v⌉ steps, v = nε/√((‖C‖₂² + " +
		"G_C²)·ln(1/δ)), is at most Δ√v/T + G√(cT)/v + 2L/√v, and so at most (Δ + G√(2c) + 2L)/√v"
	return []variation{
		{
			"", ball, multiples(inRecords, 1000, 2, 5), verify.Stated, place,
			onBall, fault{0.31, 0},
		},
		{
			"/epsilon", ball, multiples(inEpsilon, 0.25, 2, 5), verify.Stated, place,
			onBall + ", as ε grows to 4", fault{0.33, 0},
		},
		{
			"/dimension", ball, multiples(inDimension, 2, 3, 5), verify.Stated, place,
			onBall + ", as p grows to 162 and the width G_C with √p", fault{0.36, 0},
		},
		{
			"/dimension/l1-ball", cross, multiples(inDimension, 2, 3, 5), verify.Stated, place,
			"the mean Frank–Wolfe gap of Algorithm 2 on the unit ℓ1 ball, of width G_C ≤ √(2·ln(2p)), after T = ⌈v⌉ steps, v " +
				"= nε/√((‖C‖₂² + G_C²)·ln(1/δ)), is at most (Δ + G√(2c) + 2L)/√v, as p grows to 162", fault{0.36, 0},
		},
		{
			"/steps", ball, multiples(inSteps, 25, 2, 7), verify.Reading, "Theorem 4: T = O(v), read as Θ(v)",
			"the mean gap of Algorithm 2 on the unit ℓ2 ball after T steps is at most Δ√v/T + G√(cT)/v + 2L/√v, v = " +
				"nε/√((‖C‖₂² + G_C²)·ln(1/δ))", fault{0.58, 0},
		},
	}
}

func mirrorVariations() []variation {
	mirror := mirrorRate()
	const place = "Theorem 5, eq. (7), its O with the constants that a proof gives, at ‖C‖₂ = 1"
	const within = "E‖g_R‖₂ of Algorithm 3 on the unit ℓ1 ball after T = ⌈v⌉ steps, v = nε/√((‖C‖₂² + G_C²)·ln(1/δ)), " +
		"is at most √(8LΔ/(3T) + 4cG²T/(3v²))"
	return []variation{
		{
			"", mirror, multiples(inRecords, 1000, 2, 5), verify.Stated, place,
			within, fault{0.28, 0},
		},
		{
			"/epsilon", mirror, multiples(inEpsilon, 0.25, 2, 5), verify.Stated, place,
			within + ", as ε grows to 4", fault{0.28, 0},
		},
		{
			"/dimension", mirror, multiples(inDimension, 4, 2, 5), verify.Stated, place,
			within + ", as p grows to 64 and the width G_C to √(2·ln(2p)) at most", fault{0.14, 0},
		},
		{
			"/steps", mirror, multiples(inSteps, 20, 2, 6), verify.Reading, "Theorem 5: T = O(v), read as Θ(v)",
			"E‖g_R‖₂ of Algorithm 3 on the unit ℓ1 ball after T steps is at most √(8LΔ/(3T) + 4cG²T/(3v²)), v = " +
				"nε/√((‖C‖₂² + G_C²)·ln(1/δ))", fault{0.28, 0},
		},
	}
}

func vertexVariations() []variation {
	ball, simplex := ballVertices(), simplexVertices()
	const place = "Theorem 6, eq. (8), and Corollary 1, the O with the constants that a proof gives; line 2 of " +
		"Algorithm 4 as reconstructed (nonconvex/alg-4)"
	const steps = " after T = ⌈v⌉ steps, v = nε/(√ln(1/δ)·ln(n|A|/η)), is at most Δ/√(2T) + 2√2·L/√T + 8√2·G√T/v"
	const onBall = "the mean gap of Algorithm 4 on the unit ℓ1 ball" + steps
	const onSimplex = "the mean gap of Algorithm 4 on the simplex, |A| = p," + steps
	return []variation{
		{
			"", ball, multiples(inRecords, 4000, 1.5, 5), verify.Stated, place,
			onBall, fault{0.135, 0},
		},
		{
			"/epsilon", ball, multiples(inEpsilon, 0.25, 2, 5), verify.Stated, place,
			onBall + ", as ε grows to 4", fault{0.13, 0},
		},
		{
			"/dimension", ball, multiples(inDimension, 2, 3, 5), verify.Stated, place,
			onBall + ", as p grows to 162", fault{0.15, 0},
		},
		{
			"/steps", ball, multiples(inSteps, 25, 2, 6), verify.Reading, "Theorem 6: T = O(v), read as Θ(v)",
			"the mean gap of Algorithm 4 on the unit ℓ1 ball after T steps is at most Δ/√(2T) + 2√2·L/√T + 8√2·G√T/v, v = " +
				"nε/(√ln(1/δ)·ln(n|A|/η))", fault{0.35, 0},
		},
		{
			"/simplex", simplex, multiples(inRecords, 4000, 1.5, 5), verify.Stated, place,
			onSimplex, fault{0.11, 0},
		},
		{
			"/simplex/dimension", simplex, multiples(inDimension, 2, 3, 5), verify.Stated, place,
			onSimplex + ", as p grows to 162", fault{0.12, 0},
		},
	}
}
