package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/internal/rng"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// sensitivityCases returns maps with sensitivities in closed form. In false claims the number is lowered by 0.01 % to
// 30 %, or the map clips coordinates instead of the norm.
func sensitivityCases() (out []Case) {
	for _, m := range []struct {
		name string
		draw func(r *rand.Rand) sensitivityDraw
	}{
		{"mean of the records, one replaced", meanMap},
		{"sum of the records, one removed", sumMap},
		{"sum of logistic gradients, shared weights", gradientMap},
		{"records clipped to norm C", clipMap},
		{"mean with coins", coinMap},
		{"counts of labels, every pair tried", countMap},
	} {
		out = append(out, exactPair(m.name, "claim lowered", func(r *rand.Rand, isTrue bool) (verify.Check, error) {
			share := 1.0
			if !isTrue {
				share -= logUniform(r, 1e-4, 0.3)
			}
			return m.draw(r).check(share), nil
		})...)
	}
	return append(out, exactCase("coordinates clipped to C in place of the norm", false,
		func(r *rand.Rand) (verify.Check, error) {
			d := clipMap(r)
			d.cell.Records.Dim = max(2, d.cell.Records.Dim)
			d.cell.OutputLength = d.cell.Records.Dim
			d.cell.Map, d.faulty = clipEach(d.supremum), true
			return d.check(1), nil
		}))
}

// sensitivityDraw is a drawn map with its domain and its sensitivity.
type sensitivityDraw struct {
	norm      sensitivity.Norm
	adjacency inputs.Adjacency
	cell      sensitivity.Cell
	supremum  float64
	faulty    bool // the map's sensitivity exceeds supremum
}

// check returns a claim of share times the sensitivity. If the map is not faulty, the check also gets the true
// sensitivity.
func (d sensitivityDraw) check(share float64) verify.Check {
	d.cell.Place = fmt.Sprintf("n = %d, d = %d", d.cell.N, d.cell.Records.Dim)
	d.cell.Claimed = share * d.supremum
	proof := ""
	if !d.faulty {
		d.cell.Tight, proof = verify.Num(d.supremum), "a closed form"
	}
	return sensitivity.Check{Quantity: "the map", Norm: d.norm, Adjacency: d.adjacency, Cells: []sensitivity.Cell{d.cell},
		Proof: proof, Evaluations: 4000}
}

// drawDomain draws a domain of 1 to 6 records with 1 to 4 coordinates in a ball. The map's output has the dimension
// and the norm of the records.
func drawDomain(r *rand.Rand, adjacency inputs.Adjacency, norms ...sensitivity.Norm) sensitivityDraw {
	dim, norm := between(r, 1, 4), norms[r.IntN(len(norms))]
	records := sensitivity.Records{Ball: sensitivity.Ball{Dim: dim, Norm: norm, Radius: logUniform(r, 0.1, 10)}}
	return sensitivityDraw{norm: norm, adjacency: adjacency,
		cell: sensitivity.Cell{N: between(r, 1, 6), Records: records, OutputLength: dim}}
}

var allNorms = []sensitivity.Norm{sensitivity.L1, sensitivity.L2, sensitivity.LInf}

// eachRecord returns the map that sums f over the records. f adds to dst.
func eachRecord(f func(in sensitivity.Input, rec sensitivity.Record, dst []float64)) func(*rand.Rand, sensitivity.Input,
	[]float64) error {
	return func(_ *rand.Rand, in sensitivity.Input, dst []float64) error {
		for _, rec := range in.Records {
			f(in, rec, dst)
		}
		return nil
	}
}

func addTo(dst, x []float64, factor float64) {
	for i, v := range x {
		dst[i] += factor * v
	}
}

// meanMap returns the mean of the records, with sensitivity 2R/n.
func meanMap(r *rand.Rand) sensitivityDraw {
	d := drawDomain(r, inputs.ReplaceOneRecord, allNorms...)
	n := float64(d.cell.N)
	d.supremum = 2 * d.cell.Records.Radius / n
	d.cell.Map = eachRecord(func(_ sensitivity.Input, rec sensitivity.Record, dst []float64) { addTo(dst, rec.X, 1/n) })
	return d
}

// sumMap returns the sum of the records, with sensitivity R.
func sumMap(r *rand.Rand) sensitivityDraw {
	d := drawDomain(r, inputs.AddOrRemoveOneRecord, allNorms...)
	d.supremum = d.cell.Records.Radius
	d.cell.Map = eachRecord(func(_ sensitivity.Input, rec sensitivity.Record, dst []float64) { addTo(dst, rec.X, 1) })
	return d
}

// gradientMap returns the sum of −y σ(−y⟨w, x⟩) x over the records, ‖x‖ ≤ R, ‖w‖ ≤ W, y = ±1. Its sensitivity is
// Rσ(RW), attained if w and yx have opposite directions.
func gradientMap(r *rand.Rand) sensitivityDraw {
	d := drawDomain(r, inputs.AddOrRemoveOneRecord, sensitivity.L2)
	d.cell.Records.Radius = logUniform(r, 0.3, 3)
	d.cell.Records.Labels = []float64{-1, 1}
	d.cell.Shared = sensitivity.Ball{Dim: d.cell.Records.Dim, Norm: sensitivity.L2, Radius: logUniform(r, 0.3, 3)}
	d.supremum = d.cell.Records.Radius / (1 + math.Exp(-d.cell.Records.Radius*d.cell.Shared.Radius))
	d.cell.Map = eachRecord(func(in sensitivity.Input, rec sensitivity.Record, dst []float64) {
		margin := 0.0
		for i, v := range rec.X {
			margin += rec.Y * v * in.Shared[i]
		}
		addTo(dst, rec.X, -rec.Y/(1+math.Exp(margin)))
	})
	return d
}

// clipMap returns the sum of records clipped to norm C from a larger ball, with sensitivity C.
func clipMap(r *rand.Rand) sensitivityDraw {
	d := drawDomain(r, inputs.AddOrRemoveOneRecord, sensitivity.L2)
	d.supremum = d.cell.Records.Radius / (1.5 + 3*r.Float64())
	d.cell.Map = eachRecord(func(_ sensitivity.Input, rec sensitivity.Record, dst []float64) {
		size := 0.0
		for _, v := range rec.X {
			size = math.Hypot(size, v)
		}
		addTo(dst, rec.X, 1/math.Max(1, size/d.supremum))
	})
	return d
}

// clipEach returns the sum of records of which each coordinate is clipped to [−c, c].
func clipEach(c float64) func(*rand.Rand, sensitivity.Input, []float64) error {
	return eachRecord(func(_ sensitivity.Input, rec sensitivity.Record, dst []float64) {
		for i, v := range rec.X {
			dst[i] += math.Max(-c, math.Min(c, v))
		}
	})
}

// coinMap returns meanMap times a random sign, plus noise. Both runs share the sign and the noise.
func coinMap(r *rand.Rand) sensitivityDraw {
	d := meanMap(r)
	mean := d.cell.Map
	d.cell.Map = func(r *rand.Rand, in sensitivity.Input, dst []float64) error {
		err := mean(r, in, dst)
		side := sign(r)
		for i := range dst {
			dst[i] = side*dst[i] + rng.Normal(r)
		}
		return err
	}
	return d
}

// countMap returns the counts of k labels. Its ℓ1 sensitivity is 2 if a record is replaced, and 1 if it is removed.
func countMap(r *rand.Rand) sensitivityDraw {
	k := between(r, 2, 4)
	d := sensitivityDraw{norm: sensitivity.L1, adjacency: inputs.AddOrRemoveOneRecord, supremum: 1,
		cell: sensitivity.Cell{N: between(r, 1, 4), OutputLength: k}}
	if r.Uint64()&1 == 0 {
		d.adjacency, d.supremum = inputs.ReplaceOneRecord, 2
	}
	for label := range k {
		d.cell.Records.Labels = append(d.cell.Records.Labels, float64(label))
	}
	d.cell.Map = eachRecord(func(_ sensitivity.Input, rec sensitivity.Record, dst []float64) { dst[int(rec.Y)]++ })
	return d
}
