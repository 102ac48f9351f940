package dpsgd

import (
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/primitive"
)

// repeated stores the first noise of a training and releases it in all later steps. If batches is set, it reuses
// the first batch in the same way. It watches one training.
type repeated struct {
	batches bool

	value, noise []float64
	batch        []float64
	last         primitive.Kind
}

// Replay releases the stored noise or batch if there is one.
func (w *repeated) Replay(c primitive.Call, released []float64) (ok bool, err error) {
	w.last = c.Kind
	switch c.Kind {
	case primitive.Gaussian, primitive.L2Laplace:
		if w.noise != nil {
			floats.AddTo(released, c.Value, w.noise)
			return true, nil
		}
		w.value = slices.Clone(c.Value)
	case primitive.Poisson:
		if w.batches && w.batch != nil {
			copy(released, w.batch)
			return true, nil
		}
	}
	return false, nil
}

// Record stores the noise or the batch of the call before.
func (w *repeated) Record(released []float64) {
	switch w.last {
	case primitive.Gaussian, primitive.L2Laplace:
		w.noise = slices.Clone(released)
		floats.Sub(w.noise, w.value)
	case primitive.Poisson:
		w.batch = slices.Clone(released)
	}
}

// watch returns the watch that introduces the fault, nil if the fault repeats nothing.
func (f Fault) watch() primitive.Watch {
	switch f {
	case NoiseOnce:
		return &repeated{}
	case SameSeed:
		return &repeated{batches: true}
	}
	return nil
}
