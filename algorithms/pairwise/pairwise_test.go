package pairwise_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/mechanism"
	"github.com/dpverify/dpverify/algorithms/pairwise"
)

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 11)) }

// synthetic returns n rows of norm at most norm, labeled by the sign of the first column.
func synthetic(tb rapid.TB, r *rand.Rand, n, d int, norm float64) *dataset.Dataset {
	tb.Helper()
	values, labels := make([]float64, n*d), make([]float64, n)
	for i := range n {
		row := values[i*d : (i+1)*d]
		for k := range row {
			row[k] = r.NormFloat64()
		}
		floats.Scale(norm/math.Max(norm, floats.Norm(row, 2)), row)
		labels[i] = math.Copysign(1, row[0])
	}
	return dense(tb, d, values, labels)
}

func dense(tb rapid.TB, d int, values, labels []float64) *dataset.Dataset {
	tb.Helper()
	s, err := dataset.NewDense(d, values, labels)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

func ball(tb rapid.TB, d int) erm.Set {
	tb.Helper()
	b, err := erm.NewL2Ball(d, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

func matrices(tb rapid.TB, d int) erm.Set {
	tb.Helper()
	b, err := erm.NewFrobeniusBall(d, 1)
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// tasks lists the two examples of the paper.
var tasks = []struct {
	name string
	loss erm.PairLoss
	set  func(rapid.TB, int) erm.Set
}{
	{"auc", erm.AUC{Phi: erm.Logistic{}}, ball},
	{"metric", erm.Metric{Phi: erm.Logistic{}}, matrices},
}

// learners lists the algorithms by name, at a strong convexity of 4.
var learners = map[string]func(context.Context, *rand.Rand, *dataset.Dataset, erm.PairLoss, erm.Set, pairwise.Privacy, pairwise.Options) (*pairwise.Result, error){
	"GIGA": func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, l erm.PairLoss, c erm.Set, _ pairwise.Privacy, o pairwise.Options) (*pairwise.Result, error) {
		return pairwise.GIGA(ctx, r, data, pairwise.Stated(l, c, 4, 1), o)
	},
	"OnPairStrC": func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, l erm.PairLoss, c erm.Set, v pairwise.Privacy, o pairwise.Options) (*pairwise.Result, error) {
		return pairwise.OnPairStrC(ctx, r, data, pairwise.Stated(l, c, 4, 1), v, o)
	},
	"OnPairC": func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, l erm.PairLoss, c erm.Set, v pairwise.Privacy, o pairwise.Options) (*pairwise.Result, error) {
		return pairwise.OnPairC(ctx, r, data, pairwise.Stated(l, c, 0, 1), 4, v, o)
	},
	"OffPairStrC": func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, l erm.PairLoss, c erm.Set, v pairwise.Privacy, o pairwise.Options) (*pairwise.Result, error) {
		return pairwise.OffPairStrC(ctx, r, data, pairwise.Stated(l, c, 4, 1), v, o)
	},
	"OffPairC": func(ctx context.Context, r *rand.Rand, data *dataset.Dataset, l erm.PairLoss, c erm.Set, v pairwise.Privacy, o pairwise.Options) (*pairwise.Result, error) {
		return pairwise.OffPairC(ctx, r, data, pairwise.Stated(l, c, 0, 1), 4, v, o)
	},
}

// TestLaws checks the properties of every algorithm on every task under every option.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		task := tasks[rapid.IntRange(0, 1).Draw(t, "task")]
		n, d := rapid.IntRange(1, 80).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
		seed := rapid.Uint64().Draw(t, "seed")
		o := pairwise.Options{
			Warmup:   pairwise.Warmup(rapid.IntRange(0, 2).Draw(t, "warm-up")),
			Draw:     pairwise.Draw(rapid.IntRange(0, 1).Draw(t, "draw")),
			Feedback: pairwise.Feedback(rapid.IntRange(0, 1).Draw(t, "feedback")),
		}
		v := pairwise.Privacy{Epsilon: math.Pow(10, rapid.Float64Range(-3, 3).Draw(t, "log ε")), Delta: rapid.Float64Range(1e-9, 1).Draw(t, "δ")}
		data := synthetic(t, stream(seed), n, d, 1)
		set := task.set(t, d)
		for name, learn := range learners {
			count := 0
			o.Each = func(step int, w []float64) {
				if count++; step != count || !set.Contains(w, 1e-9) {
					t.Fatalf("%s: output %d is %v, call %d", name, step, w, count)
				}
			}
			a, err := learn(context.Background(), stream(seed), data, task.loss, set, v, o)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if count != n || a.Warmup+a.Steps != n || !set.Contains(a.W, 1e-9) || !set.Contains(a.Mean, 1e-9) {
				t.Fatalf("%s: %d outputs for %d records, %+v", name, count, n, a)
			}
			o.Each = nil
			b, err := learn(context.Background(), stream(seed), data, task.loss, set, v, o)
			if err != nil || !slices.Equal(a.W, b.W) || !slices.Equal(a.Mean, b.Mean) {
				t.Fatalf("%s: %v after the same seed: %v, then %v", name, err, a.W, b.W)
			}
		}
	})
}

// With negligible noise the private online algorithms equal Pairwise GIGA, and the offline ones the mean of its
// iterates. A budget of 1e200 gives noise of 1e-96.
func TestNoNoise(t *testing.T) {
	v := pairwise.Privacy{Epsilon: 1e200, Delta: 0.5}
	for _, task := range tasks {
		data, set := synthetic(t, stream(5), 60, 2, 1), task.set(t, 2)
		p := pairwise.Stated(task.loss, set, 20, 1)
		for _, o := range []pairwise.Options{{}, {Feedback: pairwise.FeedbackNone}, {Warmup: pairwise.WarmupContraction, Draw: pairwise.DrawOnce}} {
			mean := make([]float64, set.Dim())
			o.Each = func(_ int, w []float64) { floats.AddScaled(mean, 1.0/60, w) }
			plain, err := pairwise.GIGA(context.Background(), stream(3), data, p, o)
			if err != nil {
				t.Fatal(err)
			}
			o.Each = nil
			online, err := pairwise.OnPairStrC(context.Background(), stream(3), data, p, v, o)
			if err != nil {
				t.Fatal(err)
			}
			offline, err := pairwise.OffPairStrC(context.Background(), stream(3), data, p, v, o)
			if err != nil {
				t.Fatal(err)
			}
			if plain.Steps == 0 || floats.Distance(plain.W, online.W, 2) > 1e-12 || floats.Distance(plain.Mean, online.Mean, 2) > 1e-12 || floats.Distance(mean, offline.W, 2) > 1e-12 {
				t.Errorf("%s, %+v: %v, %v and %v after %d steps", task.name, o, plain.W, online.W, offline.W, plain.Steps)
			}
		}
	}
}

// With the same noise, a neighbor gives the same outputs before the differing record. The order of the earlier
// records does not matter.
func TestNeighbors(t *testing.T) {
	r := stream(9)
	set, loss := ball(t, 2), tasks[0].loss
	p := pairwise.Stated(loss, set, 20, 1)
	data := synthetic(t, r, 40, 2, 1)
	order := r.Perm(40)
	slices.Sort(order)
	order[3], order[9] = order[9], order[3] // both in the warm-up
	swapped, err := data.Subset(order)
	if err != nil {
		t.Fatal(err)
	}
	order[3], order[9] = 3, 9
	order[30] = 0 // another record
	changed, err := data.Subset(order)
	if err != nil {
		t.Fatal(err)
	}
	outputs := func(data *dataset.Dataset) (out [][]float64) {
		_, err := pairwise.OnPairStrC(context.Background(), stream(4), data, p, pairwise.Privacy{Epsilon: 1, Delta: 1e-3},
			pairwise.Options{Feedback: pairwise.FeedbackNone, Each: func(_ int, w []float64) { out = append(out, slices.Clone(w)) }})
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	a, b, c := outputs(data), outputs(swapped), outputs(changed)
	for i := range a {
		if !floats.EqualApprox(a[i], b[i], 1e-9) {
			t.Errorf("output %d: %v, and %v with two early records swapped", i+1, a[i], b[i])
		}
		if i < 30 && !slices.Equal(a[i], c[i]) {
			t.Errorf("output %d: %v, and %v with another record 31", i+1, a[i], c[i])
		}
	}
	if slices.Equal(a[30], c[30]) {
		t.Error("record 31 changes nothing")
	}
}

// The fast gradient of AUC equals the sum over pairs, and GIGA takes the steps of the paper.
func TestGIGASteps(t *testing.T) {
	for _, task := range tasks {
		data, set := synthetic(t, stream(2), 50, 3, 0.7), task.set(t, 3)
		p := pairwise.Stated(task.loss, set, 20, 1)
		var before []float64
		_, err := pairwise.GIGA(context.Background(), stream(1), data, p, pairwise.Options{Warmup: pairwise.WarmupContraction, Penalties: true, Each: func(step int, w []float64) {
			if step > pairwise.WarmupSteps(pairwise.WarmupContraction, p.L, p.Alpha) {
				g := make([]float64, len(w))
				for i := range step - 1 {
					a, b := erm.Example{X: data.Row(step - 1), Y: data.Label(step - 1)}, erm.Example{X: data.Row(i), Y: data.Label(i)}
					task.loss.AddGradient(before, a, b, 1/float64(step-1), g)
				}
				floats.AddScaled(g, p.Ridge, before)
				want := slices.Clone(before)
				floats.AddScaled(want, -pairwise.StepSize(p.Alpha, step), g)
				set.Project(want)
				if !floats.EqualApprox(want, w, 1e-12) {
					t.Fatalf("%s, step %d: %v, want %v", task.name, step, w, want)
				}
			}
			before = slices.Clone(w)
		}})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestLines(t *testing.T) {
	for _, c := range []struct {
		reason    string
		got, want float64
	}{
		{"ρ solves step 3 at (1, 1e-5)", pairwise.Budget(1, 1e-5) + 2*math.Sqrt(pairwise.Budget(1, 1e-5)*-math.Log(1e-5)), 1},
		{"ρ = ε at δ = 1", pairwise.Budget(0.3, 1), 0.3},
		{"a tiny ε loses no digits", pairwise.Budget(1e-12, 1e-5) * 4 * -math.Log(1e-5) * 1e24, 1},
		{"T₁ at κ = 1 is 16, above 7", float64(pairwise.WarmupSteps(pairwise.WarmupPaper, 2, 2)), 16},
		{"T₁ = 16·2²⁴ at κ = 2¹²", float64(pairwise.WarmupSteps(pairwise.WarmupPaper, 4, 0x1p-10)), 0x1p28},
		{"η_3 = 2·2/(3α)", pairwise.StepSize(1, 3), 4.0 / 3},
		{"σ_t at G = α = ρ = 1, n − T₁ = 2, t = 4 is 8/4", pairwise.OnlineStdDev(1, 1, 1, 4, 18, 16), 2},
		{"no noise for one record", pairwise.OfflineStdDev(1, 1, 1, 0.1, 1), 0},
	} {
		if math.Abs(c.got-c.want) > 1e-9*math.Max(1, c.want) {
			t.Errorf("%s: %v, want %v", c.reason, c.got, c.want)
		}
	}
}

func TestMeasures(t *testing.T) {
	data := dense(t, 1, []float64{1, 2, 3, 2}, []float64{-1, -1, 1, 1})
	if got := pairwise.AUC([]float64{1}, data); got != 3.5/4 {
		t.Errorf("AUC %v, want 3.5 of 4 pairs: one tie", got)
	}
	if got := pairwise.AUC([]float64{0}, data); got != 0.5 {
		t.Errorf("AUC %v of equal scores, want 0.5", got)
	}
	if got := pairwise.AUC([]float64{1}, dense(t, 1, []float64{1}, []float64{1})); !math.IsNaN(got) {
		t.Errorf("AUC %v of one class, want NaN", got)
	}
	p := pairwise.Problem{Loss: tasks[0].loss, Ridge: 2}
	// 8 of 12 ordered pairs differ in label; at w = 0 all losses are log 2, the ridge 0.
	if got := p.Risk([]float64{0}, data); math.Abs(got-math.Ln2) > 1e-15 {
		t.Errorf("risk %v at the origin, want log 2", got)
	}
	train := dense(t, 2, []float64{0, 0, 0, 1, 5, 5, 5, 6, 6, 5}, []float64{1, 1, -1, -1, -1})
	test := dense(t, 2, []float64{0, 0.5, 5, 5}, []float64{1, -1})
	if got, err := pairwise.NearestNeighborAccuracy([]float64{1, 0, 0, 1}, train, test, 3); err != nil || got != 1 {
		t.Errorf("accuracy %v, %v, want 1", got, err)
	}
	if got, err := pairwise.NearestNeighborAccuracy([]float64{1, 0, 0, 1}, train, test, 5); err != nil || got != 0.5 {
		t.Errorf("accuracy %v, %v of the majority, want 0.5", got, err)
	}
	for _, k := range []int{0, 2, 7} {
		if _, err := pairwise.NearestNeighborAccuracy([]float64{1, 0, 0, 1}, train, test, k); err == nil {
			t.Errorf("%d neighbors of 5 are accepted", k)
		}
	}
}

func TestErrors(t *testing.T) {
	data, set := synthetic(t, stream(1), 20, 2, 1), ball(t, 2)
	loss := tasks[0].loss
	good := pairwise.Stated(loss, set, 1, 1)
	with := func(change func(*pairwise.Problem)) pairwise.Problem {
		p := good
		change(&p)
		return p
	}
	for _, c := range []struct {
		reason string
		data   *dataset.Dataset
		p      pairwise.Problem
		v      pairwise.Privacy
		o      pairwise.Options
		want   string
	}{
		{"no data", nil, good, pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}, "no data"},
		{"no loss", data, with(func(p *pairwise.Problem) { p.Loss = nil }), pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}, "pair loss"},
		{"no set", data, with(func(p *pairwise.Problem) { p.Set = nil }), pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}, "set"},
		{"dimension", data, with(func(p *pairwise.Problem) { p.Set = ball(t, 3) }), pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}, "dimension 3"},
		{"NaN ridge", data, with(func(p *pairwise.Problem) { p.Ridge = math.NaN() }), pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}, "ridge"},
		{"NaN G", data, with(func(p *pairwise.Problem) { p.G = math.NaN() }), pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}, "G"},
		{"not convex", data, with(func(p *pairwise.Problem) { p.Alpha = 0 }), pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}, "alpha"},
		{"more convex than smooth", data, with(func(p *pairwise.Problem) { p.Alpha = 2 * p.L }), pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}, "exceeds"},
		{"center outside", data, with(func(p *pairwise.Problem) { p.Center = []float64{2, 0} }), pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}, "not a member"},
		{"ε = 0", data, good, pairwise.Privacy{Epsilon: 0, Delta: 0.1}, pairwise.Options{}, "epsilon"},
		{"δ = 0", data, good, pairwise.Privacy{Epsilon: 1, Delta: 0}, pairwise.Options{}, "delta"},
		{"δ is NaN", data, good, pairwise.Privacy{Epsilon: 1, Delta: math.NaN()}, pairwise.Options{}, "delta"},
		{"unknown warm-up", data, good, pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{Warmup: 9}, "unknown option"},
	} {
		for name, learn := range map[string]func(context.Context, *rand.Rand, *dataset.Dataset, pairwise.Problem, pairwise.Privacy, pairwise.Options) (*pairwise.Result, error){
			"OnPairStrC": pairwise.OnPairStrC, "OffPairStrC": pairwise.OffPairStrC,
		} {
			if _, err := learn(context.Background(), stream(1), c.data, c.p, c.v, c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s, %s: error %v, want one with %q", name, c.reason, err, c.want)
			}
		}
	}
	if _, err := pairwise.OnPairC(context.Background(), stream(1), data, good, 1, pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}); err == nil {
		t.Error("a ridge in addition to the regularizer is accepted")
	}
	if _, err := pairwise.OffPairC(context.Background(), stream(1), data, pairwise.Stated(loss, set, 0, 1), -1, pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}); !errors.Is(err, mechanism.ErrDomain) {
		t.Errorf("α = −1: error %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := pairwise.GIGA(ctx, stream(1), data, good, pairwise.Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("after cancelling: error %v", err)
	}
}

// A step does not allocate: ten times the records need the same number of allocations.
func TestAllocations(t *testing.T) {
	runs := func(n int) float64 {
		data, set := synthetic(t, stream(1), n, 3, 1), ball(t, 3)
		p := pairwise.Stated(tasks[0].loss, set, 20, 1)
		r := stream(1)
		return testing.AllocsPerRun(5, func() {
			if _, err := pairwise.OnPairStrC(context.Background(), r, data, p, pairwise.Privacy{Epsilon: 1, Delta: 0.1}, pairwise.Options{}); err != nil {
				t.Fatal(err)
			}
		})
	}
	if a, b := runs(30), runs(300); a != b {
		t.Errorf("%v allocations for 30 records, %v for 300", a, b)
	}
}

func BenchmarkRun(b *testing.B) {
	for _, c := range []struct {
		name string
		task int
		n, d int
	}{{"auc/n=1151,d=19", 0, 1151, 19}, {"metric/n=350,d=8", 1, 350, 8}} {
		task := tasks[c.task]
		data, set := synthetic(b, stream(1), c.n, c.d, 1), task.set(b, c.d)
		for _, name := range []string{"OnPairStrC", "OffPairC"} {
			b.Run(c.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				r := stream(2)
				for b.Loop() {
					if _, err := learners[name](context.Background(), r, data, task.loss, set, pairwise.Privacy{Epsilon: 1, Delta: 1e-3}, pairwise.Options{Warmup: pairwise.WarmupContraction}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
