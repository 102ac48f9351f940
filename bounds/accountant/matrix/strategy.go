package matrix

import (
	"fmt"
	"math/big"
)

// MaxSteps is the most steps of a named strategy.
const MaxSteps = 1 << 20

// Strategy is the matrix C of a factorization A = BC: what is released of n steps, but for the noise.
type Strategy struct {
	name  string
	steps int
	form  form
}

// form knows the sensitivity of a structured matrix.
type form interface {
	// separated is the sensitivity for at most times participations, distance apart or more;
	// times·distance has room in the steps, but for less than one distance.
	separated(times, distance int) Sensitivity
	// fixedOrder is that for participations exactly distance apart.
	fixedOrder(times, distance int) Sensitivity
}

// banded is a form whose rows are the steps.
type banded interface {
	// bands is the least b with C[i,j] = 0 for i − j ≥ b.
	bands() int
	// norm brackets the Euclidean norm of a column.
	norm(column int) (lower, upper float64)
}

// String describes s.
func (s *Strategy) String() string { return s.name }

// Steps returns n, the number of columns of C.
func (s *Strategy) Steps() int { return s.steps }

// Bands returns the least b with C[i,j] = 0 for i − j ≥ b; 0 for trees, whose rows are nodes.
func (s *Strategy) Bands() int {
	if f, ok := s.form.(banded); ok {
		return f.bands()
	}
	return 0
}

// Identity returns C = I of n steps, 1 ≤ n ≤ MaxSteps.
func Identity(steps int) (*Strategy, error) {
	return named("identity", steps, func() form { return newToeplitz([]float64{1}, steps, true) })
}

// Prefix returns the lower triangle of ones: fresh noise on each of n prefix sums, 1 ≤ n ≤ MaxSteps.
func Prefix(steps int) (*Strategy, error) {
	return named("prefix", steps, func() form {
		c := make([]float64, steps)
		for i := range c {
			c[i] = 1
		}
		return newToeplitz(c, steps, true)
	})
}

// Banded returns the square root of the prefix sums of n steps, cut to so many bands and not
// normalized: C[i,j] = c_{i−j} with c_m = C(2m, m)/4^m for m < bands. 1 ≤ bands ≤ n ≤ MaxSteps.
func Banded(steps, bands int) (*Strategy, error) {
	if !(bands >= 1 && bands <= max(1, steps)) {
		return nil, domainError("strategy banded of %d bands in %d steps: want from 1 to the number of steps", bands, steps)
	}
	return named(fmt.Sprintf("banded %d", bands), steps, func() form {
		return newToeplitz(squareRoot(bands), steps, bands == 1)
	})
}

// Tree returns binary tree aggregation over n steps, 1 ≤ n ≤ MaxSteps, with a new tree after every
// restart steps, or one for all if restart is 0.
func Tree(steps, restart int) (*Strategy, error) { return trees("tree", steps, restart) }

// Honaker returns the same matrix as Tree: the estimator is post-processing.
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

// squareRoot returns the first coefficients of (1−x)^(−1/2), c_m = c_{m−1}(2m−1)/(2m), correctly
// rounded but for ties that 2⁻¹²⁸ of relative error would decide.
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
