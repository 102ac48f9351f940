package matrix

import (
	"fmt"
	"math/big"
)

// MaxSteps is the maximum number of steps of a named strategy.
const MaxSteps = 1 << 20

// Strategy is the matrix C of a factorization A = BC. Its rows define what is released, apart from noise.
type Strategy struct {
	name  string
	steps int
	form  form
}

// form computes the sensitivity of a structured matrix.
type form interface {
	// separated returns the sensitivity for at most times participations, at least distance apart. (times − 1)·distance
	// is less than the number of steps.
	separated(times, distance int) Sensitivity
	// fixedOrder returns the sensitivity for participations exactly distance apart.
	fixedOrder(times, distance int) Sensitivity
}

// banded is a form whose rows are the steps.
type banded interface {
	// bands returns the smallest b with C[i,j] = 0 for i − j ≥ b.
	bands() int
	// norm brackets the Euclidean norm of a column.
	norm(column int) (lower, upper float64)
}

// String describes s.
func (s *Strategy) String() string { return s.name }

// Steps returns n, the number of columns of C.
func (s *Strategy) Steps() int { return s.steps }

// Bands returns the smallest b with C[i,j] = 0 for i − j ≥ b, or 0 for trees, whose rows are nodes.
func (s *Strategy) Bands() int {
	if f, ok := s.form.(banded); ok {
		return f.bands()
	}
	return 0
}

// Identity returns C = I for 1 ≤ steps ≤ MaxSteps.
func Identity(steps int) (*Strategy, error) {
	return named("identity", steps, func() form { return newToeplitz([]float64{1}, steps, true) })
}

// Prefix returns the lower triangle of ones, which adds independent noise to each prefix sum, for 1 ≤ steps ≤ MaxSteps.
func Prefix(steps int) (*Strategy, error) {
	return named("prefix", steps, func() form {
		c := make([]float64, steps)
		for i := range c {
			c[i] = 1
		}
		return newToeplitz(c, steps, true)
	})
}

// Banded returns the square root of the prefix sums, truncated to a number of bands and not normalized: C[i,j] =
// c_{i−j} with c_m = C(2m, m)/4^m for m < bands. The domain is 1 ≤ bands ≤ steps ≤ MaxSteps.
func Banded(steps, bands int) (*Strategy, error) {
	if !(bands >= 1 && bands <= max(1, steps)) {
		return nil, domainError("strategy banded of %d bands in %d steps: want from 1 to the number of steps", bands, steps)
	}
	return named(fmt.Sprintf("banded %d", bands), steps, func() form {
		return newToeplitz(squareRoot(bands), steps, bands == 1)
	})
}

// Tree returns binary tree aggregation for 1 ≤ steps ≤ MaxSteps. A new tree begins after every restart steps; 0 means a
// single tree.
func Tree(steps, restart int) (*Strategy, error) { return trees("tree", steps, restart) }

// Honaker returns the same matrix as Tree, because the Honaker estimator is post-processing.
func Honaker(steps, restart int) (*Strategy, error) { return trees("honaker", steps, restart) }

func trees(name string, steps, restart int) (*Strategy, error) {
	if restart < 0 {
		return nil, domainError("strategy %s with a restart every %d steps: want at least 1, or 0 for none", name, restart)
	}
	if restart > 0 && restart < steps {
		name = fmt.Sprintf("%s, restarted every %d steps", name, restart)
	}
	return named(name, steps, func() form { return newForest(steps, restart) })
}

func named(name string, steps int, f func() form) (*Strategy, error) {
	if !(steps >= 1 && steps <= MaxSteps) {
		return nil, domainError("strategy %s of %d steps: want from 1 to %d", name, steps, MaxSteps)
	}
	return &Strategy{name: name, steps: steps, form: f()}, nil
}

// squareRoot returns the first coefficients of (1−x)^(−1/2), c_m = c_{m−1}(2m−1)/(2m), correctly rounded except for
// ties within a relative 2⁻¹²⁸.
func squareRoot(count int) []float64 {
	c := make([]float64, count)
	exact := new(big.Float).SetPrec(160).SetInt64(1)
	factor := new(big.Float).SetPrec(160)
	for m := range c {
		if m > 0 {
			exact.Mul(exact, factor.SetInt64(int64(2*m-1)))
			exact.Quo(exact, factor.SetInt64(int64(2*m)))
		}
		c[m], _ = exact.Float64()
	}
	return c
}
