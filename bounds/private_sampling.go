package bounds

import (
	"math"

	"gonum.org/v1/gonum/mathext"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Private sampling (Duchi, Jordan & Wainwright 2013; Han et al. 2018, Prop. 1) maps a vector X with ‖X‖ ≤ L to a
// vector Z of norm B. Z is in the half-space of X with probability ½(1 + m‖X‖/L), m = tanh(ε/2), and uniform on the
// half-sphere given the half-space. For V uniform on the unit sphere of R^d this gives
//
//	E[Z|X] = (B/L) · m · E|V₁| · X,
//
// and the unbiased choice is B = L / (m · E|V₁|).

// HalfSphereMean returns E|V₁| for V uniform on the unit sphere of R^d, the distance of the centroid of a half-sphere
// from the center. V₁² has the distribution Beta(½, (d−1)/2), hence E|V₁| = Be(1, (d−1)/2)/Be(½, (d−1)/2) in beta
// functions. d ≥ 1, otherwise ErrDomain.
func HalfSphereMean(d int) (float64, error) {
	if err := numeric.CheckDimension(d); err != nil {
		return 0, err
	}
	if d == 1 {
		return 1, nil // the sphere is {−1, +1}
	}
	b := float64(d-1) / 2
	if d > 1000 { // Lbeta loses digits by cancellation
		return 1 / (b * math.Sqrt(math.Pi)) * numeric.GammaRatio(b), nil
	}
	return math.Exp(-math.Log(b) - mathext.Lbeta(0.5, b)), nil
}

// HalfSphereMeanByQuadrature returns the same number as HalfSphereMean, computed only from the surface integral,
// where φ is the latitude above the equator:
//
//	E|V₁| = ∫ sin φ cos^{d−2} φ dφ / ∫ cos^{d−2} φ dφ over [0, π/2].
//
// It uses no gamma function. The integrands are smooth, and underflow at latitudes whose weight is below e^{−745}.
// d ≥ 1, otherwise ErrDomain. At d = 1 the integrals diverge, and the sphere consists of the two points ±1.
func HalfSphereMeanByQuadrature(d int) (float64, error) {
	if err := numeric.CheckDimension(d); err != nil {
		return 0, err
	}
	if d == 1 {
		return 1, nil
	}
	power := float64(d - 2)
	edge := math.Pi / 2
	if d > 50 {
		edge = math.Acos(math.Exp(-745 / power))
	}
	weight := func(phi float64) float64 { return math.Exp(power * math.Log(math.Cos(phi))) }
	if d == 2 {
		weight = func(float64) float64 { return 1 }
	}
	over := numeric.Integral(func(phi float64) float64 { return math.Sin(phi) * weight(phi) }, edge)
	return over / numeric.Integral(weight, edge), nil
}

// PrivateSamplingBound returns the B for which private sampling is unbiased,
// E[Z|X] = X: B = L / (tanh(ε/2) · E|V₁|). d ≥ 1; epsilon and lipschitz (the
// radius L of the inputs) finite and positive; otherwise ErrDomain.
func PrivateSamplingBound(d int, epsilon, lipschitz float64) (float64, error) {
	if err := numeric.CheckSampling(d, epsilon, lipschitz); err != nil {
		return 0, err
	}
	mean, err := HalfSphereMean(d)
	return lipschitz / (math.Tanh(epsilon/2) * mean), err
}

// MeanCoefficient returns the factor of X/‖X‖ in E[Z|X] that follows from the sampling steps, B · tanh(ε/2) ·
// (‖X‖/L) · E|V₁|. E|V₁| is computed by quadrature.
func MeanCoefficient(d int, epsilon, bound, normOverL float64) (float64, error) {
	mean, err := HalfSphereMeanByQuadrature(d)
	return bound * math.Tanh(epsilon/2) * normOverL * mean, err
}
