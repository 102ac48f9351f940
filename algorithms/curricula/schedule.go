package curricula

import (
	"fmt"
	"math"
)

// Schedule is F_noise for T epochs: the noise multiplier at epoch t. The noise has variance F(t)²C². F may be 0 or
// negative outside t ∈ [0, T−1].
type Schedule struct {
	Name string
	F    func(t, T float64) float64
}

// The schedules of Table 1 and Section 4.2. t and T are in epochs, T ≥ 2.
var (
	DecreasingExponential = Schedule{"decreasing exponential", func(t, T float64) float64 {
		x := math.Exp(-(T - 1))
		a := (1 - 5*x) / (1 - x)
		return (5-a)*math.Exp(-t) + a
	}}
	DecreasingPiecewise = Schedule{"decreasing piecewise", func(t, T float64) float64 { return -stairs(t, T) + 5 }}
	DecreasingLinear    = Schedule{"decreasing linear", func(t, T float64) float64 { return -4/(T-1)*t + 5 }}
	DecreasingQuadratic = Schedule{"decreasing quadratic", func(t, T float64) float64 { return -4/((T-1)*(T-1))*t*t + 5 }}

	IncreasingLogarithmic = Schedule{"increasing logarithmic", func(t, T float64) float64 {
		return 4/math.Log(T+1)*math.Log(t+1) + 1
	}}
	IncreasingPiecewise = Schedule{"increasing piecewise", func(t, T float64) float64 { return stairs(t, T) + 1 }}
	IncreasingLinear    = Schedule{"increasing linear", func(t, T float64) float64 { return 4/(T-1)*t + 1 }}
	IncreasingQuadratic = Schedule{"increasing quadratic", func(t, T float64) float64 {
		return 4/((T-1)*(T-1))*t*t + 1
	}}

	// IncreasingExponential is the additional schedule of Section 4.2, (1−b)e^t + b with b =
	// (e^{T−1}−5)/(e^{T−1}−1). It is computed from e^{−(T−1)} to avoid overflow.
	IncreasingExponential = Schedule{"increasing exponential", func(t, T float64) float64 {
		x := math.Exp(-(T - 1))
		return 4/(1-x)*math.Exp(t-(T-1)) + (1-5*x)/(1-x)
	}}
)

// stairs returns ⌊t/(T/5)⌋. It divides 5t, which is exact, by T, because T/5 may not be a float64.
func stairs(t, T float64) float64 { return math.Floor(5 * t / T) }

// Constant returns F(t) = c, the DP-SGD of Abadi et al. 2016.
func Constant(c float64) Schedule {
	return Schedule{fmt.Sprintf("constant %g", c), func(float64, float64) float64 { return c }}
}

// Schedules lists Table 1 from top to bottom, followed by the additional schedule.
func Schedules() []Schedule {
	return []Schedule{
		DecreasingExponential, DecreasingPiecewise, DecreasingLinear, DecreasingQuadratic,
		IncreasingLogarithmic, IncreasingPiecewise, IncreasingLinear, IncreasingQuadratic, IncreasingExponential,
	}
}

// Index selects the values of t for the epochs.
type Index int

const (
	// FromOne is t ∈ [1, T], the loop of Algorithm 1.
	FromOne Index = iota
	// FromZero is t ∈ [0, T−1]. With it, the schedules of Table 1 begin and end as its caption states.
	FromZero
)

// Multipliers returns F at all epochs, or nil if epochs < 1.
func (s Schedule) Multipliers(epochs int, index Index) []float64 {
	if epochs < 1 {
		return nil
	}
	m := make([]float64, epochs)
	for i := range m {
		t := float64(i)
		if index == FromOne {
			t++
		}
		m[i] = s.F(t, float64(epochs))
	}
	return m
}
