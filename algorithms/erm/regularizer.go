package erm

// L2 is the regulariser (λ/2)‖w‖² with Lambda = λ ≥ 0.
type L2 struct{ Lambda float64 }

// Value is (λ/2)‖w‖².
func (g L2) Value(w []float64) float64 {
	sum := 0.0
	for _, v := range w {
		sum += v * v
	}
	return g.Lambda / 2 * sum
}

// Gradient writes λw to dst, which has the length of w.
func (g L2) Gradient(w, dst []float64) {
	dst = dst[:len(w)]
	for k, v := range w {
		dst[k] = g.Lambda * v
	}
}

// Lipschitz is the Lipschitz constant on the ball ‖w‖ ≤ radius: λ·radius.
func (g L2) Lipschitz(radius float64) float64 { return g.Lambda * radius }
