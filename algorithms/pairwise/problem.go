package pairwise

import (
	"fmt"
	"math"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/internal/domain"
)

// Problem is the minimization of the pairwise loss
//
//	ℓ(w; z, z') = φ(Y(y, y')·h(w; x, x')) + (Ridge/2)‖w - Center‖²
//
// over a convex set, with the constants from which the algorithms compute their steps and their noise.
type Problem struct {
	Loss   erm.PairLoss
	Ridge  float64   // ≥ 0; λ of the experiments, α of Algorithms 2 and 4
	Center []float64 // has the set's dimension; nil is the origin
	Set    erm.Set   // C

	// G, L and Alpha are the constants of ℓ with its ridge, in w over Set, for the rows in use: G-Lipschitz,
	// L-smooth, Alpha-strongly convex, all finite, 0 < Alpha ≤ L. The caller states them; they are not checked
	// against the data, and privacy depends on G and L. See Stated.
	G, L, Alpha float64
}

// Preparation returns the preparation of a data set in the experiments: missing values are filled as
// [dataset.Known] states, columns are standardized, and rows are scaled to norm 1. The paper does not state how
// its rows were prepared. Unknown data sets have no filling.
func Preparation(set string) dataset.Preparation {
	known, _ := dataset.Known(set) // zero if unknown
	p := known.Preparation
	p.Standardize, p.Scale = true, dataset.ScaleRows
	return p
}

// Stated returns the problem with a ridge about the origin. It computes the constants from the loss's own, for
// rows of norm at most rowNorm > 0: G + ridge·max‖w‖, L + ridge, and ridge. With ridge = 0, which Algorithms 2 and
// 4 require, Alpha is 0.
func Stated(loss erm.PairLoss, set erm.Set, ridge, rowNorm float64) Problem {
	radius := set.MaxNorm()
	return Problem{
		Loss: loss, Ridge: ridge, Set: set,
		G: loss.Lipschitz(rowNorm, radius) + ridge*radius, L: loss.Smoothness(rowNorm, radius) + ridge, Alpha: ridge,
	}
}

// Regularized returns the problem with the loss ℓ̃ = ℓ + (α/2)‖w - center‖² and the constants of step 4 of
// Algorithms 2 and 4: G + α‖C‖₂, L + α and α, where ‖C‖₂ is the diameter of the set (Theorem 2). p.Ridge must be
// 0. alpha is finite and > 0. center is a member of the set; the problem keeps the slice.
func (p Problem) Regularized(alpha float64, center []float64) (Problem, error) {
	if err := domain.Positive("pairwise", "alpha", alpha); err != nil {
		return Problem{}, err
	}
	if p.Ridge != 0 {
		return Problem{}, fmt.Errorf("pairwise: the loss already has a ridge of %v: want 0, since Algorithms 2 and 4 "+
			"add a regularizer", p.Ridge)
	}
	if p.Set == nil {
		return Problem{}, domain.Error("pairwise", "set", nil, "a constraint set")
	}
	p.Ridge, p.Center = alpha, center
	p.G, p.L, p.Alpha = p.G+alpha*p.Set.Diameter(), p.L+alpha, alpha
	return p, nil
}

// check returns an error if the problem is invalid for these data.
func (p Problem) check(data *dataset.Dataset) error {
	switch {
	case data == nil:
		return fmt.Errorf("pairwise: no data")
	case p.Loss == nil:
		return domain.Error("pairwise", "loss", nil, "a pair loss, for example erm.AUC{Phi: erm.Logistic{}}")
	case p.Set == nil:
		return domain.Error("pairwise", "set", nil, "a constraint set")
	case !(p.Ridge >= 0 && p.Ridge <= math.MaxFloat64):
		return domain.Error("pairwise", "ridge", p.Ridge, "finite and >= 0")
	}
	if err := p.Loss.Check(); err != nil {
		return err
	}
	dim := p.Set.Dim()
	if want := p.Loss.Dim(data.Dim()); dim != want {
		return fmt.Errorf("pairwise: the set has dimension %d; rows of dimension %d with the loss %s need %d", dim,
			data.Dim(), p.Loss.Name(), want)
	}
	if p.Center != nil && !p.Set.Contains(p.Center, 1e-9) {
		return fmt.Errorf("pairwise: the center of the regularizer is not a member of the set %s", p.Set.Name())
	}
	for _, c := range []struct {
		name  string
		value float64
	}{{"G", p.G}, {"L", p.L}, {"alpha", p.Alpha}} {
		if err := domain.Positive("pairwise", c.name, c.value); err != nil {
			return err
		}
	}
	if p.Alpha > p.L {
		return fmt.Errorf("pairwise: alpha = %v exceeds L = %v: the strong convexity of a loss cannot exceed its "+
			"smoothness", p.Alpha, p.L)
	}
	return nil
}

// Value returns ℓ(w; a, b) with its ridge. w has the set's dimension.
func (p Problem) Value(w []float64, a, b erm.Example) float64 {
	return p.Loss.Value(w, a, b) + p.ridge(w)
}

func (p Problem) ridge(w []float64) float64 {
	if p.Ridge == 0 {
		return 0
	}
	sum := 0.0
	for k, v := range w {
		v -= p.center(k)
		sum += v * v
	}
	return p.Ridge / 2 * sum
}

func (p Problem) center(k int) float64 {
	if p.Center == nil {
		return 0
	}
	return p.Center[k]
}

// gradient writes the gradient of L̂_t at w to dst (eq. (3)): the mean over the pairs of record t-1 (from 0) with
// earlier records. t ≥ 2.
func (p Problem) gradient(data *dataset.Dataset, t int, w, dst []float64) {
	clear(dst)
	share := 1 / float64(t-1)
	if auc, ok := p.Loss.(erm.AUC); ok {
		aucGradient(auc, data, t, w, share, dst)
	} else {
		current := example(data, t-1)
		for i := range t - 1 {
			p.Loss.AddGradient(w, current, example(data, i), share, dst)
		}
	}
	if p.Ridge != 0 {
		for k, v := range w {
			dst[k] += p.Ridge * (v - p.center(k))
		}
	}
}

// aucGradient computes the inner product of w with z_t once, and adds z_t's part of the gradient at the end.
func aucGradient(loss erm.AUC, data *dataset.Dataset, t int, w []float64, share float64, dst []float64) {
	x, y := data.Row(t-1), data.Label(t-1)
	score, total := x.Dot(w), 0.0
	for i := range t - 1 {
		d := y - data.Label(i)
		if d == 0 {
			continue
		}
		row := data.Row(i)
		slope := share * d * loss.Phi.Derivative(d*(score-row.Dot(w)))
		row.AddTo(dst, -slope)
		total += slope
	}
	x.AddTo(dst, total)
}

// penalty returns L̂_t(w) of eq. (3). t ≥ 2.
func (p Problem) penalty(data *dataset.Dataset, t int, w []float64) float64 {
	current, sum := example(data, t-1), 0.0
	for i := range t - 1 {
		sum += p.Loss.Value(w, current, example(data, i))
	}
	return sum/float64(t-1) + p.ridge(w)
}

func example(data *dataset.Dataset, i int) erm.Example {
	return erm.Example{X: data.Row(i), Y: data.Label(i)}
}
