package nonconvex

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

// largeSet is one theorem on intervals C = [−s, s] with s → ∞: F(x) = x, so that G = 1 and Δ = 2s, from x_1 = s.
type largeSet struct {
	id, source, what, bound, corrected string
	domain, scaling                    string
	smoothness                         float64
	point                              func(k float64) (s, v, measured float64, err error)
	printed                            func(s, v float64) float64                       // (6), (7) or (8) without its O
	ranged                             func(smooth bounds.Smooth, s, v float64) float64 // the bound in which Δ stands
}

func largeClaims() (claims []verify.Claim) {
	for _, t := range []largeSet{
		{
			id: "nonconvex/thm-4", source: "Theorem 4, eq. (6)", what: "the mean gap of Algorithm 2",
			bound:     "K‖C‖₂·((‖C‖₂² + G_C²)·ln(1/δ))^¼/√(nε)",
			corrected: "(1.27Δ + G√(2c) + 2L)·‖C‖₂·((‖C‖₂² + G_C²)·ln(1/δ))^¼/√(nε)",
			domain:    "s = K, T = v = 16s², γ as printed",
			scaling: "E[G_R] ≤ Δ/(Tγ) + σG_C + 2Lγ‖C‖₂², where γ is between 0.79 and 1 times 1/(‖C‖₂√v), as G_C ≥ " +
				"√(2/π)·‖C‖₂",
			point: gapOnInterval, printed: func(s, v float64) float64 { return s / math.Sqrt(v) },
			ranged: func(smooth bounds.Smooth, s, v float64) float64 { return smooth.SizedGapBound(v, s) },
		},
		{
			id: "nonconvex/thm-5", source: "Theorem 5, eq. (7)", what: "E‖g_R‖₂ of Algorithm 3",
			bound:     "K‖C‖₂^(3/2)·((‖C‖₂² + G_C²)·ln(1/δ))^¼/√(nε)",
			corrected: "√((8LΔ + 8cG²)/3)·‖C‖₂^(3/2)·((‖C‖₂² + G_C²)·ln(1/δ))^¼/√(nε)",
			domain:    "s = (4K)², v = 1, T = s, L = ½, w = x²/(2s²)",
			scaling: "C = ‖C‖₂·C′ and x = ‖C‖₂·y make nonconvex/thm-5 of it, with L‖C‖₂² and G‖C‖₂; g is ‖C‖₂ times " +
				"that of y",
			smoothness: 0.5, point: stepOnInterval,
			printed: func(s, v float64) float64 { return s * math.Sqrt(s/v) },
			ranged: func(smooth bounds.Smooth, s, v float64) float64 {
				return smooth.SizedDescentBound(v, math.Ceil(s*v), s)
			},
		},
		{
			id: "nonconvex/thm-6/utility", source: "Theorem 6, eq. (8)", what: "the mean gap of Algorithm 4",
			bound:     "K‖C‖₁·ln(1/δ)^¼·√(ln(n|A|/η))/√(nε)",
			corrected: "(Δ/√2 + 2√2·L + 16·G)·‖C‖₁·ln(1/δ)^¼·√(ln(n|A|/η))/√(nε)",
			domain:    "s = K, T = v = 16s², γ = √(2/T)/s, η = 0.05, |A| = 2, n = 10⁶s²",
			scaling: "C = ‖C‖₂·C′ and x = ‖C‖₂·y make nonconvex/thm-6/utility of it, with L‖C‖₂² and G‖C‖₂, and Δ/(Tγ) is " +
				"Δ‖C‖₂/√(2T)",
			point: selectionOnInterval, printed: func(s, v float64) float64 { return s / math.Sqrt(v) },
			ranged: func(smooth bounds.Smooth, s, v float64) float64 {
				return smooth.SizedVertexBound(v, math.Ceil(v), s)
			},
		},
	} {
		claims = append(claims, t.claims()...)
	}
	return append(claims, verify.Claim{
		ID: "nonconvex/thm-6/utility/radius", Source: "Corollary 1, balls of any radius", Kind: verify.Rate,
		Origin: verify.Reading,
		Place:  "Corollary 1, which has neither the ‖C‖₁ of (8) nor a radius of the ℓ1 ball: read as any radius",
		Statement: "there is a constant K such that the mean gap of Algorithm 4 is at most " +
			"K·ln(1/δ)^¼·√ln(np)/√(nε) for the ℓ1 ball of every radius",
		Check: corollary(func(k float64) float64 { return 10 * k }),
		Control: verify.Control{Check: corollary(func(float64) float64 { return 1 }), Want: checks.Holds,
			Fault: "none: radius 1"},
		Corrected: "nonconvex/thm-6/utility",
	})
}

// corollary is Algorithm 4 on intervals of the given radii, p = 1, against 6K times the bound of Corollary 1.
func corollary(radius func(k float64) float64) verify.Check {
	return formula.Check{
		Quantity: "the mean gap of Algorithm 4", Sense: verify.AtMost,
		Domain: "F(x) = x on [−s, s] from x_1 = s, T = 16s², γ = √(2/T)/s, η = 0.05, n = 10⁶s², 6K for K, K ∈ {1, 10, " +
			"100}; for every K",
		Points: func(add func(formula.Point)) {
			for _, k := range []float64{1, 10, 100} {
				s, v, measured, err := selectionOnInterval(radius(k))
				records := 1e6 * s * s
				shrunk := math.Sqrt(math.Log(records) / math.Log(2*records/rateEta))
				add(formula.Point{Place: formula.Placef("K=%g, s=%g", 6*k, s), Measured: measured, Show: true, Err: err,
					Claimed: 6 * k * shrunk / math.Sqrt(v)})
			}
		},
	}
}

func (t largeSet) claims() []verify.Claim {
	literal := t.check(func(k, s, v float64) float64 { return k * t.printed(s, v) }, "")
	ranged := t.check(func(_, s, v float64) float64 {
		return t.ranged(bounds.Smooth{Smoothness: t.smoothness, Lipschitz: 1, Range: 2 * s,
			Constant: bounds.ConcentratedConstant}, s, v)
	}, t.scaling)
	id := t.id + "/large"
	return []verify.Claim{
		{
			ID: id, Source: t.source + ", ‖C‖₂ → ∞", Kind: verify.Rate, Origin: verify.Reading,
			Place: t.source + ", as a function of ‖C‖: whether the O hides the range of F as well is not said; here it hides " +
				"L and G alone, which Table 1 takes to be 1",
			Statement: "there is a constant K of L and G alone such that " + t.what + " is at most " + t.bound +
				" for every interval C = [−s, s], s ≥ 1",
			Check: literal,
			Control: verify.Control{Check: ranged, Want: checks.Holds,
				Fault: "none: the range Δ of F, which grows with C, in the constant"},
			Corrected: id + "/corrected",
		},
		{
			ID: id + "/corrected", Source: t.source + ", with Δ", Kind: verify.Rate, Origin: verify.Correction,
			Place: t.source,
			Statement: "for ‖C‖₂ ≥ 1 " + t.what + " is at most " + t.corrected + ", Δ ≤ 2G‖C‖₂ being how far F(x_1) is above " +
				"its least value",
			Check:   ranged,
			Control: verify.Control{Check: literal, Want: checks.Refuted, Fault: "a constant without Δ"},
		},
	}
}

func (t largeSet) check(claimed func(k, s, v float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: t.what + ", from below", Sense: verify.AtMost, Proof: proof,
		Domain: "F(x) = x on [−s, s] from x_1 = s, " + t.domain + ", c = 11.66, K ∈ {1, 10, 100, 1000}; for every K",
		Points: func(add func(formula.Point)) {
			for _, k := range []float64{1, 10, 100, 1000} {
				s, v, measured, err := t.point(k)
				add(formula.Point{Place: formula.Placef("K=%g, s=%g, v=%g", k, s, v), Measured: measured, Claimed: claimed(k, s, v),
					Error: 1e-9, Show: true, Err: err})
			}
		},
	}
}

// meanGap is the mean over T steps of s + E x_t, where x_1 = s and each step goes to +s with probability wrong, else
// to −s.
func meanGap(s, gamma, steps, wrong float64) float64 {
	limit := s * (2*wrong - 1)
	return s + limit + (s-limit)*-math.Expm1(steps*math.Log1p(-gamma))/(steps*gamma)
}

// gapOnInterval is Algorithm 2, whose step goes to +s where the noise exceeds the slope.
func gapOnInterval(k float64) (s, v, measured float64, err error) {
	s = k
	v = 16 * s * s
	const epsilon, delta = 1, 1e-3
	width := s * math.Sqrt(2/math.Pi)
	records := v / bounds.DescentRatio(1, epsilon, delta, s*s+width*width)
	gamma := paper.FrankWolfeStep(records, epsilon, delta, s, width)
	sigma := math.Sqrt(bounds.ConcentratedConstant*v) / (v * math.Hypot(s, width))
	return s, v, meanGap(s, gamma, v, distuv.UnitNormal.CDF(-1/sigma)), nil
}

// selectionOnInterval is Algorithm 4, whose scores are ±s.
func selectionOnInterval(k float64) (s, v, measured float64, err error) {
	s = k
	v = 16 * s * s
	const delta = 1e-3
	records := 1e6 * s * s
	epsilon := v / bounds.VertexRatio(records, 1, delta, 2, rateEta)
	each, err := algorithm.StepEpsilon(algorithm.Budget{Epsilon: epsilon, Delta: delta, Steps: int(v),
		Records: int(records), Lipschitz: 1})
	wrong := 1 / (1 + math.Exp(each*2*s/(2*algorithm.ScoreSensitivity(1, s, int(records)))))
	return s, v, meanGap(s, math.Sqrt(2/v)/s, v, wrong), err
}

// stepOnInterval is Algorithm 3, whose steps are those of the walk of steps (1 + ε_k)/(2L) down from s, kept within
// C: E‖g_R‖ ≥ (s − E x_{T+1})/(Tγ), γ = 1/(2Ls²). To keep it below s takes it further down. T = s steps at L = ½
// end s below the start, so that it is kept above −s only as far as the noise goes farther than s, in the mean by at
// most E[max|N_k|²]/s ≤ 4Tσ²/(4L²s) (Doob).
func stepOnInterval(k float64) (s, v, measured float64, err error) {
	s = 16 * k * k
	v = 1
	variance := bounds.ConcentratedConstant * s / (v * v * s * s * (1 + 2/math.Pi)) // σ², T = s
	return s, v, s * (s - 4*variance), nil
}
