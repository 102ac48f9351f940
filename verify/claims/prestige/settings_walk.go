package prestige

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/bounds"
	paper "github.com/dpverify/dpverify/bounds/printed"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/formula"
)

const (
	drawnRuns = 3      // that are drawn, with the intervals of their means
	drawnSet  = "A7A"  // whose rows and dimension they have
	learnt    = "data" // the purpose of the rows of a run
)

// withDrawnRuns adds to a check what runs of Algorithm 1 show of signal and noise along their updates, at ε of one
// update; no verdict rests on it.
func withDrawnRuns(of reading, check formula.Check) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		check := check
		check.Curves = &verify.PlottedCurves{Variable: "updates", Quantity: "length of the sum of steps, in units of R"}
		for i := range drawnRuns {
			if err := walk(ctx, s, of, fmt.Sprint(i), &check.Curves.Recorder); err != nil {
				return nil, err
			}
		}
		return check.Prepare(ctx, s)
	})
}

// walk is one run on as many rows as A7A has, whose labels a half-space gives.
func walk(ctx context.Context, s verify.Settings, of reading, run string, to *verify.CurveRecorder) error {
	var rows, dims float64
	for _, row := range paper.PrestigeTable2.Rows {
		if row.Name == drawnSet {
			var err1, err2 error
			rows, _, err1 = paper.PrestigeTable2.Number(row.Name, "Training")
			dims, _, err2 = paper.PrestigeTable2.Number(row.Name, "Features")
			if err1 != nil || err2 != nil {
				return fmt.Errorf("%s: %w, %w", drawnSet, err1, err2)
			}
		}
	}
	values, labels := make([]float64, 0, int(rows*dims)), make([]float64, int(rows))
	r := s.Stream(learnt, run)
	normal := onSphere(r, int(dims))
	for i := range labels {
		x := onSphere(r, int(dims))
		values, labels[i] = append(values, x...), math.Copysign(1, floats.Dot(x, normal))
	}
	data, err := dataset.NewDense(int(dims), values, labels)
	if err != nil {
		return err
	}
	// Half of the printed B is the one for which the mean of a private gradient is the gradient.
	l := constantB(learner{radius: 1, decrease: paper.PrestigeDecrease, epsilon: of(set{drawnSet, rows, dims})})
	w := &walked{to: to, signal: make([]float64, int(dims)), noise: make([]float64, int(dims))}
	l.watch = w
	_, err = l.run(ctx, s.Stream("walk", run), data)
	return err
}

// walked sums the steps of a run, what is expected of each given its gradient and what noise makes of it
// apart.
type walked struct {
	to            *verify.CurveRecorder
	signal, noise []float64
	gradient      []float64 // of the step that is drawn; nil where no gradient is privatised
	updates       float64
}

// Replay takes the gradient that is to be privatised.
func (w *walked) Replay(c primitive.Call, _ []float64) (bool, error) {
	w.gradient = nil
	if c.Kind == primitive.PrivateSampling {
		w.gradient = append([]float64(nil), c.Value...)
	}
	return false, nil
}

// Record adds a step, which is −η times what was released, and notes the lengths at powers of two.
func (w *walked) Record(released []float64) {
	if w.gradient == nil {
		return
	}
	w.updates++
	bound := floats.Norm(released, 2)
	eta := bounds.StepSize(leastLambda, 1, bound, w.updates)
	floats.AddScaled(w.signal, -eta, w.gradient)
	floats.AddScaled(w.noise, -eta, released)
	floats.AddScaled(w.noise, eta, w.gradient)
	if _, power := math.Frexp(w.updates); math.Ldexp(0.5, power) == w.updates {
		w.to.Add("noise", w.updates, floats.Norm(w.noise, 2))
		w.to.Add("signal: the same steps without noise", w.updates, floats.Norm(w.signal, 2))
	}
}
