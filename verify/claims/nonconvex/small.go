package nonconvex

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	algorithm "github.com/dpverify/dpverify/algorithms/nonconvex"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/claims/internal/checks"
	"github.com/dpverify/dpverify/verify/formula"
)

func smallClaims() []verify.Claim {
	return []verify.Claim{
		{
			ID: "nonconvex/thm-4/small", Source: "Theorem 4, eq. (6), ‖C‖₂ → 0", Kind: verify.Rate,
			Origin: verify.Stated, Place: "Theorem 4, eq. (6), the factor ‖C‖₂; γ_t = ½, as the γ_t that is printed " +
				"leaves C (nonconvex/thm-4/step), and a smaller one ends no nearer",
			Statement: "there is a constant K such that the mean gap of Algorithm 2 is at most K‖C‖₂·((‖C‖₂² + " +
				"G_C²)·ln(1/δ))^¼/√(nε) on every interval [−s, s], L = G = 1",
			Check:     smallSet(func(k, s, v float64) float64 { return k * s / math.Sqrt(v) }, ""),
			Control:   verify.Control{Check: smallSet(homogeneous, smallProof), Want: checks.Holds, Fault: "none: 1 for ‖C‖₂"},
			Corrected: "nonconvex/thm-4/small/corrected",
		},
		{
			ID: "nonconvex/thm-4/small/corrected", Source: "Theorem 4, eq. (6), corrected", Kind: verify.Rate,
			Origin: verify.Correction, Place: "Theorem 4, eq. (6)",
			Statement: "for ‖C‖₂ ≤ 1 the mean gap of Algorithm 2 is at most (Δ + G√(2c) + 2L)·((‖C‖₂² + " +
				"G_C²)·ln(1/δ))^¼/√(nε), without the factor ‖C‖₂",
			Check: smallSet(homogeneous, smallProof),
			Control: verify.Control{Check: smallSet(func(_, s, v float64) float64 { return s * homogeneous(0, s, v) }, ""),
				Want: checks.Refuted, Fault: "with the factor"},
		},
	}
}

func insideClaims(id, source string, origin verify.Origin, place, gamma string, t smallSteps) []verify.Claim {
	return []verify.Claim{
		{
			ID: id, Source: source, Kind: verify.Identity, Origin: origin, Place: place,
			Statement: "with γ = " + gamma + " as printed the iterates stay in C, for every bounded C",
			Check:     t.stayInside(algorithm.OverstepLiteral, ""),
			Control: verify.Control{Check: t.stayInside(algorithm.OverstepCap, capProof), Want: checks.Holds,
				Fault: "none: γ at most 1"},
			Corrected: id + "/corrected",
		},
		{
			ID: id + "/corrected", Source: source + ", corrected", Kind: verify.Identity,
			Origin: verify.Correction, Place: place,
			Statement: "with γ = min(1, " + gamma + ") the iterates stay in C, for every bounded C",
			Check:     t.stayInside(algorithm.OverstepCap, capProof),
			Control: verify.Control{Check: t.stayInside(algorithm.OverstepLiteral, ""), Want: checks.Refuted,
				Fault: "γ above 1"},
		},
	}
}

// homogeneous is the bound without the factor ‖C‖₂, at L = G = 1 and Δ = 2s.
func homogeneous(_, s, v float64) float64 {
	return bounds.Smooth{Smoothness: 1, Lipschitz: 1, Range: 2 * s, Constant: bounds.ConcentratedConstant}.GapBound(v,
		math.Ceil(v))
}

const smallProof = "E[G_R] ≤ Δ/(Tγ) + σG_C + 2Lγ‖C‖₂², each of which is at most its part of the bound for ‖C‖₂ ≤ 1"

// smallSet is Algorithm 2 with f(x, z) = x on [−s, s] from x_1 = 0, c = 11.66, at v = 4/s²,
// where γ is ½. The step goes to +s with probability Φ(−1/σ), so that the mean of x_t
// and with it that of the gap s + x_t has a closed form.
func smallSet(claimed func(k, s, v float64) float64, proof string) verify.Check {
	return formula.Check{
		Quantity: "E[G_R] of Algorithm 2, exact", Sense: verify.AtMost, Proof: proof,
		Domain: "F(x) = x on [−s, s], s = 1/(2K), K ∈ {1, 10, 100, 1000}, γ = ½, v = nε/√((‖C‖₂² + G_C²)·ln(1/δ)) " +
			"= 4/s²; for every K",
		Points: func(add func(formula.Point)) {
			const gamma = 0.5
			for _, k := range []float64{1, 10, 100, 1000} {
				s := 0.5 / k
				v := 4 / (s * s)
				m := s * s * (1 + 2/math.Pi)
				steps := math.Ceil(v)
				sigma := math.Sqrt(bounds.ConcentratedConstant*steps) / (v * math.Sqrt(m))
				wrong := distuv.UnitNormal.CDF(-1 / sigma)
				limit := s * (2*wrong - 1)
				mean := s + limit - limit*(1-math.Pow(1-gamma, steps))/(steps*gamma)
				add(formula.Point{
					Place: formula.Placef("K=%g, s=%g, σ=%.3g, P(wrong way)=%.3g", k, s, sigma, wrong), Measured: mean,
					Claimed: claimed(k, s, v), Error: 1e-9, Show: true,
				})
			}
		},
	}
}

const capProof = "x_{t+1} is between x_t and a member of C"

// smallSteps are Frank–Wolfe steps of a theorem's size on balls of any radius.
type smallSteps struct {
	ball  string
	order float64 // of the ball's norm
	gamma func(radius float64, steps int) float64
	run   func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, radius float64, o algorithm.Overstep,
		c algorithm.Config) error
}

// vertexSteps are those of Theorem 6.
func vertexSteps() smallSteps {
	return smallSteps{
		"ℓ1", 1, func(radius float64, steps int) float64 { return math.Sqrt(2/float64(steps)) / radius },
		func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, radius float64, o algorithm.Overstep,
			c algorithm.Config) error {
			set, err := erm.NewL1Ball(data.Dim(), radius)
			if err != nil {
				return err
			}
			hull, err := algorithm.HullOf(set)
			if err != nil {
				return err
			}
			q := algorithm.Selection{Epsilon: 1, Sensitivity: algorithm.ScoreSensitivity(rateSmooth.Lipschitz, radius, rateRows)}
			_, err = algorithm.FrankWolfeVertices(ctx, r, data, hull, q, o, c)
			return err
		},
	}
}

// gapSteps are those of Theorem 4 with n such that its T is steps.
func gapSteps() smallSteps {
	const dim = 3
	return smallSteps{
		"ℓ2", 2, func(radius float64, steps int) float64 {
			width := radius * l2Width(dim)
			records := float64(steps) / bounds.DescentRatio(1, rateEpsilon, rateDelta, radius*radius+width*width)
			return paper.FrankWolfeStep(records, rateEpsilon, rateDelta, radius, width)
		},
		func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, radius float64, o algorithm.Overstep,
			c algorithm.Config) error {
			set, err := erm.NewL2Ball(data.Dim(), radius)
			if err != nil {
				return err
			}
			c.Sigma = 0.1
			_, err = algorithm.FrankWolfe(ctx, r, data, set, o, c)
			return err
		},
	}
}

// stayInside measures how far the iterates leave the ball.
func (t smallSteps) stayInside(o algorithm.Overstep, proof string) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		const dim, steps = 3, 8
		r := s.Stream("runs")
		data, err := plantedRows(r, rateRows, dim)
		if err != nil {
			return nil, err
		}
		var points []formula.Point
		for _, radius := range []float64{0.01, 0.1, 0.5, 1, 10} {
			largest, gamma := 0.0, t.gamma(radius, steps)
			c := algorithm.Config{
				Loss: erm.Sigmoid{Falling: true}, Iterations: steps, Start: origin(dim), StepSize: algorithm.Constant(gamma),
				Observe: func(_ int, _, _, next []float64) { largest = math.Max(largest, floats.Norm(next, t.order)/radius) },
			}
			if err := t.run(ctx, r, data, radius, o, c); err != nil {
				return nil, err
			}
			points = append(points, formula.Point{Place: formula.Placef("‖C‖₂=%g, γ=%.3g", radius, gamma), Measured: largest,
				Claimed: 1, Error: 1e-9, Show: true})
		}
		return formula.Check{
			Quantity: "largest ‖x_t‖ over the radius", Sense: verify.AtMost, Proof: proof,
			Domain: t.ball + " balls in R³ of radius 0.01, 0.1, 0.5, 1 and 10, T = 8", Points: formula.ListedPoints(points...),
		}.Prepare(ctx, s)
	})
}
