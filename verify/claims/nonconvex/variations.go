package nonconvex

// The theorems along their variables. A fault is what the means on these rows show: a bound
// that is too small by a share, or that lacks a part of its growth.

func descentVariations() []variation {
	noisy, still := withRegulariser(true), withRegulariser(false)
	return []variation{
		{
			"", noisy, multiples(inRecords, 250, 2, 5),
			"E‖g_R‖₂ of Algorithm 1, g_R = (x_R − x_{R+1})/γ, is at most √(4LΔ + 4cG²)·(p·ln(1/δ))^¼/√(nε), the " +
				"constants of the proof", fault{0.2, 0},
		},
		{
			"/epsilon", noisy, multiples(inEpsilon, 0.25, 2, 5),
			"E‖g_R‖₂ of Algorithm 1 keeps within the bound of nonconvex/thm-2 as ε grows to 4", fault{0.5, -0.5},
		},
		{
			"/dimension", noisy, multiples(inDimension, 2, 3, 5),
			"E‖g_R‖₂ of Algorithm 1 keeps within the bound of nonconvex/thm-2, which grows like p^¼, as p grows to 162",
			fault{0.5, -0.25},
		},
		{
			"/steps", noisy, multiples(inSteps, 25, 2, 7),
			"E‖g_R‖₂ of Algorithm 1 after T steps is at most √(4LΔ/T + 2cG²T/v²), v = nε/√(p·ln(1/δ)), which is O(1/√v) for T " +
				"between multiples of v", fault{0.5, -0.5},
		},
		{
			"/gradient", still, multiples(inRecords, 250, 2, 5),
			"the mean norm of the projected gradient at ∇F(x_R), without noise, is at most √(8LΔ + 12cG²)·(p·ln(1/δ))^¼/√(nε)",
			fault{0.01, 0},
		},
	}
}

func populationVariations() []variation {
	fresh := populationRate()
	return []variation{
		{
			"", fresh, multiples(inRecords, 64, 2, 5),
			"on fresh records the mean norm of the population gradient at x_R is at most √(τ²p·ln(τ/β)·ln(n)/n) + √(8LΔ/3 + " +
				"2cG²/3)·(p·ln(1/δ))^¼/√(nε)", fault{0.2, -0.5},
		},
		{
			"/epsilon", fresh, multiples(inEpsilon, 0.15, 1.6, 5),
			"on fresh records the mean norm of the population gradient at x_R keeps within the bound of " +
				"nonconvex/thm-3/utility as ε grows to 1", fault{0.05, 0},
		},
		{
			"/dimension", fresh, axis{inDimension, []float64{1, 2, 3, 5, 8}},
			"on fresh records the mean norm of the population gradient at x_R keeps within the bound of " +
				"nonconvex/thm-3/utility as p grows to 8", fault{0.05, 0},
		},
	}
}

func gapVariations() []variation {
	ball, cross := frankWolfeRate(bodyL2), frankWolfeRate(bodyL1)
	return []variation{
		{
			"", ball, multiples(inRecords, 250, 2, 5),
			"the mean Frank–Wolfe gap of Algorithm 2 on the unit ℓ2 ball is at most (Δ + 2G√(2c) + 2L)·((‖C‖₂² + " +
				"G_C²)·ln(1/δ))^¼/√(nε)", fault{0.01, 0},
		},
		{
			"/epsilon", ball, multiples(inEpsilon, 0.25, 2, 5),
			"the mean gap of Algorithm 2 on the unit ℓ2 ball keeps within the bound of nonconvex/thm-4 as ε grows to 4",
			fault{0.05, -0.5},
		},
		{
			"/dimension", ball, multiples(inDimension, 2, 3, 5),
			"the mean gap of Algorithm 2 on the unit ℓ2 ball, of width about √p, keeps within the bound of " +
				"nonconvex/thm-4 as p grows to 162", fault{0.1, -0.25},
		},
		{
			"/dimension/l1-ball", cross, multiples(inDimension, 2, 3, 5),
			"the mean gap of Algorithm 2 on the unit ℓ1 ball, of width √(2·ln(2p)) at most, keeps within the bound of " +
				"nonconvex/thm-4 as p grows to 162", fault{0.01, 0},
		},
		{
			"/steps", ball, multiples(inSteps, 25, 2, 7),
			"the mean gap of Algorithm 2 on the unit ℓ2 ball after T steps is at most Δ√v/T + 2G√(cT)/v + 2L/√v, v = " +
				"nε/√((‖C‖₂² + G_C²)·ln(1/δ))", fault{0.1, -0.5},
		},
	}
}

func mirrorVariations() []variation {
	mirror := mirrorRate()
	return []variation{
		{
			"", mirror, multiples(inRecords, 250, 2, 5),
			"E‖g_R‖₂ of Algorithm 3 on the unit ℓ1 ball is at most √(4LΔ + 4cG²)·((‖C‖₂² + G_C²)·ln(1/δ))^¼/√(nε)",
			fault{0.004, 0},
		},
		{
			"/epsilon", mirror, multiples(inEpsilon, 0.25, 2, 5),
			"E‖g_R‖₂ of Algorithm 3 on the unit ℓ1 ball keeps within the bound of nonconvex/thm-5 as ε grows to 4",
			fault{0.004, 0},
		},
		{
			"/dimension", mirror, multiples(inDimension, 4, 2, 5),
			"E‖g_R‖₂ of Algorithm 3 on the unit ℓ1 ball, of width √(2·ln(2p)) at most, keeps within the bound of " +
				"nonconvex/thm-5 as p grows to 64", fault{0.004, 0},
		},
		{
			"/steps", mirror, multiples(inSteps, 20, 2, 6),
			"E‖g_R‖₂ of Algorithm 3 on the unit ℓ1 ball after T steps is at most √(4LΔ/T + 2cG²T/v²), v = " +
				"nε/√((‖C‖₂² + G_C²)·ln(1/δ))", fault{0.004, 0},
		},
	}
}

func vertexVariations() []variation {
	ball, simplex := ballVertices(), simplexVertices()
	return []variation{
		{
			"", ball, multiples(inRecords, 4000, 1.5, 5),
			"the mean gap of Algorithm 4 on the unit ℓ1 ball is at most (Δ/√2 + 2√2·L + 16G)·√(√ln(1/δ)·ln(n|A|/η)/(nε))",
			fault{0.01, 0},
		},
		{
			"/epsilon", ball, multiples(inEpsilon, 0.25, 2, 5),
			"the mean gap of Algorithm 4 on the unit ℓ1 ball keeps within the bound of nonconvex/thm-6/utility as ε grows to 4",
			fault{0.005, 0},
		},
		{
			"/dimension", ball, multiples(inDimension, 2, 3, 5),
			"the mean gap of Algorithm 4 on the unit ℓ1 ball keeps within the bound of nonconvex/thm-6/utility, which grows " +
				"like √ln(np), as p grows to 162", fault{0.01, 0},
		},
		{
			"/steps", ball, multiples(inSteps, 25, 2, 6),
			"the mean gap of Algorithm 4 on the unit ℓ1 ball after T steps is at most Δ/√(2T) + 2√2·L/√T + 8√2·G√T/v, v = " +
				"nε/(√ln(1/δ)·ln(n|A|/η))", fault{0.01, 0},
		},
		{
			"/simplex", simplex, multiples(inRecords, 4000, 1.5, 5),
			"the mean gap of Algorithm 4 on the simplex, |A| = p, is at most (Δ/√2 + 2√2·L + 16G)·√(√ln(1/δ)·ln(np/η)/(nε))",
			fault{0.01, 0},
		},
		{
			"/simplex/dimension", simplex, multiples(inDimension, 2, 3, 5),
			"the mean gap of Algorithm 4 on the simplex keeps within the bound of nonconvex/thm-6/utility/simplex, which " +
				"grows like √ln(np), as p grows to 162", fault{0.01, 0},
		},
	}
}
