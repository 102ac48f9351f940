package pairwise

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/pairwise"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// tilt is the loss φ(yy'·h(w; x, x')) with φ(t) = −slope·t and h = ⟨w, m⟩, m the longer of the rows x and x'. It
// satisfies Assumption 1: convex, slope·r-Lipschitz and 0-smooth. A record with a long row determines the gradient of
// every pair that contains it, which makes it the worst record for Lemma 4.
//
// A general tilt ignores the label of the second record. Losses of Assumption 1 cannot do this: it does not have the
// form φ(Y(y, y')h) with Y = y − y' or yy'. It has the same worst record.
type tilt struct {
	slope   float64
	general bool
}

func (tilt) Name() string  { return "tilt" }
func (tilt) Dim(d int) int { return d }
func (tilt) Convex() bool  { return true }
func (tilt) Check() error  { return nil }

func (l tilt) Lipschitz(rowNorm, _ float64) float64 { return l.slope * rowNorm }
func (tilt) Smoothness(_, _ float64) float64        { return 0 }

func (l tilt) Value(w []float64, a, b erm.Example) float64 {
	return -l.slope * l.sign(a, b) * longer(a.X, b.X).Dot(w)
}

func (l tilt) AddGradient(_ []float64, a, b erm.Example, c float64, dst []float64) {
	longer(a.X, b.X).AddTo(dst, -c*l.slope*l.sign(a, b))
}

func (l tilt) sign(a, b erm.Example) float64 {
	if l.general {
		return a.Y
	}
	return a.Y * b.Y
}

func longer(a, b dataset.Row) dataset.Row {
	if b.Norm() > a.Norm() {
		return b
	}
	return a
}

// tilted returns the problem of a tilt of slope 1 with α = L = 1 over [−R, R]: T₁ = 16, G = 1 + R.
func tilted(radius float64, general bool) (pairwise.Problem, error) {
	set, err := erm.NewL2Ball(1, radius)
	return pairwise.Stated(tilt{1, general}, set, 1, 1), err
}

// rows converts records of the sensitivity search to a data set of dimension 1.
func rows(records []sensitivity.Record) (*dataset.Dataset, error) {
	values, labels := make([]float64, len(records)), make([]float64, len(records))
	for i, r := range records {
		values[i], labels[i] = r.X[0], r.Y
	}
	return dataset.NewDense(1, values, labels)
}

// lastIterate runs Pairwise GIGA without noise and returns w_n.
func lastIterate(ctx context.Context, r *rand.Rand, p pairwise.Problem, records []sensitivity.Record) (float64, error) {
	data, err := rows(records)
	if err != nil {
		return math.NaN(), err
	}
	result, err := pairwise.GIGA(ctx, r, data, p, pairwise.Options{})
	if err != nil {
		return math.NaN(), err
	}
	return result.W[0], nil
}
