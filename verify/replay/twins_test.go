package replay

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/internal/testutil"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/privacy"
)

type (
	data      = []float64
	mechanism = Mechanism[data, any]
)

// one makes a mechanism of a release that draws only from primitives.
func one[O any](f func(n *primitive.Noise, d data) (O, error)) mechanism {
	return func(n *primitive.Noise, _ *rand.Rand, d data) (any, error) { return f(n, d) }
}

func clip(v, lo, hi float64) float64 { return math.Max(lo, math.Min(hi, v)) }

func sum(d data, lo, hi float64) (s float64) {
	for _, v := range d {
		s += clip(v, lo, hi)
	}
	return s
}

var inf = math.Inf(1)

// twins pairs releases that have one fault with their sound form.
var twins = []struct {
	name          string
	part          Part
	adjacency     inputs.Adjacency
	a, b          data // a pair that shows the fault
	faulty, sound mechanism
	says          string // expected in the finding
}{
	{"forgotten clipping", Sensitivity, inputs.AddOrRemoveOneRecord, data{5}, data{},
		one(func(n *primitive.Noise, d data) (float64, error) { return n.Laplace(sum(d, -inf, inf), 1, 1) }),
		one(func(n *primitive.Noise, d data) (float64, error) { return n.Laplace(sum(d, 0, 1), 1, 1) }),
		"call 1, laplace at twins_test.go:"},
	{"clipping after the sum", Sensitivity, inputs.AddOrRemoveOneRecord, data{5}, data{},
		one(func(n *primitive.Noise, d data) (float64, error) {
			return n.Laplace(clip(sum(d, -inf, inf), 0, 3), 1, 1)
		}),
		one(func(n *primitive.Noise, d data) (float64, error) { return n.Laplace(clip(sum(d, 0, 1), 0, 3), 1, 1) }),
		"differ by 3 in the norm l1, but the declared sensitivity is 1"},
	{"sensitivity of add or remove", Sensitivity, inputs.ReplaceOneRecord, data{5}, data{-5},
		one(func(n *primitive.Noise, d data) (float64, error) { return n.Gaussian(sum(d, -1, 1), 2, 1) }),
		one(func(n *primitive.Noise, d data) (float64, error) { return n.Gaussian(sum(d, -1, 1), 4, 2) }),
		"is given 1 in A and -1 in B"},
	{"count used as if public", Release, inputs.AddOrRemoveOneRecord, data{1}, data{1, 1},
		one(func(n *primitive.Noise, d data) (float64, error) {
			s, err := n.Laplace(sum(d, 0, 1), 1, 1)
			return s / float64(len(d)), err
		}),
		one(func(n *primitive.Noise, d data) (float64, error) {
			s, err := n.Laplace(sum(d, 0, 1), 2, 1)
			if err != nil {
				return 0, err
			}
			count, err := n.Laplace(float64(len(d)), 2, 1)
			return s / math.Max(1, count), err
		}), "output is"},
	{"branch on a private value", Flow, inputs.AddOrRemoveOneRecord, data{1, 1}, data{1},
		one(func(n *primitive.Noise, d data) (float64, error) {
			if sum(d, 0, 1) > 1.5 {
				return n.Laplace(sum(d, 0, 1), 2, 1)
			}
			return n.Laplace(sum(d, 0, 1), 1, 1)
		}),
		one(func(n *primitive.Noise, d data) (float64, error) {
			count, err := n.Laplace(float64(len(d)), 2, 1)
			if err != nil || count < 1.5 {
				return count, err
			}
			return n.Laplace(sum(d, 0, 1), 2, 1)
		}), "the run on A calls laplace at twins_test.go:"},
	{"noise scale from the data", Flow, inputs.AddOrRemoveOneRecord, data{1, 5}, data{1},
		one(func(n *primitive.Noise, d data) (float64, error) {
			most := slices.Max(append(data{1}, d...))
			return n.Laplace(sum(d, 0, most), most, most)
		}),
		one(func(n *primitive.Noise, d data) (float64, error) { return n.Laplace(sum(d, 0, 5), 5, 5) }), "scale 5"},
	{"unaccounted second query", Account, inputs.AddOrRemoveOneRecord, data{5}, data{},
		one(func(n *primitive.Noise, d data) ([]float64, error) {
			s, err := n.Laplace(sum(d, 0, 1), 1, 1)
			if err != nil {
				return nil, err
			}
			count, err := n.Laplace(float64(len(d)), 1, 1)
			return []float64{s, count}, err
		}),
		one(func(n *primitive.Noise, d data) ([]float64, error) {
			both := []float64{sum(d, 0, 1), float64(len(d))}
			return both, n.Laplaces(both, 2, 2)
		}), "2 of them, have a total privacy loss of 2"},
	{"one draw for two releases", Release, inputs.AddOrRemoveOneRecord, data{1}, data{},
		one(func(n *primitive.Noise, d data) ([]float64, error) {
			s, err := n.Laplace(sum(d, 0, 1), 1, 1)
			return []float64{s, float64(len(d)) + s - sum(d, 0, 1)/2}, err
		}),
		one(func(n *primitive.Noise, d data) ([]float64, error) {
			s, err := n.Laplace(sum(d, 0, 1), 1, 1)
			return []float64{s, 2 * s}, err
		}), "output[1] is"},
	{"early return on no data", Flow, inputs.AddOrRemoveOneRecord, data{1}, data{},
		one(func(n *primitive.Noise, d data) (float64, error) {
			if len(d) == 0 {
				return 0, nil
			}
			return n.Laplace(sum(d, 0, 1), 1, 1)
		}),
		one(func(n *primitive.Noise, d data) (float64, error) { return n.Laplace(sum(d, 0, 1), 1, 1) }),
		"and the run on B ends"},
	{"raw count in a histogram", Sensitivity, inputs.AddOrRemoveOneRecord, data{5, 5}, data{5},
		one(func(n *primitive.Noise, d data) ([]int, error) {
			bins := make([]int, 2)
			for _, v := range d {
				bins[min(1, int(math.Abs(v)))] += int(math.Abs(v))
			}
			return bins, n.DiscreteLaplace(bins, 1, 1)
		}),
		one(func(n *primitive.Noise, d data) ([]int, error) {
			bins := make([]int, 2)
			for _, v := range d {
				bins[min(1, int(math.Abs(v)))]++
			}
			return bins, n.DiscreteLaplace(bins, 1, 1)
		}), "discrete-laplace"},
	{"unclipped sampled gradient", Sensitivity, inputs.AddOrRemoveOneRecord, data{5, 5, 5}, data{5, 5},
		sampled(-inf, inf), sampled(-1, 1), "gaussian"},
	{"utilities that count twice", Sensitivity, inputs.AddOrRemoveOneRecord, data{1}, data{}, choice(2), choice(1),
		"exponential"},
	{"unclipped batches", Sensitivity, inputs.ReplaceOneRecord, data{1, -5, 1, 1}, data{1, 5, 1, 1}, batches(5),
		batches(1), "gaussian"},
}

// sampled is a step on a Poisson sample that returns its records sorted.
func sampled(lo, hi float64) mechanism {
	return one(func(n *primitive.Noise, d data) (float64, error) {
		sorted := slices.Sorted(slices.Values(d))
		members, err := n.Poisson(len(sorted), 0.5, nil)
		if err != nil {
			return 0, err
		}
		var s float64
		for _, i := range members {
			s += clip(sorted[i], lo, hi)
		}
		return n.Gaussian(s, 2, 1)
	})
}

// choice chooses between two values.
func choice(weight float64) mechanism {
	return one(func(n *primitive.Noise, d data) (int, error) {
		scores := []float64{0, 0}
		for _, v := range d {
			scores[min(1, int(math.Abs(v)))] += weight
		}
		return n.Exponential(scores, 1, 1)
	})
}

// batches releases the mean of the clipped records in each batch of two, in random order, on sorted data.
func batches(limit float64) mechanism {
	return one(func(n *primitive.Noise, d data) ([]float64, error) {
		sorted := slices.Sorted(slices.Values(d))
		order := make([]int, len(d))
		for i := range order {
			order[i] = i
		}
		if err := n.Permute(order); err != nil {
			return nil, err
		}
		var out []float64
		for batch := range slices.Chunk(order, 2) {
			var s float64
			for _, i := range batch {
				s += clip(sorted[i], -limit, limit) / 2
			}
			v, err := n.Gaussian(s, 2, 1)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	})
}

func settings(seed uint64) verify.Settings {
	return verify.Settings{Budget: verify.Standard, Alpha: 1e-9, Seed: empirical.NewSeed(seed)}
}

func find(t *testing.T, p Replay[data], part Part, seed uint64) Finding[data] {
	t.Helper()
	f, err := p.Find(context.Background(), settings(seed), part)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

var claimed = privacy.ApproximateDP(1, 0)

// space holds data sets; one number is not a multiple of a power of two.
func space(a inputs.Adjacency) inputs.Datasets[float64] {
	return inputs.Datasets[float64]{Adjacency: a, Values: data{0, 1, 0.1, 5, -5}, MaxRecords: 6,
		Draw: func(r *rand.Rand) float64 { return 10*r.Float64() - 5 }}
}

// One pair suffices to find each fault. The finding names the call, its place and both values.
func TestTwinsAreFoundFromOnePair(t *testing.T) {
	for _, c := range twins {
		t.Run(c.name, func(t *testing.T) {
			p := Replay[data]{Subject: c.faulty, Claim: claimed, Given: []inputs.Pair[data]{{A: c.a, B: c.b}}}
			f := find(t, p, c.part, 3)
			if f.Verdict != verify.Refuted || !strings.Contains(f.Counterexample.Label, c.says) || f.Smallest == nil {
				t.Errorf("%s: %s\n%s, want refuted and %q", c.part, f.Verdict, f.Counterexample.Label+f.Needed, c.says)
			}
		})
	}
}

// A search finds each fault in the space of inputs and shrinks it.
func TestTwinsAreFoundInASpace(t *testing.T) {
	for _, c := range twins {
		t.Run(c.name, func(t *testing.T) {
			p := Replay[data]{Subject: c.faulty, Claim: claimed, Space: space(c.adjacency), Pairs: 100}
			f := find(t, p, c.part, 5)
			if f.Verdict != verify.Refuted {
				t.Fatalf("%s: %s: %s", c.part, f.Verdict, f.Needed)
			}
			t.Log(f.Counterexample.Label)
			if f.Smallest == nil || max(len(f.Smallest.A), len(f.Smallest.B)) > 3 {
				t.Errorf("the smallest pair is %v", f.Smallest)
			}
		})
	}
}

// No part of a sound form is refuted, on 60 drawn pairs each (200 with long tests).
func TestSoundFormsAreNotAlarmed(t *testing.T) {
	for _, c := range twins {
		t.Run(c.name, func(t *testing.T) {
			by := space(c.adjacency)
			r := rand.New(rand.NewPCG(7, 11))
			p := Replay[data]{Subject: c.sound, Claim: claimed, Given: by.Edges()}
			if run, err := p.Subject.Run(1, p.Given[0].A, nil); err != nil || usesGaussian(run) {
				p.Claim = privacy.GaussianDP(0.5) // σ is twice the sensitivity
			}
			for len(p.Given) < testutil.Size(60, 200) {
				if near, ok := by.Mutate(r,
					p.Given[r.IntN(len(p.Given))]); ok && inputs.CheckPairs([]inputs.Pair[data]{near}) == nil {
					p.Given = append(p.Given, near)
				}
			}
			for _, part := range p.Parts() {
				if f := find(t, p, part, 1); f.Verdict != verify.Inconclusive || f.Smallest != nil {
					t.Errorf("%s: %s: %s", part, f.Verdict, f.Counterexample.Label)
				}
			}
		})
	}
}

func usesGaussian(r Run) bool {
	return slices.ContainsFunc(r.Calls, func(c Call) bool { return c.Kind == primitive.Gaussian })
}
