package pair

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/internal/lattice"
)

// NewDiscreteGaussian is the pair of integers with P(k) ∝ exp(−k²/2σ²) around 0 and around an integer
// shift of at least 1: losses shift·(2k − shift)/2σ², all on one lattice. σ ≤ 1e4.
func NewDiscreteGaussian(sigma, shift float64) (*Finite, error) {
	unitLoss := shift / (2 * sigma * sigma)
	if !(unitLoss*shift <= mostLoss) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: at most %d is accounted", unitLoss*shift, mostLoss)
	}
	const least = 1e-290 // masses below are a bound of the tails
	log := func(k float64) float64 { return -(k / sigma) * (k / sigma) / 2 }
	reach := math.Ceil(sigma * math.Sqrt(-2*math.Log(least)))
	total := 0.0
	for k := reach; k >= 1; k-- {
		total += 2 * math.Exp(log(k))
	}
	total++
	// What is beyond the reach is below twice the first mass there over its geometric rest.
	f := &Finite{rel: 1e-14, aligned: true, spacing: unitLoss}
	if math.Mod(shift, 2) == 0 {
		f.spacing *= 2
	}
	for k := -reach; k <= reach+shift; k++ {
		q, p := math.Exp(log(k))/total, math.Exp(log(k-shift))/total
		loss := unitLoss * (2*k - shift)
		if p < least || q < least || math.Abs(loss) > mostLoss {
			f.tail += p + q
			continue
		}
		f.atoms = append(f.atoms, located{loss, Atom{p, q}})
	}
	f.tail = f.tail*1.001 + 1e-280
	return f, nil
}

// withTail makes room in the errors for what is not among the atoms, of either law a mass of at most tail.
func (f *Finite) withTail(c *lattice.Cells) {
	c.Err[2*c.N-1] += f.tail
	c.Err[0] += f.tail * math.Exp(float64(c.Lo)*c.H)
}
