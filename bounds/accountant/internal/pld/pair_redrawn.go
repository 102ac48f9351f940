package pld

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// Redrawn bounds a sum with Gaussian noise over draws with replacement, of which a replaced record gets K. Its losses
// above 0 are those of a pair that dominates at ε ≥ 0; it must be folded. Weights are probabilities of K, and Mu is
// twice the largest contribution of one draw, in standard deviations of the noise.
//
// The draws that are not the record are independent of K and of each other, so take b of them, y₁ … y_b, and let the
// record take the place of the first K. Reveal y. Then P = Σ w_k N(u_k) and Q = Σ w_k N(v_k) with u₀ = v₀, where u_k =
// u₀ + Σ_{i≤k} (x − y_i), v_k has x′ for x, and all distances of u_k from v_k and from v₀ are at most kμ. Let a test
// have the power p_k at u_k and the error a_k at v_k, and let m = Φ⁻¹(a₀). Then p₀ = a₀, and p_k ≤ Φ(y + kμ) for y =
// min(m, Φ⁻¹(a_k)). So for every t = e^ε ≥ 1
//
//	Σ w_k (p_k − t a_k) ≤ sup over m of w₀(1 − t)Φ(m) + Σ_{k≥1} w_k max over y ≤ m of Φ(y + kμ) − tΦ(y).
//
// The maximum over y is at −x/(kμ) − kμ/2 for x = log t, or at m if that is smaller. The derivative by m vanishes where
//
//	Σ_{k≥1} w_k (e^{−kμm − k²μ²/2} − t)⁺ = w₀(t − 1).
//
// As a supremum of linear functions of t, the bound is convex in t, so it is the curve δ(ε) of a pair. Its slope is
// minus the probability under Q of a loss above ε. If every component has e^{−kμm − k²μ²/2} ≥ t, the bound is the curve
// of Σ w_k N(kμ) against N(0), which neighbors attain: all other records are opposite to the record, and so is the
// record that replaces it.
type Redrawn struct {
	Mu      float64
	Weights []float64 // of K = 0, 1, …
	Beyond  float64   // probability of a larger K, which counts as infinite loss
}

// NewRedrawn returns the pair for a number of draws from records, of which at least 2 exist, and the pair that
// neighbors attain. In the latter, K of probability below 1e-12 count as the largest other one, which moves the sum
// less.
func NewRedrawn(draws, records int64, mu float64) (above *Redrawn, below *Normal, err error) {
	const smallest, rare, most = 1e-22, 1e-12, 200
	r := &Redrawn{Mu: mu}
	q := 1 / float64(records)
	for k := 0.0; ; k++ {
		r.Weights = append(r.Weights, math.Exp(numeric.LogBinomial(float64(draws), k, q, 1-q)))
		if r.Beyond = numeric.BinomialTail(draws, q, k+1); r.Beyond <= smallest && k > 0 {
			break
		}
		if k > most {
			return nil, nil, fmt.Errorf("a record may be drawn more than %d times: want fewer draws", most)
		}
	}
	last := len(r.Weights) - 1
	if largest := mu * float64(last); !(largest <= 1e4 && mu >= 1e-100) {
		return nil, nil, fmt.Errorf("%d draws of a record move the sum by %.4g standard deviations: want 1e-100 to 1e4",
			last, largest)
	}
	below = &Normal{Rest: r.Weights[0]}
	for k, w := range r.Weights[1:] {
		if n := len(below.Shifts); k > 0 && w < rare {
			below.Shifts[n-1].Weight += w
			continue
		}
		below.Shifts = append(below.Shifts, Shift{Mu: mu * float64(k+1), Weight: w})
	}
	return r, below, nil
}

// Losses returns a range whose end is above the losses at most of the outputs of every likely component.
func (r *Redrawn) Losses(tail float64) (low, high float64) {
	likely, rest := len(r.Weights)-1, 0.0
	for ; likely > 1 && rest+r.Weights[likely] <= tail/2; likely-- {
		rest += r.Weights[likely]
	}
	y := r.Mu*float64(likely) + numeric.TailPoint(math.Log(tail/2))
	for k, w := range r.Weights {
		high = numeric.LogAddExp(high, math.Log(w)-math.Log(r.Weights[0])+r.loss(k, y))
	}
	return 0, high
}

// loss returns the loss of component k at output y.
func (r *Redrawn) loss(k int, y float64) float64 {
	shift := r.Mu * float64(k)
	return shift * (y - shift/2)
}

// outputAt returns −m at x = log t > 0. The equation for m divided by t is convex and increasing in −m, so Newton's
// steps from the right stay right of the root.
func (r *Redrawn) outputAt(x float64) float64 {
	target := -r.Weights[0] * math.Expm1(-x)
	y := math.Inf(1)
	for k, w := range r.Weights[1:] {
		shift := r.Mu * float64(k+1)
		y = math.Min(y, (x+math.Log1p(target/w))/shift+shift/2)
	}
	for range 100 {
		value, slope := -target, 0.0
		for k, w := range r.Weights[1:] {
			if over := r.loss(k+1, y) - x; over > 0 {
				value += w * math.Expm1(over)
				slope += w * math.Exp(over) * r.Mu * float64(k+1)
			}
		}
		step := value / slope
		if !(step > 4*unit*math.Abs(y)) {
			break
		}
		y -= step
	}
	return y
}

// threshold is the output above which a component has a loss above a given one, and its tails there: under P around its
// shift, and under Q around 0.
type threshold struct {
	size float64 // bound of the arguments of both tails
	p, q tailOf
}

func (r *Redrawn) thresholds(x float64) (all []threshold) {
	y := r.Mu / 2 // the limit at x = 0
	if x > 0 {
		y = r.outputAt(x)
	}
	for k := range r.Weights {
		shift, at := r.Mu*float64(k), y
		if k > 0 {
			at = math.Max(y, x/shift+shift/2)
		}
		all = append(all, threshold{math.Abs(at) + shift, newTail(at-shift, x), newTail(at, x)})
	}
	return all
}

// Cells computes the probabilities of losses above 0.
func (r *Redrawn) Cells(h, tail float64) (above, below *Cells) {
	_, high := r.Losses(tail)
	c := NewCells(h, 0, max(1, int(math.Ceil(high/h*(1+1e-12)+1e-9))))
	most := r.Mu * float64(len(r.Weights)-1)
	c.Jitter = 64 * unit * (1 + high + most*most)
	c.Rel += 1e-12 // of the weights
	c.Lost, c.LostQ = r.Beyond, r.Beyond
	x, left := 0.0, r.thresholds(0)
	for j := range c.P {
		next := float64(j+1) * h / 2
		at, right := float64(Touched(j))*h, r.thresholds(next)
		da, db := math.Exp(at-x), math.Exp(at-next)
		for k, w := range r.Weights {
			a, b := left[k], right[k]
			p, _ := between(a.p, b.p, at, da, db)
			_, rho := between(a.q, b.q, at, da, db)
			c.P[j] += w * p
			c.Rho[j] += w * rho
			tails := a.p.mass + b.p.mass + a.q.scaled*da + b.q.scaled*db
			c.Err[j] += w * 4 * unit * (16 + b.size*b.size + at) * (tails + p + rho)
		}
		x, left = next, right
	}
	for k, w := range r.Weights {
		c.PHigh += w * beyond(left[k].p, false)
		c.QHigh += w * beyond(left[k].q, false)
	}
	return c, c
}

// LogMoment bounds the moment of the losses above 0. The bound of δ is at most the curve of the pair that draws and
// reveals K given K > 0, and then moves the sum by Kμ with probability 1 − w₀. Let M be this pair's moment. For a ratio
// ρ = P/Q, (ρ^α − 1)⁺ is convex in ρ, so E[ρ^α; ρ > 1] ≤ E[(ρ^α − 1)⁺] + 1 ≤ M + 1 ≤ 2M.
func (r *Redrawn) LogMoment(alpha float64) Interval {
	n := Normal{Rest: r.Weights[0]}
	for k, w := range r.Weights[1:] {
		n.Shifts = append(n.Shifts, Shift{r.Mu * float64(k+1), w})
	}
	return Interval{none, n.LogMoment(alpha).High + math.Ln2}
}

// Lattice returns no spacing, since there are no atoms.
func (r *Redrawn) Lattice() (spacing float64, ok bool) { return 0, true }

// Smooth returns true: the losses have a density.
func (r *Redrawn) Smooth() bool { return true }

// Lost returns the probability of more draws of the record than Weights has.
func (r *Redrawn) Lost() (p, q Interval) { return Interval{0, r.Beyond}, Interval{0, r.Beyond} }

// Most returns +Inf: losses are unbounded.
func (r *Redrawn) Most() Interval { return Interval{math.Inf(1), math.Inf(1)} }

// Symmetric returns false: only losses above 0 are described.
func (r *Redrawn) Symmetric() bool { return false }

// Sampled returns an error: the pair describes replaced records.
func (r *Redrawn) Sampled(float64) (Pair, error) {
	return nil, fmt.Errorf("sampling a batch with replacement is not supported")
}
