package bounds

import (
	"math"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"
)

// Private sampling (Duchi, Jordan & Wainwright 2013; Han et al. 2018, Prop. 1)
// turns a vector X with ‖X‖ ≤ L into a vector Z of norm B that points into the
// half-space of X with probability ½(1 + m‖X‖/L), m = tanh(ε/2), and is uniform
// on the half-sphere given the half-space. With V uniform on the unit sphere of
// R^d this gives
//
//	E[Z|X] = (B/L) · m · E|V₁| · X,
//
// so that the unbiased choice is B = L / (m · E|V₁|).

// HalfSphereMean returns E|V₁| for V uniform on the unit sphere of R^d, the
// distance of the centroid of a half-sphere from the centre. V₁² has the law
// Beta(½, (d−1)/2), hence E|V₁| = Be(1, (d−1)/2)/Be(½, (d−1)/2) in beta functions.
// d ≥ 1, otherwise ErrDomain.
func HalfSphereMean(d int) (float64, error) {
	if err := dimension(d); err != nil {
		return 0, err
	}
	if d == 1 {
		return 1, nil // the sphere is {−1, +1}
	}
	b := float64(d-1) / 2
	if d > 1000 { // Lbeta would lose digits to cancellation
		return 1 / (b * math.Sqrt(math.Pi)) * gammaRatio(b), nil
	}
	return math.Exp(-math.Log(b) - mathext.Lbeta(0.5, b)), nil
}

// HalfSphereMeanByQuadrature returns the same number as HalfSphereMean from the
// surface integral alone: with φ the latitude above the equator,
//
//	E|V₁| = ∫ sin φ cos^{d−2} φ dφ / ∫ cos^{d−2} φ dφ over [0, π/2].
//
// It uses no gamma function. The integrands are smooth and, from the latitude
// where the weight has fallen below e^{−745}, nothing in double precision.
// d ≥ 1, otherwise ErrDomain. At d = 1 the integrals diverge and the sphere is
// the two points ±1.
func HalfSphereMeanByQuadrature(d int) (float64, error) {
	if err := dimension(d); err != nil {
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
	over := panels(func(phi float64) float64 { return math.Sin(phi) * weight(phi) }, edge)
	return over / panels(weight, edge), nil
}

// panels integrates a smooth f over [0, edge] by Gauss–Legendre rules on equal
// panels.
func panels(f func(float64) float64, edge float64) float64 {
	const n = 16
	var sum float64
	for i := range n {
		lo, hi := edge*float64(i)/n, edge*float64(i+1)/n
		sum += quad.Fixed(f, lo, hi, 32, quad.Legendre{}, 0)
	}
	return sum
}

// PrivateSamplingBound returns the B for which private sampling is unbiased,
// E[Z|X] = X: B = L / (tanh(ε/2) · E|V₁|). d ≥ 1; epsilon and lipschitz (the
// radius L of the inputs) finite and positive; otherwise ErrDomain.
func PrivateSamplingBound(d int, epsilon, lipschitz float64) (float64, error) {
	if err := samplingDomain(d, epsilon, lipschitz); err != nil {
		return 0, err
	}
	mean, err := HalfSphereMean(d)
	return lipschitz / (math.Tanh(epsilon/2) * mean), err
}

// PrivateSamplingBoundPrinted returns B as Lemma 2, eq. (11) and (16) of Han et
// al. 2018 print it,
//
//	B = L √π (e^ε+1)/(e^ε−1) · d Γ((d−1)/2+1)/Γ(d/2+1),
//
// on the domain of PrivateSamplingBound.
func PrivateSamplingBoundPrinted(d int, epsilon, lipschitz float64) (float64, error) {
	if err := samplingDomain(d, epsilon, lipschitz); err != nil {
		return 0, err
	}
	return lipschitz * math.Sqrt(math.Pi) * oddsRatio(epsilon) * DimensionFactorPrinted(d), nil
}

// DimensionFactorPrinted returns d Γ((d−1)/2+1)/Γ(d/2+1), the dependence of
// eq. (11) on the dimension d ≥ 1. As Γ(d/2+1) = (d/2)Γ(d/2) it is
// 2Γ(d/2+½)/Γ(d/2).
func DimensionFactorPrinted(d int) float64 { return 2 * gammaRatio(float64(d)/2) }

// MeanCoefficientPrinted returns the factor in front of X/‖X‖ in eq. (14):
//
//	B · Γ(d/2+1)/(d √π Γ((d−1)/2+1)) · (e^ε/(e^ε+1) − 1/(e^ε+1)).
func MeanCoefficientPrinted(d int, epsilon, bound float64) float64 {
	return bound / (math.Sqrt(math.Pi) * DimensionFactorPrinted(d)) * (1 / oddsRatio(epsilon))
}

// MeanCoefficient returns the factor in front of X/‖X‖ in E[Z|X] as it follows
// from the sampling steps: B · tanh(ε/2) · (‖X‖/L) · E|V₁|, E|V₁| by quadrature.
func MeanCoefficient(d int, epsilon, bound, normOverL float64) (float64, error) {
	mean, err := HalfSphereMeanByQuadrature(d)
	return bound * math.Tanh(epsilon/2) * normOverL * mean, err
}

// CentroidPrinted returns the closed form at the end of eq. (13),
// 2Γ(d/2+1)/(d √π Γ((d−1)/2+1)), for d ≥ 1.
func CentroidPrinted(d int) float64 { return 2 / (math.Sqrt(math.Pi) * DimensionFactorPrinted(d)) }

// CentroidIntegralPrinted returns the integral of eq. (12) as printed,
//
//	2/SA_d(1) · ∫₀¹ SA_{d−1}(√(1−k²)) k dk,
//
// by quadrature of its integrand, for d ≥ 2. With SA_{d−1}(r) = r^{d−2} SA_{d−1}(1)
// the factor in front is the ratio of two unit surfaces,
// SA_{d−1}(1)/SA_d(1) = 1/∫cos^{d−2} over [−π/2, π/2].
// slant inserts the factor 1/√(1−k²) by which the strip of the sphere between
// the heights k and k+dk is wider than dk; the paper's integrand lacks it.
func CentroidIntegralPrinted(d int, slant bool) (float64, error) {
	if err := dimension(d - 1); err != nil {
		return 0, err
	}
	// k = sin φ keeps the integrands smooth: k dk = sin φ cos φ dφ.
	power := float64(d - 1)
	if slant {
		power--
	}
	edge := math.Pi / 2
	if d > 50 {
		edge = math.Acos(math.Exp(-745 / float64(d)))
	}
	cosPower := func(phi, p float64) float64 {
		if p == 0 {
			return 1
		}
		return math.Exp(p * math.Log(math.Cos(phi)))
	}
	integral := panels(func(phi float64) float64 { return math.Sin(phi) * cosPower(phi, power) }, edge)
	surface := 2 * panels(func(phi float64) float64 { return cosPower(phi, float64(d-2)) }, edge)
	return 2 * integral / surface, nil
}

// oddsRatio is (e^ε+1)/(e^ε−1), stable for small and for large ε.
func oddsRatio(epsilon float64) float64 { return (1 + math.Exp(-epsilon)) / -math.Expm1(-epsilon) }

func samplingDomain(d int, epsilon, lipschitz float64) error {
	if err := dimension(d); err != nil {
		return err
	}
	if err := positive("epsilon", epsilon); err != nil {
		return err
	}
	return positive("L", lipschitz)
}
