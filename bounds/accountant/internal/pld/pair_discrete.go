package pld

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// NewDiscreteGaussian returns the pair of discrete Gaussians P(k) ∝ exp(−k²/2σ²) centered at an integer shift ≥ 1 and
// at 0. The losses shift·(2k − shift)/2σ² are on one lattice. sigma must be at most 1e4.
func NewDiscreteGaussian(sigma, shift float64) (*Finite, error) {
	unitLoss := shift / (2 * sigma * sigma)
	if !(unitLoss*shift <= mostLoss) {
		return nil, fmt.Errorf("a privacy loss of %.4g in one run: want at most %d", unitLoss*shift, mostLoss)
	}
	const smallest = 1e-290 // smaller probabilities are bounded as a tail
	log := func(k float64) float64 { return -(k / sigma) * (k / sigma) / 2 }
	reach := math.Ceil(sigma * math.Sqrt(-2*math.Log(smallest)))
	total := 0.0
	for k := reach; k >= 1; k-- {
		total += 2 * math.Exp(log(k))
	}
	total++
	// The probability beyond the reach is less than twice its first term, summed as a geometric series.
	f := &Finite{rel: 1e-14, aligned: true, spacing: unitLoss}
	f.beyond = &gaussianTail{rho: unitLoss * shift, from: unitLoss * (2*(reach+1) + shift), rate: 1}
	if math.Mod(shift, 2) == 0 {
		f.spacing *= 2
	}
	for k := -reach; k <= reach+shift; k++ {
		q, p := math.Exp(log(k))/total, math.Exp(log(k-shift))/total
		loss := unitLoss * (2*k - shift)
		if p < smallest || q < smallest || math.Abs(loss) > mostLoss {
			f.tail += p + q
			f.beyond.from = math.Min(f.beyond.from, math.Abs(loss))
			continue
		}
		f.atoms = append(f.atoms, located{loss, Atom{p, q}})
	}
	f.tail = f.tail*1.001 + 1e-280
	return f, nil
}

// withTail adds the tail, whose probability is at most tail under both distributions, to the errors.
func (f *Finite) withTail(c *Cells) {
	c.Err[2*c.N-1] += f.tail
	c.Err[0] += f.tail * math.Exp(float64(c.Lo)*c.H)
}

// gaussianTail describes the outputs of a discrete Gaussian that are not among the atoms. Before sampling at rate,
// their losses are at least from in absolute value. The divergence of order α is at most ρα (Canonne, Kamath & Steinke
// 2020, Proposition 5).
type gaussianTail struct{ rho, from, rate float64 }

// Rho returns an upper bound of D_α/α at all orders α for a discrete Gaussian, and +Inf for other pairs.
func (f *Finite) Rho() float64 {
	if f.beyond == nil {
		return math.Inf(1)
	}
	return f.beyond.rho
}

func (g *gaussianTail) sampled(q float64) *gaussianTail {
	if g == nil {
		return nil
	}
	return &gaussianTail{g.rho, g.from, g.rate * q}
}

// moment returns an upper bound of the log-moment of order alpha, given the moment of the atoms and the probability of
// the other outputs.
func (g *gaussianTail) moment(alpha, atoms, tail float64) float64 {
	if alpha < 0 {
		alpha = 1 - alpha // both orders have the same distribution before sampling
	}
	// Σ Q·R^α over R ≥ e^from is at most e^{−s·from} Σ Q·R^{α+s}. With sampling, use that R^α is convex.
	s := math.Max(0, (g.from/g.rho+1)/2-alpha)
	high := math.Log(g.rate) + (alpha+s)*(alpha+s-1)*g.rho - s*g.from
	_, all := numeric.MixtureRatio(g.rate, alpha*(alpha-1)*g.rho)
	more := numeric.LogAddExp(numeric.LogAddExp(atoms, high), math.Log(2*tail))
	return math.Min(all, more) + 1e-13*(1+math.Abs(all))
}
