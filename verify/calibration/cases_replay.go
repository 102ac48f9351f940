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

// replayCases are releases that are recorded and replayed.
func replayCases() (out []Case, err error) {
	for _, row := range replayRows() {
		out = append(out, Case{Name: row.Name, True: row.True, Exact: true, Fewer: 2, Check: drawn(
			func(r *rand.Rand, _ verify.Settings) (verify.Check, error) { return row.Draw(r), nil })})
	}
	return out, nil
}

// replayRow is a kind of release of which one part is judged.
type replayRow struct {
	Name string
	True bool
	Draw func(r *rand.Rand) verify.Check
}

// tracedRelease is a release of one kind, drawn with its parameters.
type tracedRelease = func(n *primitive.Noise, d []float64) ([]float64, error)

// releaseKind is a release and the part that its fault breaks. share is 1, or less in a faulty one where it is lowered;
// broken tells one that is faulty otherwise.
type releaseKind struct {
	name      string
	part      replay.Part
	adjacency inputs.Adjacency
	lowered   bool // the fault is a share that is too low, by 1e-4 to .3
	sound     bool // there is no faulty form
	draw      func(p releaseParameters) (f tracedRelease, claimed float64)
}

// releaseParameters are the parameters of a draw.
type releaseParameters struct {
	bound, scale float64 // of records, and of noise
	calls        int
	share        float64
	broken       bool
}

const (
	replayPairs = 60
	addOne      = inputs.AddOrRemoveOneRecord
)

// replayRows are all kinds, sound and faulty.
func replayRows() (out []replayRow) {
	for _, k := range releaseKinds() {
		for _, sound := range []bool{true, false} {
			switch {
			case sound:
				out = append(out, replayRow{k.name, true, k.check(true)})
			case !k.sound && k.lowered:
				out = append(out, replayRow{k.name + ", lowered", false, k.check(false)})
			case !k.sound:
				out = append(out, replayRow{k.name + ", with its fault", false, k.check(false)})
			}
		}
	}
	return out
}

// check draws a release, and judges the part on pairs of up to five records, clipped and not.
func (k releaseKind) check(sound bool) func(r *rand.Rand) verify.Check {
	return func(r *rand.Rand) verify.Check {
		p := releaseParameters{bound: logUniform(r, 0.1, 10), scale: logUniform(r, 0.5, 20), calls: 2 + r.IntN(5), share: 1,
			broken: !sound}
		if !sound && k.lowered {
			p.share -= logUniform(r, 1e-4, 0.3)
		}
		f, claimed := k.draw(p)
		by := inputs.Datasets[float64]{Adjacency: k.adjacency, MaxRecords: 5,
			Values: []float64{0, p.bound, -p.bound, 3 * p.bound},
			Draw:   func(r *rand.Rand) float64 { return 4 * p.bound * (2*r.Float64() - 1) }}
		subject := func(n *primitive.Noise, _ *rand.Rand, d []float64) ([]float64, error) { return f(n, d) }
		return replay.Replay[[]float64]{Claim: privacy.ApproximateDP(claimed, 0), Space: by, Pairs: replayPairs,
			Subject: replay.Mechanism[[]float64, []float64](subject)}.PartCheck(k.part)
	}
}

func clippedSum(d []float64, bound float64) (s float64) {
	for _, v := range d {
		s += math.Max(-bound, math.Min(bound, v))
	}
	return s
}

// sampledRecords are the records of a sample.
func sampledRecords(d []float64, members []int) (sample []float64) {
	for _, i := range members {
		sample = append(sample, d[i])
	}
	return sample
}

// noisyValues releases each value by a Laplace call of its own.
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

// countsAbove are the numbers of records beyond each of five limits.
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
