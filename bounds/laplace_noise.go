package bounds

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// LogL2LaplaceDensity returns the log of the density exp(−r/scale)/(scale^d Γ(d) S_d) at a vector of length r ≥ 0,
// where S_d is the surface area of the unit sphere (Hardwarsing 2018, eq. (7); its constant follows from the integral
// over spheres). d ≥ 1, scale > 0.
func LogL2LaplaceDensity(d int, scale, r float64) float64 {
	return -r/scale - logNoiseConstant(d, scale)
}

// LogSphereGammaDensity returns the log of the density, at a vector of length r > 0, of the product of a uniform
// direction and a length from the gamma distribution with shape d and the given scale. This is the density of the
// length divided by the area of the sphere of radius r.
func LogSphereGammaDensity(d int, scale, r float64) float64 {
	length := distuv.Gamma{Alpha: float64(d), Beta: 1 / scale}
	return length.LogProb(r) - logSphere(d) - float64(d-1)*math.Log(r)
}

// LogBallGammaDensity returns the log of the density, at a vector of length r ≥ 0, of the product of a uniform point
// of the unit ball and a length from the gamma distribution with shape d and the given scale (Hardwarsing 2018,
// Algorithm 1 as printed). It is d·E₁(r/scale)/(scale^d Γ(d) S_d), because
//
//	∫_r^∞ l^(d−1)e^(−l/scale)/(Γ(d)scale^d) · d(r/l)^(d−1)/l dl = d r^(d−1)/(Γ(d)scale^d) · E₁(r/scale)
//
// is the density of the length. +Inf at r = 0.
func LogBallGammaDensity(d int, scale, r float64) float64 {
	return math.Log(float64(d)) + LogExpIntegral(r/scale) - logNoiseConstant(d, scale)
}

// CubeDirectionFactor returns, up to a constant, the density of the direction v of a uniform point of the cube [−1,
// 1]^d: (‖v‖₂/‖v‖_∞)^d, the d-th power of the radius of the cube in this direction. It is 1 along an axis and d^(d/2)
// along a diagonal.
func CubeDirectionFactor(v []float64) float64 {
	squares, largest := 0.0, 0.0
	for _, x := range v {
		largest = math.Max(largest, math.Abs(x))
	}
	for _, x := range v {
		squares += x / largest * (x / largest)
	}
	return math.Pow(squares, float64(len(v))/2)
}

// logSphere returns the log of 2π^(d/2)/Γ(d/2), the area of the unit sphere.
func logSphere(d int) float64 {
	half, _ := math.Lgamma(float64(d) / 2)
	return math.Ln2 + float64(d)/2*math.Log(math.Pi) - half
}

// logNoiseConstant returns log(scale^d Γ(d) S_d).
func logNoiseConstant(d int, scale float64) float64 {
	gamma, _ := math.Lgamma(float64(d))
	return float64(d)*math.Log(scale) + gamma + logSphere(d)
}

// eulerGamma is Euler's constant (DLMF 5.2.3).
const eulerGamma = 0.57721566490153286060651209008240243

// LogExpIntegral returns ln E₁(x), E₁(x) = ∫_x^∞ e^(−t)/t dt, with a relative error of E₁ of about 1e-14. It returns
// +Inf at 0 and NaN for x < 0. It uses the series −γ − ln x − Σ (−x)^k/(k·k!) up to 1, and above 1 the continued
// fraction e^(−x)/(x+1−1²/(x+3−2²/(x+5−…))) (DLMF 6.6.2, 6.9.2).
func LogExpIntegral(x float64) float64 {
	switch {
	case !(x >= 0):
		return math.NaN()
	case x == 0:
		return math.Inf(1)
	case x <= 1:
		sum, term := -eulerGamma-math.Log(x), 1.0
		for k := 1.0; k < 30; k++ {
			term *= -x / k
			sum -= term / k
		}
		return math.Log(sum)
	}
	fraction := 0.0 // backwards; at x = 1, 200 terms give full precision
	for k := 200.0; k >= 1; k-- {
		fraction = k * k / (x + 2*k + 1 - fraction)
	}
	return -x - math.Log(x+1-fraction)
}

// LogisticGradientSensitivity returns the supremum of ‖∇ℓ(w, x, y) − ∇ℓ(w, x′, y′)‖ over all w in ℝ^d, rows in the
// unit ball and labels ±1, for the logistic loss. With u = yx the gradient is −σ(−⟨w, u⟩)u, of norm below 1.
//
// For d ≥ 2 it is 2. The norms approach this limit for a long w if u and u′ are nearly opposite, and both nearly
// orthogonal to w and slightly against it. For d = 1 one of the two has ⟨w, u⟩ ≥ 0. For w ≥ 0 the supremum then
// equals the supremum of σ(w) + max_{0≤u≤1} uσ(−wu), about 1.05. ErrDomain for d < 1.
func LogisticGradientSensitivity(d int) (float64, error) {
	if err := numeric.CheckDimension(d); err != nil {
		return 0, err
	}
	if d > 1 {
		return 2, nil
	}
	sigma := func(t float64) float64 { return 1 / (1 + math.Exp(-t)) }
	// uσ(−wu) = (1/w)·tσ(−t) at t = wu, and tσ(−t) is largest at t* = 1 + e^(−t*), so that its
	// maximum is t* − 1. For w ≥ t* the sum is σ(w) + (t* − 1)/w; below, u = 1 and the sum is 1.
	peak := 1.278
	for range 50 {
		peak = 1 + math.Exp(-peak)
	}
	low, high := peak, 50.0
	for range 200 { // ternary search: the sum has one peak, near w = 4
		a, b := low+(high-low)/3, high-(high-low)/3
		if sigma(a)+(peak-1)/a < sigma(b)+(peak-1)/b {
			low = a
		} else {
			high = b
		}
	}
	return sigma(low) + (peak-1)/low, nil
}
