package premises

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mathext"

	"github.com/dpverify/dpverify/verify"
)

// noiseTests is the number of tests of the noise. Each has the same share of alpha, so that by
// the union bound all together err with probability at most alpha.
const noiseTests = 10

// noiseTest is a test of the noise with its p-value. Its finding describes a refutation.
type noiseTest struct {
	name     string
	finding  string
	quantity string
	claimed  float64
	measured float64
	p        float64
}

// tests returns the tests of the noise, the most specific one first. Each p-value is valid for noise y that is normal
// and independent and is logged as z with |z − y| ≤ r|y| + a. Only the tests of correlation between coordinates and
// between steps do not need normal noise. They need independent random signs, and rounding that commutes with the sign.
func (f noiseStatistics) tests() []noiseTest {
	same, before := f.along("the sum of the step", f.Sum), f.along("the sum of the step before", f.Previous)
	if before.p < same.p {
		same, before = before, same
	}
	repeated, marginal := []noiseTest{f.repeats(), f.factors()}, f.marginal()
	data := []noiseTest{same, before}
	if 2*f.Uniform > f.Steps {
		repeated = slices.Insert(repeated, 0, f.coordinates())
	} else {
		repeated = append(repeated, f.coordinates())
	}
	repeated = append(repeated, f.steps())
	// Noise with too large a scale has a large mean along any direction.
	const clear = 3.5
	if math.Abs(same.measured)*math.Sqrt(float64(f.Steps)) >= clear*math.Max(1, f.ratio()) {
		return slices.Concat(repeated, data, marginal)
	}
	return slices.Concat(repeated, marginal, data)
}

// collision bounds the probability that two independent values have equal roundings. Numbers that round to the same
// value, in at most three roundings, are in an interval of width w|y| + b. The probability is at most
//
//	∫ φ(y) (w|y| φ((1−w)y) + b φ(0)) dy = w / (π (1 + (1−w)²)) + b φ(0).
//
// If the absolute rounding has its largest value, the grid may be coarser, and the bound is 1.
func (f noiseStatistics) collision() float64 {
	if f.Absolute >= maxAbsolute {
		return 1
	}
	w, b := 3*math.Ldexp(1, 1-f.Bits), 1.5*f.Absolute
	c := w/(math.Pi*(1+(1-w)*(1-w))) + b/math.Sqrt(2*math.Pi)
	return math.Min(1, math.Max(minCollision, c))
}

// expectedRepeats bounds the expected number of pairs of steps with equal noise, up to the sign.
func (f noiseStatistics) expectedRepeats(steps float64) float64 {
	return steps * (steps - 1) * math.Pow(f.collision(), float64(f.Coordinates))
}

// repeats tests for equal noise in two steps. The p-value is Markov's bound from the expected number of pairs.
func (f noiseStatistics) repeats() noiseTest {
	t := noiseTest{name: "equal noise in two steps", quantity: "pairs of steps with equal noise, up to the sign",
		measured: float64(f.Repeated.Count), p: 1}
	if f.Repeated.Count > 0 {
		t.p = math.Min(1, f.expectedRepeats(float64(f.Steps))/t.measured)
	}
	cause := "as if a key were used twice"
	if f.Repeated.Second == f.Repeated.First+1 {
		cause = "as if the noise of the step before were kept or a key were used twice"
	}
	t.finding = fmt.Sprintf("steps %d and %d have equal noise at all %d coordinates, up to the sign, %s; %s with "+
		"equal noise",
		f.Repeated.First, f.Repeated.Second, f.Coordinates, cause, verify.Plural(int(f.Repeated.Count), "pair of steps"))
	return t
}

// angle returns the sine of the angle below which vectors count as multiples of each other. Rounding changes the
// direction of a vector of at least standard length by at most half the angle.
func (f noiseStatistics) angle() float64 {
	return math.Min(1, 2.2*(f.Relative+f.Absolute*math.Sqrt(float64(f.correlated()))))
}

// factors tests for noise that is a multiple of the noise of another step. For independent normal vectors in k
// dimensions, the squared sine of the angle has the distribution Beta((k−1)/2, 1/2). The p-value is Markov's bound.
func (f noiseStatistics) factors() noiseTest {
	t := noiseTest{name: "proportional noise in two steps", quantity: "pairs of steps with proportional noise",
		measured: float64(f.Multiples.Count), p: 1}
	if sine := 2 * f.angle(); f.Multiples.Count > 0 && sine < 1 {
		n := float64(min(f.Steps, maxCompared))
		pair := mathext.RegIncBeta(float64(f.correlated()-1)/2, 0.5, sine*sine)
		t.p = math.Min(1, n*(n-1)/2*pair/t.measured)
	}
	t.finding = fmt.Sprintf("the noise of step %d is, up to rounding, a multiple of the noise of step %d, as if a key "+
		"were used twice; %s with proportional noise", f.Multiples.Second, f.Multiples.First,
		verify.Plural(int(f.Multiples.Count), "pair of steps"))
	return t
}

// signs bounds the probability that a sum of values with independent random signs exceeds x times the root of the sum
// of their squares, on either side: Bentkus & Dzindzalieta (2015), Theorem 1.1.
func signs(x float64) float64 { return math.Min(1, 2*3.18*normal(-x)) }

// coordinates tests for correlation between two coordinates. Given one of them and the absolute values of the other,
// the products have independent random signs. The p-value is the smallest over the pairs times their number.
func (f noiseStatistics) coordinates() noiseTest {
	t := noiseTest{name: "correlation of two coordinates", quantity: "mean product of the noise at two coordinates / " +
		"(σC)²",
		measured: f.Across.mean(float64(f.Steps)), p: math.Min(1, f.coordinatePairs()*signs(f.Across.standard()))}
	t.finding = fmt.Sprintf("the noise at coordinates %d and %d has the mean product %.3g · (σC)²", f.Across.First,
		f.Across.Second, t.measured)
	if f.Uniform > 0 {
		t.finding = fmt.Sprintf("all logged coordinates have the same noise, up to the sign, in %s",
			verify.Plural(f.Uniform, "step"))
	}
	return t
}

// coordinatePairs returns the number of tested pairs of coordinates, at least 1.
func (f noiseStatistics) coordinatePairs() float64 {
	n := float64(f.correlated())
	return math.Max(1, n*(n-1)/2)
}

// steps tests for correlation between successive steps. Given the noise of the odd steps and the absolute values of the
// even ones, the terms have independent random signs. The p-value is the smallest over the coordinates times their
// number.
func (f noiseStatistics) steps() noiseTest {
	pairs := float64(f.Steps - 1)
	t := noiseTest{name: "correlation of successive steps", quantity: "mean product of the noise in successive steps " +
		"/ (σC)²",
		measured: f.Successive.mean(pairs), p: math.Min(1, float64(f.Coordinates)*signs(f.Successive.standard()))}
	t.finding = fmt.Sprintf("at coordinate %d the noise of successive steps has the mean product %.3g · (σC)², as if "+
		"noise of earlier steps were kept", f.Successive.First, t.measured)
	return t
}

// mean returns the mean product.
func (c correlated) mean(products float64) float64 {
	if !(products > 0) {
		return 0
	}
	return c.Sum / products
}

// scale tests the sum of squares of n values, which has the distribution χ²_n for σC = 1. Rounding changes its root by
// a factor of at most 1 ± r and by at most a√n.
func (f noiseStatistics) scale() noiseTest {
	n, ratio := f.values(), f.ratio()
	root, shift := math.Sqrt(f.Squares), f.Absolute*math.Sqrt(f.values())
	high := (root + shift) / (1 - f.Relative)
	low := math.Max(0, root-shift) / (1 + f.Relative)
	t := noiseTest{name: "scale", quantity: "standard deviation of the noise / (σC)", claimed: 1, measured: ratio,
		p: math.Min(1, 2*math.Min(mathext.GammaIncReg(n/2, high*high/2), mathext.GammaIncRegComp(n/2, low*low/2)))}
	t.finding = fmt.Sprintf("the standard deviation of the noise is %.4g times the claimed one", ratio)
	if f.Squares == 0 {
		t.finding = "there is no noise: every logged value is 0"
	}
	return t
}

// ratio returns the standard deviation of the noise divided by the claimed one.
func (f noiseStatistics) ratio() float64 { return math.Sqrt(f.Squares / f.values()) }

// shape tests the distribution function by the bound of Dvoretzky, Kiefer & Wolfowitz with the constant of Massart
// (1990), which holds for independent values.
func (f noiseStatistics) shape() noiseTest {
	d := math.Max(0, f.Distance.Excess-generatorError)
	t := noiseTest{name: "distribution", quantity: "Kolmogorov distance of the noise to N(0, (σC)²)",
		measured: f.Distance.Raw, p: math.Min(1, 2*math.Exp(-2*f.values()*d*d))}
	t.finding = fmt.Sprintf("near %.4g · σC the empirical distribution function is %.4g; N(0, (σC)²) has %.4g",
		f.Distance.At, f.Distance.Share, f.Distance.Stated)
	return t
}

// extreme tests the largest absolute value of n values, which is below m with probability (1 − 2Φ(−m))ⁿ. A largest
// value of 5 or more is never too small, because generators in float32 have no values above about 5.3.
func (f noiseStatistics) extreme() noiseTest {
	m := math.Abs(f.Largest.Value)
	below := func(x float64) float64 { // logarithm of the probability
		return f.values() * math.Log1p(-math.Erfc(math.Max(0, x)/math.Sqrt2))
	}
	small, large := 1.0, -math.Expm1(below((m-f.Absolute)/(1+f.Relative)))
	if m < 5 {
		small = math.Exp(below((m + f.Absolute) / (1 - f.Relative)))
	}
	t := noiseTest{name: "largest value", quantity: "largest absolute value of the noise / (σC)", measured: m,
		p: math.Min(1, 2*math.Min(small, large))}
	t.finding = fmt.Sprintf("the noise of step %d at coordinate %d is %.4g · σC, the largest of %.0f values: too "+
		"large for a normal distribution", f.Largest.Step, f.Largest.Coordinate, f.Largest.Value, f.values())
	if small < large {
		t.finding = fmt.Sprintf("the largest of %.0f absolute values of the noise is %.4g · σC: too small for a normal "+
			"distribution, as if the noise were truncated", f.values(), m)
	}
	return t
}

// along tests for correlation with a sum of contributions. The direction of the sum is determined before the noise is
// drawn. The noise along it is therefore N(0, 1) given all earlier steps, and the sum over the steps is N(0, steps).
// Rounding makes the noise at most 1 + r times as large and keeps its sign, so its moment-generating function is at
// most the one of N(0, (1+r)²), and Chernoff's bound holds. The absolute rounding changes the sum by at most a√k in
// each step.
func (f noiseStatistics) along(direction string, sum float64) noiseTest {
	n := float64(f.Steps)
	x := math.Max(0, math.Abs(sum)-f.Absolute*math.Sqrt(float64(f.Coordinates))*n) / math.Sqrt(n) / (1 + f.Relative)
	return noiseTest{name: "correlation with " + direction, quantity: "mean of the noise along " + direction + " / (σC)",
		measured: sum / n, p: math.Min(1, 2*math.Exp(-x*x/2)),
		finding: fmt.Sprintf("the noise depends on the data: along %s its mean is %.3g · σC", direction, sum/n)}
}
