package printed

import (
	"math"

	"github.com/dpverify/dpverify/bounds"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// This file has the formulas and tables of Han et al. 2018.

// RandomizedResponse returns the matrix of Han et al. 2018, Prop. 2,
// eq. (10): e^ε/(e^ε+1) on the diagonal, 1/(e^ε+1) off it. epsilon finite and
// positive, otherwise bounds.ErrDomain.
func RandomizedResponse(epsilon float64) (bounds.DesignMatrix, error) {
	if err := numeric.CheckPositive("epsilon_r", epsilon); err != nil {
		return bounds.DesignMatrix{}, err
	}
	keep := 1 / (1 + math.Exp(-epsilon))
	flip := 1 / (1 + math.Exp(epsilon))
	return bounds.DesignMatrix{{keep, flip}, {flip, keep}}, nil
}

// PrivateSamplingBound returns B as printed in Lemma 2, eqs (11) and (16) of Han et al. 2018,
//
//	B = L √π (e^ε+1)/(e^ε−1) · d Γ((d−1)/2+1)/Γ(d/2+1),
//
// on the domain of bounds.PrivateSamplingBound.
func PrivateSamplingBound(d int, epsilon, lipschitz float64) (float64, error) {
	if err := numeric.CheckSampling(d, epsilon, lipschitz); err != nil {
		return 0, err
	}
	return lipschitz * math.Sqrt(math.Pi) * oddsRatio(epsilon) * DimensionFactor(d), nil
}

// DimensionFactor returns d Γ((d−1)/2+1)/Γ(d/2+1), the dependence of eq. (11) on the dimension d ≥ 1. Because
// Γ(d/2+1) = (d/2)Γ(d/2), it equals 2Γ(d/2+½)/Γ(d/2).
func DimensionFactor(d int) float64 { return 2 * numeric.GammaRatio(float64(d)/2) }

// Centroid returns the closed form at the end of eq. (13),
// 2Γ(d/2+1)/(d √π Γ((d−1)/2+1)), for d ≥ 1.
func Centroid(d int) float64 { return 2 / (math.Sqrt(math.Pi) * DimensionFactor(d)) }

// oddsRatio returns (e^ε+1)/(e^ε−1), without cancellation or overflow for small and large ε.
func oddsRatio(epsilon float64) float64 { return (1 + math.Exp(-epsilon)) / -math.Expm1(-epsilon) }

// DimensionFactorBound returns √d, the bound of eq. (30) of Han et al. 2018 on DimensionFactor(d).
func DimensionFactorBound(d int) float64 { return math.Sqrt(float64(d)) }

// PrivateSamplingBoundEstimate returns the right-hand side of eq. (30), L √π (e^ε+1)/ε · √d, the paper's upper bound
// on B.
func PrivateSamplingBoundEstimate(d int, epsilon, lipschitz float64) (float64, error) {
	if err := numeric.CheckSampling(d, epsilon, lipschitz); err != nil {
		return 0, err
	}
	return lipschitz * math.Sqrt(math.Pi) * (math.Exp(epsilon) + 1) / epsilon * math.Sqrt(float64(d)), nil
}

// RateConstant returns k(d)/(LR√π) = √d of Theorem 1.
func RateConstant(d int) float64 { return math.Sqrt(float64(d)) }

// RateConstantRestricted returns k'(d)/(LR√π) = d^{1−1/q} of Corollary 1, eq. (32), where 1/p + 1/q = 1. Its argument
// is 1/p = 1 − 1/q in [0, ½], for p from 2 to ∞.
func RateConstantRestricted(d int, inverseP float64) float64 {
	return math.Pow(float64(d), inverseP)
}

// RateFactor returns c(ε, λ) = (λ²+2)(e^ε+1)/(2λε) of Theorem 1, eq. (31), for
// ε > 0 and λ > 0.
func RateFactor(epsilon, lambda float64) float64 {
	return (lambda*lambda + 2) / (2 * lambda) * (math.Exp(epsilon) + 1) / epsilon
}

// Rate returns the right-hand side of Theorem 1, c(ε, λ) k(d)/√T with
// k(d) = LR√π√d, for T ≥ 1 updates.
func Rate(d int, epsilon, lambda, lipschitz, radius, updates float64) float64 {
	return RateFactor(epsilon, lambda) * lipschitz * radius * math.Sqrt(math.Pi) * RateConstant(d) /
		math.Sqrt(updates)
}

// Gap returns (λ²+2)/(2λ) · RB/√T, the bound of eq. (29) before the paper bounds B.
func Gap(lambda, radius, bound, updates float64) float64 {
	return (lambda*lambda + 2) / (2 * lambda) * radius * bound / math.Sqrt(updates)
}

// RateOrder returns λ e^ε √d/(ε√T), the order of the rate in Remark 4.
func RateOrder(d int, epsilon, lambda, updates float64) float64 {
	return lambda * math.Exp(epsilon) * math.Sqrt(float64(d)) / (epsilon * math.Sqrt(updates))
}

// Threshold returns D_th of Algorithm 1 in epoch T ≥ 1: the first threshold minus μ(√1 + … + √(T−1)).
func Threshold(first, decrease float64, epoch int) float64 {
	for t := 1; t < epoch; t++ {
		first -= decrease * math.Sqrt(float64(t))
	}
	return first
}

// PrestigeTable3 is Table 3: testing error rate ± standard deviation of 20 runs, budget 1.
var PrestigeTable3 = Table{
	Name: "Table 3", Columns: []string{"Hinge", "Gompertz", "Logistic", "Ramp"},
	Rows: []Row{
		{Name: "A7A, DJW", Cells: []string{"0.1980±0.0019", "0.1991±0.0014", "0.1892±0.0002", "0.2184±0.0229"}},
		{Name: "A7A, PRESTIGE", Cells: []string{"0.1791±0.0009", "0.1732±0.0002", "0.1738±0.0002", "0.2126±0.0294"}},
		{Name: "MNIST38, DJW", Cells: []string{"0.0953±0.0003", "0.1066±0.0001", "0.0918±0.0002", "0.5005±0.0001"}},
		{Name: "MNIST38, PRESTIGE", Cells: []string{"0.0763±0.0002", "0.0746±0.0002", "0.0796±0.0002", "0.4005±0.0001"}},
		{Name: "SUSY, DJW", Cells: []string{"0.3229±0.0005", "0.4346±0.0001", "0.3199±0.0001", "0.4546±0.0002"}},
		{Name: "SUSY, PRESTIGE", Cells: []string{"0.2733±0.0002", "0.2731±0.0001", "0.3260±0.0055", "0.4221±0.0007"}},
		{Name: "REAL-SIM, DJW", Cells: []string{"0.5202±0.0018", "0.4839±0.0014", "0.5819±0.0007", "0.5101±0.0019"}},
		{Name: "REAL-SIM, PRESTIGE", Cells: []string{"0.2148±0.0012", "0.2089±0.0015", "0.2829±0.0029", "0.2095±0.0029"}},
		{Name: "Cyberbully, DJW", Cells: []string{"0.4257±0.0038", "0.4322±0.0015", "0.4142±0.0001", "0.4508±0.0005"}},
		{Name: "Cyberbully, PRESTIGE", Cells: []string{"0.4202±0.0032", "0.3934±0.0011", "0.3989±0.0010", "0.4459±0.0043"}},
		{Name: "Diabetes, DJW", Cells: []string{"0.3594±0.0060", "0.3485±0.0072", "0.3464±0.0026", "0.3750±0.0033"}},
		{Name: "Diabetes, PRESTIGE", Cells: []string{"0.3281±0.0034", "0.3125±0.0028", "0.3203±0.0082", "0.3690±0.0075"}},
	},
}

// The settings of the experiments (Sect. 4.1) and of the initialization of Algorithm 1.
const (
	PrestigeEpochs         = 10  // T_max
	PrestigeRepeats        = 20  // runs per number
	PrestigeFolds          = 10  // of the cross-validation that selects λ
	PrestigeLabelShare     = 0.2 // ε_r : ε_s = 1 : 4
	PrestigeFirstThreshold = 1.5 // D_th in the first epoch
	PrestigeDecrease       = 1.0 // μ
)

// PrestigeBudgets are the total privacy budgets ε·n·T_max.
var PrestigeBudgets = []float64{0.8, 1.0, 1.2, 1.4, 1.6}

// PrestigeTable2 is Table 2: the data sets.
var PrestigeTable2 = Table{
	Name: "Table 2", Columns: []string{"Training", "Testing", "Features"},
	Rows: []Row{
		{Name: "A7A", Cells: []string{"16100", "16461", "123"}},
		{Name: "MNIST38", Cells: []string{"450000", "97570", "784"}},
		{Name: "SUSY", Cells: []string{"4000000", "1000000", "18"}},
		{Name: "REAL-SIM", Cells: []string{"57847", "14462", "20985"}},
		{Name: "Cyberbully", Cells: []string{"100000", "20000", "4800"}},
		{Name: "Diabetes", Cells: []string{"17288", "5327", "4090"}},
	},
}
