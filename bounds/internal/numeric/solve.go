package numeric

import (
	"errors"
	"fmt"
	"math"
)

// FallingRoot returns a zero of a falling function on [lo, hi] to a relative tolerance of 4e-16. See [FallingRootTo].
func FallingRoot(f func(float64) float64, lo, hi float64) float64 {
	return FallingRootTo(f, lo, hi, 4e-16)
}

// FallingRootTo returns a zero of a falling function on [lo, hi] to a relative tolerance, by the Anderson–Björck
// variant of regula falsi, with bisection if it stalls. It returns the end of the last interval at which f ≤ 0; lo if
// f(lo) ≤ 0, and hi if f(hi) > 0.
func FallingRootTo(f func(float64) float64, lo, hi, tolerance float64) float64 {
	flo, fhi := f(lo), f(hi)
	if flo <= 0 {
		return lo
	}
	if fhi > 0 {
		return hi
	}
	width := hi - lo
	for i := 0; i < 300 && hi-lo > tolerance*math.Max(math.Abs(lo), math.Abs(hi)); i++ {
		x := hi - fhi*(hi-lo)/(fhi-flo)
		if i%3 == 2 {
			// Bisect unless three steps have reduced the interval to a quarter.
			if hi-lo > width/4 {
				x = (lo + hi) / 2
			}
			width = hi - lo
		}
		if !(x > lo && x < hi) {
			if x = (lo + hi) / 2; x <= lo || x >= hi {
				break
			}
		}
		fx := f(x)
		if fx > 0 {
			fhi *= damp(fx, flo)
			lo, flo = x, fx
		} else {
			flo *= damp(fx, fhi)
			hi, fhi = x, fx
		}
	}
	return hi
}

// damp returns the Anderson–Björck factor for the value at the end that stays.
func damp(fresh, stale float64) float64 {
	if math.IsInf(stale, 0) {
		return 0.5
	}
	if m := 1 - fresh/stale; m > 0 {
		return m
	}
	return 0.5
}

// Minimum returns the minimum of a smooth function that has only one, and its position. It brackets the minimum from
// x with the given first stride, and then uses golden-section search down to the tolerance.
func Minimum(f func(float64) float64, x, stride, tolerance float64) (argmin, value float64) {
	fx := f(x)
	left, right := x-stride, x+stride
	fl, fr := f(left), f(right)
	for i := 0; fl < fx && i < 60; i++ {
		right, fr, x, fx = x, fx, left, fl
		left -= stride
		stride *= 1.4
		fl = f(left)
	}
	for i := 0; fr < fx && i < 60; i++ {
		left, fl, x, fx = x, fx, right, fr
		right += stride
		stride *= 1.4
		fr = f(right)
	}
	for right-left > tolerance {
		u := x + 0.38*(right-x)
		if x-left > right-x {
			u = x - 0.38*(x-left)
		}
		fu := f(u)
		switch {
		case fu < fx && u > x:
			left, x, fx = x, u, fu
		case fu < fx:
			right, x, fx = x, u, fu
		case u > x:
			right = u
		default:
			left = u
		}
	}
	return x, fx
}

// ErrDomain is wrapped by every error about a parameter out of its domain.
var ErrDomain = errors.New("out of domain")

// CheckPositive returns an error that wraps ErrDomain unless x is finite and above 0.
func CheckPositive(name string, x float64) error {
	if !(x > 0 && x <= math.MaxFloat64) {
		return fmt.Errorf("%w: %s = %v, want a finite number above 0", ErrDomain, name, x)
	}
	return nil
}

// CheckDimension returns an error that wraps ErrDomain if d < 1.
func CheckDimension(d int) error {
	if d < 1 {
		return fmt.Errorf("%w: d = %d, want a dimension of at least 1", ErrDomain, d)
	}
	return nil
}

// CheckSampling returns an error that wraps ErrDomain if the dimension d, ε or the radius L of the inputs is outside
// the domain of private sampling.
func CheckSampling(d int, epsilon, lipschitz float64) error {
	if err := CheckDimension(d); err != nil {
		return err
	}
	if err := CheckPositive("epsilon", epsilon); err != nil {
		return err
	}
	return CheckPositive("L", lipschitz)
}
