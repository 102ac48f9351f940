package sensitivity

import (
	"errors"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Norm is a norm of vectors.
type Norm int

const (
	L1   Norm = iota + 1 // Σ|x_i|
	L2                   // √Σx_i²
	LInf                 // max|x_i|
)

func (n Norm) String() string {
	switch n {
	case L1:
		return "ℓ1"
	case L2:
		return "ℓ2"
	case LInf:
		return "ℓ∞"
	}
	return fmt.Sprintf("unknown norm %d", int(n))
}

// exponent returns the p of ℓp, +Inf for LInf.
func (n Norm) exponent() float64 {
	if n == LInf {
		return math.Inf(1)
	}
	return float64(n)
}

// length returns ‖x‖.
func (n Norm) length(x []float64) float64 { return floats.Norm(x, n.exponent()) }

// confine moves x into the ball of the given radius: LInf clips each coordinate, other norms scale x. A vector whose
// norm is not finite becomes zero.
func (n Norm) confine(x []float64, radius float64) {
	size := n.length(x)
	switch {
	case !(size <= math.MaxFloat64):
		clear(x)
	case size <= radius:
	case n == LInf:
		for i, v := range x {
			x[i] = math.Max(-radius, math.Min(radius, v))
		}
	default:
		for i := range x {
			x[i] = x[i] / size * radius // radius/size may be subnormal
		}
		if n.length(x) > radius { // by rounding
			floats.Scale(1-0x1p-52*float64(8+len(x)), x)
		}
	}
}

// coarseDigits is the number of significant digits of the largest coordinate of a coarsened point.
const coarseDigits = 7

// coarsen rounds a point of the unit ball to the decimals that keep coarseDigits digits of its largest coordinate. If
// the result is outside the ball, each coordinate moves one unit of the last digit towards 0. Norms are compared as
// integers, so that the result does not depend on the machine.
func (n Norm) coarsen(x []float64) {
	largest := 0.0
	for _, v := range x {
		largest = math.Max(largest, math.Abs(v))
	}
	if largest < 1e-290 {
		clear(x)
		return
	}
	// The factor gives 1 and slightly larger coordinates the same number of decimals.
	decimals := coarseDigits - int(math.Ceil(math.Log10(largest*(1-1e-6))))
	unit := math.Pow10(decimals)
	var high, low uint64 // words of the norm in units of the last digit, of its square for L2
	for i, v := range x {
		x[i] = math.Round(v * unit)
		k := uint64(math.Abs(x[i]))
		carry := uint64(0)
		switch n {
		case L1:
			low += k
		case L2:
			h, l := bits.Mul64(k, k)
			low, carry = bits.Add64(low, l, 0)
			high += h + carry
		case LInf:
			low = max(low, k)
		}
	}
	limitHigh, limit := uint64(0), uint64(math.Min(unit, 1e18))
	if n == L2 {
		limitHigh, limit = bits.Mul64(limit, limit)
	}
	outside := high > limitHigh || high == limitHigh && low > limit
	for i, v := range x {
		if outside && v != 0 {
			v -= math.Copysign(1, v)
		}
		x[i] = v / unit
	}
}

// Ball is {x ∈ ℝ^Dim : ‖x‖ ≤ Radius}. The zero value has no parameters. For other domains, the map can transform the
// ball.
type Ball struct {
	Dim    int
	Norm   Norm
	Radius float64 // finite, > 0
}

func (b Ball) check() error {
	switch {
	case b == Ball{}:
		return nil
	case b.Dim < 0 || b.Dim > maxParameters:
		return fmt.Errorf("a ball of dimension %d: want 0 to %d", b.Dim, maxParameters)
	case b.Norm != L1 && b.Norm != L2 && b.Norm != LInf:
		return fmt.Errorf("a ball in %s: want L1, L2 or LInf", b.Norm)
	case !(b.Radius > 0 && b.Radius <= math.MaxFloat64):
		return fmt.Errorf("a ball of radius %v: want a finite radius above 0", b.Radius)
	}
	return nil
}

// contains reports whether x is in the ball, up to the rounding of its norm.
func (b Ball) contains(x []float64) bool {
	return len(x) == b.Dim && (b.Dim == 0 || b.Norm.length(x) <= b.Radius*(1+1e-12))
}

// Record is one record of a dataset: a point and a label.
type Record struct {
	X []float64 `json:"x,omitempty"`
	Y float64   `json:"y,omitempty"`
}

// Records is the domain of a record: points of a ball, with any of the labels.
// Without labels, every Y is 0.
type Records struct {
	Ball
	Labels []float64
}

func (d Records) check(a inputs.Adjacency) error {
	if err := d.Ball.check(); err != nil {
		return fmt.Errorf("records: %w", err)
	}
	for i, y := range d.Labels {
		if !(math.Abs(y) <= math.MaxFloat64) {
			return fmt.Errorf("records: label %v: want a finite number", y)
		}
		if slices.Contains(d.Labels[:i], y) {
			return fmt.Errorf("records: label %v is given twice", y)
		}
	}
	if a == inputs.ReplaceOneRecord && d.Dim == 0 && len(d.Labels) < 2 {
		return errors.New("records: all are equal: want points or at least two labels, so that a record can be replaced")
	}
	return nil
}

func (d Records) contains(r Record) bool {
	if len(d.Labels) == 0 {
		return d.Ball.contains(r.X) && r.Y == 0
	}
	return d.Ball.contains(r.X) && slices.Contains(d.Labels, r.Y)
}

// label returns label i of the domain, 0 if it has no labels.
func (d Records) label(i int) float64 {
	if len(d.Labels) == 0 {
		return 0
	}
	return d.Labels[i]
}

// boundary scales x to the boundary of the unit ball. The zero vector stays unchanged.
func (n Norm) boundary(x []float64) {
	if size := n.length(x); size > 0 {
		floats.Scale(1/size, x)
	}
}

// edge draws a point of the boundary of the unit ball: on the first axis with probability 0.4, else on a random axis,
// on a diagonal or in a random direction.
func (n Norm) edge(r *rand.Rand, x []float64) {
	if len(x) == 0 {
		return
	}
	clear(x)
	sign := float64(2*r.IntN(2) - 1)
	switch r.IntN(5) {
	case 0, 1:
		x[0] = sign
	case 2:
		x[r.IntN(len(x))] = sign
	case 3:
		for i := range x {
			x[i] = float64(2*r.IntN(2) - 1)
		}
		n.boundary(x)
	default:
		gaussian(r, x)
		n.boundary(x)
	}
}

func gaussian(r *rand.Rand, x []float64) {
	for i := range x {
		x[i] = rng.Normal(r)
	}
}
