package calibration

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
	"github.com/dpverify/dpverify/verify/replay"
)

// replayCases returns recorded and replayed releases of all kinds, sound and faulty.
func replayCases() (out []Case) {
	for _, k := range releaseKinds() {
		fault := "with its fault"
		if k.lowered {
			fault = "lowered"
		}
		pair := exactPair(k.name, fault, k.check)
		if k.sound {
			pair = pair[:1]
		}
		out = append(out, pair...)
	}
	for i := range out {
		out[i].fewer = 2
	}
	return out
}

// releaseKind is a release and the part of the claim that its fault violates.
type releaseKind struct {
	name     string
	part     replay.Part
	replaced bool // neighbors replace a record; otherwise they add or remove one
	lowered  bool // the fault lowers the declared or claimed number by a relative 1e-4 to 0.3
	sound    bool // there is no faulty form
	release  func(p releaseParameters, n *primitive.Noise, d []float64) ([]float64, error)
	claimed  func(p releaseParameters) float64 // nil means 1
}

// releaseParameters are the parameters of a release that every run draws.
type releaseParameters struct {
	bound, scale float64 // clipping bound of records, and scale of the noise
	calls        int
	share        float64 // factor of the declared or claimed number; below 1 if lowered
	broken       bool    // the release is faulty
}

const replayPairs = 60

// check draws a release and returns the check of its part, on pairs with up to five records inside and outside the
// bound.
func (k releaseKind) check(r *rand.Rand, isTrue bool) (verify.Check, error) {
	p := releaseParameters{bound: logUniform(r, 0.1, 10), scale: logUniform(r, 0.5, 20), calls: 2 + r.IntN(5), share: 1,
		broken: !isTrue}
	if !isTrue && k.lowered {
		p.share -= logUniform(r, 1e-4, 0.3)
	}
	claimed, adjacency := 1.0, inputs.AddOrRemoveOneRecord
	if k.claimed != nil {
		claimed = k.claimed(p)
	}
	if k.replaced {
		adjacency = inputs.ReplaceOneRecord
	}
	space := inputs.Datasets[float64]{Adjacency: adjacency, MaxRecords: 5,
		Values: []float64{0, p.bound, -p.bound, 3 * p.bound},
		Draw:   func(r *rand.Rand) float64 { return 4 * p.bound * (2*r.Float64() - 1) }}
	subject := func(n *primitive.Noise, _ *rand.Rand, d []float64) ([]float64, error) { return k.release(p, n, d) }
	return replay.Replay[[]float64]{Claim: privacy.ApproximateDP(claimed, 0), Space: space, Pairs: replayPairs,
		Subject: replay.Mechanism[[]float64, []float64](subject)}.PartCheck(k.part), nil
}

func clippedSum(d []float64, bound float64) (s float64) {
	for _, v := range d {
		s += math.Max(-bound, math.Min(bound, v))
	}
	return s
}

// sampledSum returns clippedSum of the records with the given indices.
func sampledSum(d []float64, members []int, bound float64) (s float64) {
	for _, i := range members {
		s += clippedSum(d[i:i+1], bound)
	}
	return s
}

// permuted returns a random permutation of the record indices.
func permuted(n *primitive.Noise, records int) ([]int, error) {
	order := make([]int, records)
	for i := range order {
		order[i] = i
	}
	return order, n.Permute(order)
}

// noisyValues releases each value by a separate Laplace call.
func noisyValues(n *primitive.Noise, v []float64, scale, sensitivity float64) ([]float64, error) {
	out := slices.Clone(v)
	for i := range out {
		var err error
		if out[i], err = n.Laplace(out[i], scale, sensitivity); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// countsAbove returns the number of records above each of five limits in magnitude.
func countsAbove(d []float64, bound float64) []float64 {
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
