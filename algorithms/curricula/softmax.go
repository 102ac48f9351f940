package curricula

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
)

// Softmax is multi-class logistic regression with logits W x + b. θ is W, feature by feature with the classes next
// to each other, followed by b.
type Softmax struct {
	dim, classes int
	p            []float64 // scratch: logits, then probabilities
}

// NewSoftmax returns a model for dimension dim ≥ 1 and classes ≥ 2. It returns an error for other values and for
// more than 2²⁴ weights.
func NewSoftmax(dim, classes int) (*Softmax, error) {
	if dim < 1 || classes < 2 || dim > 1<<24/classes {
		return nil, fmt.Errorf("curricula: softmax regression of dimension %d in %d classes: want at least 1 and 2, and "+
			"at most 2²⁴ weights", dim, classes)
	}
	return &Softmax{dim, classes, make([]float64, classes)}, nil
}

func (s *Softmax) Params() int  { return (s.dim + 1) * s.classes }
func (s *Softmax) Dim() int     { return s.dim }
func (s *Softmax) Classes() int { return s.classes }

// Init draws weights from N(0, 10⁻⁴) and sets biases to 0.
func (s *Softmax) Init(r *rand.Rand, theta []float64) {
	clear(theta)
	for i := range s.dim * s.classes {
		theta[i] = 0.01 * rng.Normal(r)
	}
}

func (s *Softmax) logits(theta, x []float64) {
	copy(s.p, theta[s.dim*s.classes:])
	addRows(s.p, theta, x)
}

// Gradient adds (p − e_y) ⊗ (x, 1) to g and returns −log p_y.
func (s *Softmax) Gradient(theta, x []float64, y int, g []float64) float64 {
	s.logits(theta, x)
	loss := softmaxLoss(s.p, y)
	addOuter(g, s.p, x)
	for k, p := range s.p {
		g[s.dim*s.classes+k] += p
	}
	return loss
}

// Loss returns −log p_y.
func (s *Softmax) Loss(theta, x []float64, y int) float64 {
	s.logits(theta, x)
	return softmaxLoss(s.p, y)
}

// Predict returns the class with the largest logit.
func (s *Softmax) Predict(theta, x []float64) int {
	s.logits(theta, x)
	return largest(s.p)
}

// softmaxLoss replaces the logits z by the gradient p − e_y and returns −log p_y.
func softmaxLoss(z []float64, y int) float64 {
	top := z[largest(z)]
	shifted := z[y] - top
	sum := 0.0
	for k := range z {
		z[k] = math.Exp(z[k] - top)
		sum += z[k]
	}
	for k := range z {
		z[k] /= sum
	}
	z[y]--
	return math.Log(sum) - shifted
}

func largest(z []float64) int {
	best := 0
	for k, v := range z {
		if v > z[best] {
			best = k
		}
	}
	return best
}

// addRows adds Σ_k x_k W_k to out, where W_k is the k-th row of len(out) weights. It skips x_k = 0, which most
// pixels are.
func addRows(out, w, x []float64) {
	n := len(out)
	for k, v := range x {
		if v == 0 {
			continue
		}
		row := w[k*n : k*n+n]
		for j := range out {
			out[j] += v * row[j]
		}
	}
}

// addOuter adds x_k · d to the k-th row of g.
func addOuter(g, d, x []float64) {
	n := len(d)
	for k, v := range x {
		if v == 0 {
			continue
		}
		row := g[k*n : k*n+n]
		for j := range d {
			row[j] += v * d[j]
		}
	}
}
