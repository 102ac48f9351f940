package erm

// AUC is the loss φ((y-y')⟨w, x-x'⟩) of AUC maximization and bipartite ranking (Huai et al. 2020, Example 2, with
// φ = Logistic). Examples with the same label have the constant loss φ(0).
//
// Let r bound the norm of a row and R be the radius of the ball of w. The gradient is (y-y')φ'(t)(x-x') at t =
// (y-y')⟨w, x-x'⟩. As |y-y'| ≤ 2 and ‖x-x'‖ ≤ 2r, |t| ≤ 4rR, so G = 4r·G_φ(4rR) and L = 16r²·β_φ(4rR). The pair x
// = -x', ‖x‖ = r, with different labels and w along x, attains every bound, so the constants are the smallest.
type AUC struct{ Phi Loss }

// Name returns "auc/" followed by the name of φ.
func (l AUC) Name() string { return "auc/" + l.Phi.Name() }

// Check returns an error if φ is nil or a parameter of φ is outside its domain.
func (l AUC) Check() error { return CheckLoss(l.Phi) }

// Dim returns d, because w is a linear classifier.
func (AUC) Dim(d int) int { return d }

// Value returns φ((y-y')⟨w, x-x'⟩).
func (l AUC) Value(w []float64, a, b Example) float64 {
	return l.Phi.Value(l.argument(w, a, b))
}

// AddGradient adds c(y-y')φ'(t)(x-x') to dst, in time O(stored values). It adds nothing for examples with the same
// label.
func (l AUC) AddGradient(w []float64, a, b Example, c float64, dst []float64) {
	if a.Y == b.Y {
		return
	}
	slope := c * (a.Y - b.Y) * l.Phi.Derivative(l.argument(w, a, b))
	a.X.AddTo(dst, slope)
	b.X.AddTo(dst, -slope)
}

func (AUC) argument(w []float64, a, b Example) float64 {
	return (a.Y - b.Y) * (a.X.Dot(w) - b.X.Dot(w))
}

// Lipschitz returns 4r·G_φ(4rR), the smallest constant.
func (l AUC) Lipschitz(rowNorm, radius float64) float64 {
	return 4 * rowNorm * l.Phi.Lipschitz(4*rowNorm*radius)
}

// Smoothness returns 16r²·β_φ(4rR), the smallest constant.
func (l AUC) Smoothness(rowNorm, radius float64) float64 {
	return 16 * rowNorm * rowNorm * l.Phi.Smoothness(4*rowNorm*radius)
}

// Convex reports whether φ is convex. The argument of φ is linear in w.
func (l AUC) Convex() bool { return l.Phi.Convex() }
