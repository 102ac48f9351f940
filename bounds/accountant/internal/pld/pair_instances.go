package pld

import (
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Voted returns the pair of two classes with nearly equal votes; the other classes are far behind. The output tells
// whether the difference of the votes, which moves by 2, is positive after noise of standard deviation sigma.
func Voted(sigma float64) (Pair, error) {
	// Φ(−μ/2) with μ = √2/σ; it must not be 0, which would reveal everything.
	far := math.Max(1e-280, math.Erfc(1/sigma/2)/2)
	return NewFinite([]Atom{{P: 1 - far, Q: far}, {P: far, Q: 1 - far}}, 1e-14)
}

// asked is the number of queries before the last ones, mostLast the maximum number of last ones in Sparse.
const asked, mostLast = 16, 32

// Sparse returns the pair of specific queries under the sparse vector technique. The first queries are half a
// sensitivity below the threshold and move towards it by the sensitivity if the record is removed. Then as many queries
// as the cutoff move in the opposite direction. If all first queries are below and all last ones above, the threshold
// noise is large, and the loss is nearly ε₁ + ε₂. The output is the index of the first query above the threshold, or
// the number of last queries above it.
func Sparse(epsilon1, epsilon2, cutoff, sensitivity float64) (Pair, error) {
	a, b, x := 1/epsilon1, 2*cutoff/epsilon2, sensitivity/2
	larger := math.Max(a, b)
	if a, b, x = a/larger, b/larger, x/larger; !(a >= 1e-9 && b >= 1e-9 && x >= 1e-12) {
		return Nothing(), nil // almost nothing is revealed, or one of the two noises is negligible
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
		// The first queries are at −move and the last at move, in units of the noise. z is the threshold noise.
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
	// An output may be possible only beyond x. Its probability beyond 60a from there is negligible.
	edges := []float64{-x - 60*a, -x, 0, x, x + 60*a}
	for i, from := range edges[:len(edges)-1] {
		for to := edges[i+1]; from < to; {
			// Use narrow panels near the edges, where the noise densities have corners.
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

// OpposedLaplace returns the pair of a sampled sum with Laplace noise, to which the record and its replacement
// contribute the sensitivity in opposite directions. The noise is P ∝ e^{−rate·|k|} on integers moved by shift or, if
// shift is 0, continuous noise of scale 1 moved by rate. Outputs are merged to a few hundred. The largest loss is
// exact. If the loss without sampling exceeds 300, the result is Nothing.
func OpposedLaplace(rate, shift, q float64) Pair {
	step, norm := rate, 1+math.Exp(-rate) // change of the loss over a unit of width
	discrete := 1.0                       // a cell of integers ends 1 before the next one
	if shift == 0 {
		step, shift, norm, discrete = rate/finest, finest, 2, 0
	}
	reach := step * shift
	if !(reach <= 300) {
		return Nothing()
	}
	// Probability of the cell [from, to), which is on one side of the center.
	mass := func(from, to, centre float64) float64 {
		near := from - centre
		if near < 0 {
			near = math.Max(0, centre-to+discrete)
		}
		return math.Exp(-step*near) * -math.Expm1(-step*(to-from)) / norm
	}
	outputs := func(chance func(centre float64) float64) Atom {
		return Atom{P: (1-q)*chance(0) + q*chance(shift), Q: (1-q)*chance(0) + q*chance(-shift)}
	}
	atoms := []Atom{outputs(func(centre float64) float64 { return math.Exp(-step*(shift-centre)) / norm })}
	// The other cells of the positive half. For integers, the cell at 0 is the middle.
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

// finest is the number of noise cells from the center to the sensitivity.
const finest = 64
