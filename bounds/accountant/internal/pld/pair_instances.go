package pld

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Flipped are two candidates whose scores were equal and are moved apart by two, by permute-and-flip at ε₀ ≤ 640.
func Flipped(epsilon0 float64) (Pair, error) {
	if !(epsilon0 <= 640) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: at most 640 is accounted", epsilon0)
	}
	half := math.Exp(-epsilon0) / 2
	return NewFinite([]Atom{{P: 0.5, Q: 1 - half}, {P: 0.5, Q: half}}, 4*unit*(1+epsilon0))
}

// Voted are two classes of nearly equal votes, the others far behind: noise of deviation sigma tells whether their
// difference, which moves by 2, is above 0.
func Voted(sigma float64) (Pair, error) {
	far := math.Max(1e-280, math.Erfc(1/sigma/2)/2) // Φ(−μ/2), μ = √2/σ; not 0, which would tell all
	return NewFinite([]Atom{{P: 1 - far, Q: far}, {P: far, Q: 1 - far}}, 1e-14)
}

// Sparse asks so many queries before the last ones, and at most so many last ones.
const asked, mostLast = 16, 32

// Sparse are queries under the sparse vector technique: some that come nearer to the threshold by the sensitivity if
// the record is not there, from half of it below, and then as many as the cutoff that go the other way. If all of
// the first are below and all of the last above, the loss is nearly ε₁ + ε₂: the noise of the threshold is large then,
// where moving it and the queries has its full price. The number of the first query that is above is an output,
// and of the last ones how many are.
func Sparse(epsilon1, epsilon2, cutoff, sensitivity float64) (Pair, error) {
	a, b, x := 1/epsilon1, 2*cutoff/epsilon2, sensitivity/2
	most := math.Max(a, b)
	if a, b, x = a/most, b/most, x/most; !(a >= 1e-9 && b >= 1e-9 && x >= 1e-12) {
		return Nothing(), nil // next to nothing is told, or the noise of one of both
	}
	last := math.Min(cutoff, mostLast)
	outputs := make([]Atom, asked+int(last)+1)
	below := func(t float64) float64 { // P(noise of a query < t)
		if t < 0 {
			return math.Exp(t/b) / 2
		}
		return 1 - math.Exp(-t/b)/2
	}
	add := func(z, weight float64, at func(*Atom) *float64, move float64) {
		// The first are at −move, the last at move, in units of the noise; z is the threshold's noise.
		for i := range asked {
			*at(&outputs[i]) += weight * below(-z-move)
			weight *= below(z + move)
		}
		for j := range int(last) + 1 {
			chance := numeric.LogBinomial(last, float64(j), below(move-z), below(z-move))
			*at(&outputs[asked+j]) += weight * math.Exp(chance)
		}
	}
	rule := numeric.Legendre(16)
	// An output may be possible only beyond x: beyond 60a from there nothing is left of it.
	edges := []float64{-x - 60*a, -x, 0, x, x + 60*a}
	for i, from := range edges[:len(edges)-1] {
		for to := edges[i+1]; from < to; {
			// Narrow at the edges, where the laws of the noise have corners.
			near := math.Min(from-edges[i], to-from)
			step := math.Min(to-from, math.Min(a/2, math.Max(b/(2*asked+2*last), near/4)))
			for k, u := range rule.X {
				z := from + step*u
				weight := step * rule.W[k] * math.Exp(-math.Abs(z)/a) / (2 * a)
				add(z, weight, func(o *Atom) *float64 { return &o.P }, x)
				add(z, weight, func(o *Atom) *float64 { return &o.Q }, -x)
			}
			from += step
		}
	}
	return NewFinite(outputs, 1e-9)
}

// OpposedLaplace is a sampled sum to which the record contributes the sensitivity, and the one in its place as much
// the other way, with noise of P ∝ e^{−rate·|k|} on integers moved by shift, or, if shift is 0, with continuous noise
// of scale 1 moved by rate. Outputs are put together to a few hundred. The loss of the ends is the largest there is.
// Above a loss of 300 without sampling it is Nothing.
func OpposedLaplace(rate, shift, q float64) Pair {
	step, norm := rate, 1+math.Exp(-rate) // what a loss moves over a unit of width
	discrete := 1.0                       // a cell of integers ends 1 before the next one
	if shift == 0 {
		step, shift, norm, discrete = rate/finest, finest, 2, 0
	}
	reach := step * shift
	if !(reach <= 300) {
		return Nothing()
	}
	mass := func(from, to, centre float64) float64 { // of the cell [from, to), which is on one side of the centre
		near := from - centre
		if near < 0 {
			near = math.Max(0, centre-to+discrete)
		}
		return math.Exp(-step*near) * -math.Expm1(-step*(to-from)) / norm
	}
	outputs := func(of func(centre float64) float64) Atom {
		return Atom{P: (1-q)*of(0) + q*of(shift), Q: (1-q)*of(0) + q*of(-shift)}
	}
	atoms := []Atom{outputs(func(centre float64) float64 { return math.Exp(-step*(shift-centre)) / norm })}
	// The other cells of the positive half; the first of integers, if there is one at 0, is the middle.
	from := discrete
	for width := math.Ceil(shift / finest); from < shift; from += width {
		to := math.Min(shift, from+width)
		atoms = append(atoms, outputs(func(centre float64) float64 { return mass(from, to, centre) }))
	}
	for _, a := range atoms {
		atoms = append(atoms, Atom{P: a.Q, Q: a.P})
	}
	if discrete > 0 {
		middle := outputs(func(centre float64) float64 { return mass(0, 1, centre) })
		atoms = append(atoms, Atom{P: middle.P, Q: middle.P})
	}
	law, err := NewFinite(atoms, 16*unit*(4+2*reach))
	if err != nil {
		return Nothing()
	}
	return law
}

// finest is the number of cells of noise from its centre to the sensitivity.
const finest = 64
