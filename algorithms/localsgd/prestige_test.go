package localsgd_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
	"github.com/dpverify/dpverify/algorithms/mechanism"
)

var (
	private    = localsgd.Privacy{Epsilon: 0.8, Bound: 8, Premise: localsgd.PremiseClip}
	curriculum = localsgd.Curriculum{Epsilon: 0.2, Threshold: 1.5, Decrease: 1}
)

// naive is Algorithm 1 line by line, for batches of one record.
func naive(t *testing.T, seed uint64, data *dataset.Dataset, c localsgd.Config, p localsgd.Privacy, q localsgd.Curriculum) []float64 {
	t.Helper()
	r := stream(seed)
	response, err := mechanism.NewRandomizedResponse(q.Epsilon)
	if err != nil {
		t.Fatal(err)
	}
	sampler, err := mechanism.NewPrivateSampling(data.Dim(), p.Epsilon, c.Lipschitz, p.Bound)
	if err != nil {
		t.Fatal(err)
	}
	w := slices.Clone(c.Init)
	order := make([]int, data.Len())
	for i := range order {
		order[i] = i
	}
	steps, threshold := 0, q.Threshold
	for epoch := 1; epoch <= c.Epochs; epoch++ {
		r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, i := range order {
			y, err := response.ReleaseLabel(r, int(data.Label(i)))
			if err != nil {
				t.Fatal(err)
			}
			x := data.Row(i)
			if (x.Dot(w)+q.Bias)*float64(y) < threshold {
				continue
			}
			steps++
			g := make([]float64, len(w))
			erm.Objective{Loss: c.Loss, Reg: erm.L2{Lambda: c.Lambda}}.Gradient(w, x, float64(y), g)
			z := make([]float64, len(w))
			if err := sampler.Sample(r, g, z); err != nil {
				t.Fatal(err)
			}
			eta := c.Radius / (c.Lambda * p.Bound * math.Sqrt(float64(steps)))
			for k := range w {
				w[k] -= eta * z[k]
			}
		}
		threshold -= q.Decrease * math.Sqrt(float64(epoch))
	}
	return w
}

func TestPRESTIGEIsAlgorithm1(t *testing.T) {
	data := synthetic(t, 60, 12, 4)
	c := config(localsgd.StepPaper, false)
	c.Lambda, c.Lipschitz, c.Init = 0.5, 1e6, make([]float64, 12)
	for k := range c.Init {
		c.Init[k] = float64(k) - 6
	}
	q := curriculum
	q.Bias = 0.25
	for seed := range uint64(5) {
		result, err := localsgd.PRESTIGE(context.Background(), stream(seed), data, c, private, q)
		if err != nil {
			t.Fatal(err)
		}
		if want := naive(t, seed, data, c, private, q); !slices.Equal(result.W, want) {
			t.Fatalf("seed %d: w %v, want %v", seed, result.W, want)
		}
		if result.Steps == 0 || result.Steps == c.Epochs*data.Len() {
			t.Fatalf("seed %d: %d updates: the curriculum had no effect", seed, result.Steps)
		}
	}
}

// (x, y) and (-x, -y) are the same record to a linear classifier. The runs are identical, because no step treats
// the labels differently.
func TestLabelsAreTreatedAlike(t *testing.T) {
	values, labels := make([]float64, 0, 40), make([]float64, 0, 20)
	r := stream(3)
	for range 20 {
		values = append(values, r.Float64()-0.5, r.Float64()-0.5)
		labels = append(labels, float64(2*r.IntN(2)-1))
	}
	negated := func(v []float64) []float64 {
		out := make([]float64, len(v))
		for i := range v {
			out[i] = -v[i]
		}
		return out
	}
	data, err := dataset.NewDense(2, slices.Clone(values), slices.Clone(labels))
	if err != nil {
		t.Fatal(err)
	}
	mirror, err := dataset.NewDense(2, negated(values), negated(labels))
	if err != nil {
		t.Fatal(err)
	}
	rapid.Check(t, func(t *rapid.T) {
		c, q, seed := config(steps.Draw(t, "step"), true), curriculum, rapid.Uint64().Draw(t, "seed")
		q.Threshold = rapid.Float64Range(-1, 1).Draw(t, "threshold")
		q.Memoize = rapid.Bool().Draw(t, "memoize")
		a, err := localsgd.PRESTIGE(context.Background(), stream(seed), data, c, private, q)
		if err != nil {
			t.Fatal(err)
		}
		b, err := localsgd.PRESTIGE(context.Background(), stream(seed), mirror, c, private, q)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(a.W, b.W) {
			t.Fatalf("w %v and %v", a.W, b.W)
		}
	})
}

func TestCurriculum(t *testing.T) {
	data := synthetic(t, 200, 12, 4)
	cases := []struct {
		reason            string
		threshold, mu     float64
		batch, selected   int
		steps             int
		thresholds        []float64
		carrying, nothing bool
	}{
		{"a threshold out of reach: no update", 1e9, 0, 1, 0, 0, []float64{1e9, 1e9, 1e9}, false, true},
		{"no update in batches either", 1e9, 0, 7, 0, 0, []float64{1e9, 1e9, 1e9}, false, true},
		{"every record is selected", math.Inf(-1), 1, 1, 600, 600, []float64{math.Inf(-1), math.Inf(-1), math.Inf(-1)}, true, false},
		{"three batches of 80, 80 and 40 an epoch", math.Inf(-1), 1, 80, 600, 9, nil, true, false},
		{"D_th decreases by √T", -1e6, 1, 1, 600, 600, []float64{-1e6, -1e6 - 1, -1e6 - 1 - math.Sqrt2}, true, false},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			conf := config(localsgd.StepBall, true)
			conf.Batch, conf.Init = c.batch, make([]float64, 12)
			q := curriculum
			q.Threshold, q.Decrease = c.threshold, c.mu
			result, err := localsgd.PRESTIGE(context.Background(), stream(1), data, conf, private, q)
			if err != nil {
				t.Fatal(err)
			}
			selected, carrying := 0, 0
			for k, e := range result.Epochs {
				selected, carrying = selected+e.Selected, carrying+e.Carrying
				if c.thresholds != nil && e.Threshold != c.thresholds[k] {
					t.Errorf("epoch %d: D_th = %v, want %v", k+1, e.Threshold, c.thresholds[k])
				}
			}
			if selected != c.selected || result.Steps != c.steps || (carrying > 0) != c.carrying {
				t.Errorf("%d selected, %d updates, %d gradients from the loss; want %d, %d, any %v", selected, result.Steps, carrying, c.selected, c.steps, c.carrying)
			}
			if slices.Equal(result.W, conf.Init) != c.nothing {
				t.Errorf("w = %v", result.W)
			}
		})
	}
}

// With one record and an L that every gradient exceeds, no update is made and w is constant. The perturbed label
// is then visible as its agreement with w.
func TestMemoize(t *testing.T) {
	data, err := dataset.NewDense(1, []float64{1}, []float64{1})
	if err != nil {
		t.Fatal(err)
	}
	const epochs = 40
	for _, memoize := range []bool{false, true} {
		constant := 0
		for seed := range uint64(20) {
			c := config(localsgd.StepBall, true)
			c.Epochs, c.Init, c.Lipschitz = epochs, []float64{1}, 1e-9
			result, err := localsgd.PRESTIGE(context.Background(), stream(seed), data, c,
				localsgd.Privacy{Epsilon: 1, Bound: 1, Premise: localsgd.PremiseSkip},
				localsgd.Curriculum{Epsilon: 1e-9, Threshold: math.Inf(-1), Memoize: memoize})
			if err != nil {
				t.Fatal(err)
			}
			agreeing := 0
			for _, e := range result.Epochs {
				agreeing += e.Agreeing
			}
			if agreeing == 0 || agreeing == epochs {
				constant++
			}
		}
		if want := map[bool]int{false: 0, true: 20}[memoize]; constant != want {
			t.Errorf("memoize %v: one label through all epochs in %d runs of 20, want %d", memoize, constant, want)
		}
	}
}

func TestPRESTIGEErrors(t *testing.T) {
	data := synthetic(t, 4, 3, 2)
	cases := []struct {
		reason string
		change func(*localsgd.Config, *localsgd.Privacy, *localsgd.Curriculum)
		want   string
	}{
		{"no epsilon for the labels", func(_ *localsgd.Config, _ *localsgd.Privacy, q *localsgd.Curriculum) { q.Epsilon = 0 }, "epsilon"},
		{"NaN epsilon", func(_ *localsgd.Config, _ *localsgd.Privacy, q *localsgd.Curriculum) { q.Epsilon = math.NaN() }, "epsilon"},
		{"NaN threshold", func(_ *localsgd.Config, _ *localsgd.Privacy, q *localsgd.Curriculum) { q.Threshold = math.NaN() }, "Threshold"},
		{"infinite threshold", func(_ *localsgd.Config, _ *localsgd.Privacy, q *localsgd.Curriculum) { q.Threshold = math.Inf(1) }, "Threshold"},
		{"growing threshold", func(_ *localsgd.Config, _ *localsgd.Privacy, q *localsgd.Curriculum) { q.Decrease = -1 }, "Decrease"},
		{"infinite bias", func(_ *localsgd.Config, _ *localsgd.Privacy, q *localsgd.Curriculum) { q.Bias = math.Inf(1) }, "Bias"},
		{"negative batch", func(c *localsgd.Config, _ *localsgd.Privacy, _ *localsgd.Curriculum) { c.Batch = -1 }, "Batch"},
		{"no epsilon for the gradient", func(_ *localsgd.Config, p *localsgd.Privacy, _ *localsgd.Curriculum) { p.Epsilon = 0 }, "epsilon"},
	}
	for _, k := range cases {
		t.Run(k.reason, func(t *testing.T) {
			c, p, q := config(localsgd.StepBall, true), private, curriculum
			k.change(&c, &p, &q)
			if _, err := localsgd.PRESTIGE(context.Background(), stream(1), data, c, p, q); err == nil || !strings.Contains(err.Error(), k.want) {
				t.Errorf("error %v, want one about %s", err, k.want)
			}
		})
	}
}

func TestCrossValidate(t *testing.T) {
	data := synthetic(t, 300, 12, 4)
	diverged := errors.New("diverged")
	rows := 0
	// At λ = 1 the training works, below it predicts the opposite, above it fails.
	learn := func(_ context.Context, r *rand.Rand, train *dataset.Dataset, lambda float64) ([]float64, error) {
		rows = train.Len()
		if lambda > 1 {
			return nil, diverged
		}
		result, err := localsgd.SGD(context.Background(), r, train, config(localsgd.StepBall, true))
		if err != nil {
			return nil, err
		}
		for k := range result.W {
			result.W[k] *= math.Copysign(1, lambda-1)
		}
		return result.W, nil
	}
	lambda, rates, err := localsgd.CrossValidate(context.Background(), stream(1), data, 10, []float64{10, 0.1, 1}, learn)
	if err != nil {
		t.Fatal(err)
	}
	if lambda != 1 || rates[0] != 1 || rates[1] < 0.8 || rates[2] > 0.2 || rows != 270 {
		t.Errorf("lambda %v, rates %v, %d rows: want λ = 1", lambda, rates, rows)
	}
	for reason, run := range map[string]func() error{
		"more folds than rows": func() error {
			_, _, err := localsgd.CrossValidate(context.Background(), stream(1), data, 301, localsgd.Lambdas, learn)
			return err
		},
		"no candidates": func() error {
			_, _, err := localsgd.CrossValidate(context.Background(), stream(1), data, 10, nil, learn)
			return err
		},
		"nothing can be trained": func() error {
			_, _, err := localsgd.CrossValidate(context.Background(), stream(1), data, 10, []float64{10, 100}, learn)
			return err
		},
	} {
		if run() == nil {
			t.Errorf("%s: no error", reason)
		}
	}
}

func BenchmarkPRESTIGEEpoch(b *testing.B) {
	data := synthetic(b, 16100, 123, 14)
	c := config(localsgd.StepBall, true)
	c.Epochs = 1
	q := curriculum
	q.Threshold = math.Inf(-1) // every record is selected: the most expensive case
	b.ReportAllocs()
	for b.Loop() {
		if _, err := localsgd.PRESTIGE(context.Background(), stream(1), data, c, private, q); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(data.Len()), "ns/step")
}
