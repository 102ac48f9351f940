// Package replaying has releases that are private by their primitives, up to the last digit of what they
// declare, and the same with one fault, for the checks of package trace.
package replaying

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/trace"
)

// Row is a kind of release of which one part is judged.
type Row struct {
	Name string
	True bool
	Draw func(r *rand.Rand) verify.Check
}

// release of one kind, drawn with its parameters.
type release = func(n *primitive.Noise, d []float64) ([]float64, error)

// kind is a release and the part that its fault breaks. share is 1, or less in a faulty one where it is lowered;
// broken tells one that is faulty otherwise.
type kind struct {
	name      string
	part      trace.Part
	adjacency neighbours.Adjacency
	lowered   bool // the fault is a share that is too low, by 1e-4 to .3
	sound     bool // there is no faulty form
	draw      func(p parameters) (f release, claimed float64)
}

// parameters of a draw.
type parameters struct {
	bound, scale float64 // of records, and of noise
	calls        int
	share        float64
	broken       bool
}

const (
	pairs  = 60
	addOne = neighbours.AddRemoveOne
)

// Rows are all kinds, sound and faulty.
func Rows() (out []Row) {
	for _, k := range kinds() {
		for _, sound := range []bool{true, false} {
			switch {
			case sound:
				out = append(out, Row{k.name, true, k.check(true)})
			case !k.sound && k.lowered:
				out = append(out, Row{k.name + ", lowered", false, k.check(false)})
			case !k.sound:
				out = append(out, Row{k.name + ", with its fault", false, k.check(false)})
			}
		}
	}
	return out
}

func logUniform(r *rand.Rand, low, high float64) float64 {
	return low * math.Pow(high/low, r.Float64())
}

// check draws a release, and judges the part on pairs of up to five records, clipped and not.
func (k kind) check(sound bool) func(r *rand.Rand) verify.Check {
	return func(r *rand.Rand) verify.Check {
		p := parameters{bound: logUniform(r, 0.1, 10), scale: logUniform(r, 0.5, 20), calls: 2 + r.IntN(5), share: 1,
			broken: !sound}
		if !sound && k.lowered {
			p.share -= logUniform(r, 1e-4, 0.3)
		}
		f, claimed := k.draw(p)
		by := neighbours.Datasets[float64]{Adjacency: k.adjacency, Most: 5,
			Values: []float64{0, p.bound, -p.bound, 3 * p.bound},
			Draw:   func(r *rand.Rand) float64 { return 4 * p.bound * (2*r.Float64() - 1) }}
		subject := func(n *primitive.Noise, _ *rand.Rand, d []float64) ([]float64, error) { return f(n, d) }
		return trace.Replay[[]float64]{Claim: privacy.ApproximateDP(claimed, 0), Space: by, Pairs: pairs,
			Subject: trace.Mechanism[[]float64, []float64](subject)}.Of(k.part)
	}
}

func clippedSum(d []float64, bound float64) (s float64) {
	for _, v := range d {
		s += math.Max(-bound, math.Min(bound, v))
	}
	return s
}

// taken are the records of a sample.
func taken(d []float64, members []int) (sample []float64) {
	for _, i := range members {
		sample = append(sample, d[i])
	}
	return sample
}

// noisy releases each value by a Laplace call of its own.
func noisy(n *primitive.Noise, v []float64, scale, sensitivity float64) ([]float64, error) {
	out := slices.Clone(v)
	for i := range out {
		var err error
		if out[i], err = n.Laplace(out[i], scale, sensitivity); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// above are the numbers of records beyond each of five limits.
func above(d []float64, bound float64) []float64 {
	out := make([]float64, 5)
	for _, v := range d {
		for i := range out {
			if math.Abs(v) > bound*float64(i)/2 {
				out[i]++
			}
		}
	}
	return out
}
