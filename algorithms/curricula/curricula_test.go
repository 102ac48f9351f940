package curricula

import (
	"context"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/internal/testutil"
)

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 8)) }

// blobs returns n samples around one center per class.
func blobs(r *rand.Rand, n, d, k int) Samples {
	s := Samples{K: k}
	for i := range n {
		x := make([]float64, d)
		for j := range x {
			x[j] = 0.3 * r.NormFloat64()
		}
		x[i%k%d] += 2
		s.X, s.Y = append(s.X, x), append(s.Y, i%k)
	}
	return s
}

func softmax(t testing.TB, d, k int) *Softmax {
	t.Helper()
	m, err := NewSoftmax(d, k)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestGradients compares backpropagation with central differences. The probability of hitting a kink of ReLU or
// pooling is 0.
func TestGradients(t *testing.T) {
	for name, m := range map[string]Model{"softmax": softmax(t, 7, 4), "cnn": NewCNN()} {
		t.Run(name, func(t *testing.T) {
			r := stream(1)
			theta, g := make([]float64, m.Params()), make([]float64, m.Params())
			m.Init(r, theta)
			for i := range theta {
				theta[i] += 0.05 * r.NormFloat64()
			}
			x := make([]float64, m.Dim())
			for i := range x {
				x[i] = r.Float64()
			}
			if loss := m.Gradient(theta, x, 2, g); math.Abs(loss-m.Loss(theta, x, 2)) > 1e-12 {
				t.Errorf("Gradient returns the loss %v, Loss returns %v", loss, m.Loss(theta, x, 2))
			}
			const h = 1e-6
			for i := 0; i < len(theta); i += 1 + len(theta)/700 {
				at := theta[i]
				theta[i] = at + h
				up := m.Loss(theta, x, 2)
				theta[i] = at - h
				down := m.Loss(theta, x, 2)
				theta[i] = at
				if slope := (up - down) / (2 * h); math.Abs(slope-g[i]) > 1e-7+1e-5*math.Abs(slope) {
					t.Errorf("parameter %d: gradient %v, difference quotient %v", i, g[i], slope)
				}
			}
		})
	}
}

// Every schedule of Table 1 begins and ends as its caption states, with t from 0 to T−1. The logarithmic one is an
// exception: it ends at 5 for t = T.
func TestSchedules(t *testing.T) {
	for _, s := range Schedules() {
		m := s.Multipliers(20, FromZero)
		first, last := m[0], m[19]
		want := [2]float64{1, 5}
		if s.Name[0] == 'd' {
			want = [2]float64{5, 1}
		}
		if s.Name == IncreasingLogarithmic.Name {
			last = s.F(20, 20)
		}
		if math.Abs(first-want[0]) > 1e-7 || math.Abs(last-want[1]) > 1e-12 {
			t.Errorf("%s runs from %v to %v, want %v", s.Name, first, last, want)
		}
		if !slices.Equal(s.Multipliers(20, FromOne)[:19], m[1:]) {
			t.Errorf("%s: t from 1 is not t from 0 shifted by one", s.Name)
		}
	}
	if m := DecreasingPiecewise.Multipliers(20, FromOne); m[19] != 0 {
		t.Errorf("the piecewise schedule ends at %v for t = T, want 0", m[19])
	}
}

// TestIncreasingExponentialAsPrinted compares the schedule with its printed form where that does not overflow.
func TestIncreasingExponentialAsPrinted(t *testing.T) {
	const T = 20.0
	b := (math.Exp(T-1) - 5) / (math.Exp(T-1) - 1)
	for x := 0.0; x < T; x++ {
		printed := (1-b)*math.Exp(x) + b
		if got := IncreasingExponential.F(x, T); math.Abs(got-printed) > 1e-7 {
			t.Errorf("F(%v) = %v, printed %v", x, got, printed)
		}
	}
}

// Without noise and clipping the algorithm is plain SGD, step by step.
func TestPlainSGD(t *testing.T) {
	data, m := blobs(stream(1), 23, 3, 3), softmax(t, 3, 3)
	c := Config{Epochs: 3, Batch: 5, Rate: 0.2, Clip: math.Inf(1)}
	got, err := Train(context.Background(), stream(2), m, data, c)
	if err != nil {
		t.Fatal(err)
	}
	theta, g := make([]float64, m.Params()), make([]float64, m.Params())
	m.Init(stream(2), theta)
	for range c.Epochs {
		for first := 0; first < 23; first += 5 {
			clear(g)
			last := min(first+5, 23)
			for i := first; i < last; i++ {
				m.Gradient(theta, data.X[i], data.Y[i], g)
			}
			floats.AddScaled(theta, -c.Rate/float64(last-first), g)
		}
	}
	if !floats.EqualApprox(got.Theta, theta, 1e-12) || got.Steps != 15 || got.Clipped != 0 {
		t.Errorf("θ %v after %d steps (%d clipped), plain SGD has %v", got.Theta, got.Steps, got.Clipped, theta)
	}
}

// TestLaws checks properties under all choices. The same seed gives the same run. θ is finite. Without noise a
// step moves θ by at most ηC. The names of the classes do not affect the order.
func TestLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		n, d, k := rapid.IntRange(1, 30).Draw(rt, "n"), rapid.IntRange(1, 4).Draw(rt, "d"), rapid.IntRange(2, 4).Draw(rt, "k")
		c := Config{
			Epochs: rapid.IntRange(1, 3).Draw(rt, "epochs"), Batch: rapid.IntRange(1, n).Draw(rt, "batch"),
			Rate: rapid.Float64Range(0.01, 1).Draw(rt, "rate"), Clip: rapid.Float64Range(0.01, 2).Draw(rt, "clip"),
			Index: Index(rapid.IntRange(0, 1).Draw(rt, "index")), Clipping: Clipping(rapid.IntRange(0, 1).Draw(rt, "clipping")),
			Sampling: Sampling(rapid.IntRange(0, 2).Draw(rt, "sampling")), Scale: Scale(rapid.IntRange(0, 1).Draw(rt, "scale")),
		}
		seed := rapid.Uint64().Draw(rt, "seed")
		data, m := blobs(stream(seed), n, d, k), softmax(t, d, k)
		quiet, err := Train(context.Background(), stream(seed), m, data, c)
		if err != nil {
			rt.Fatal(err)
		}
		start := make([]float64, m.Params())
		m.Init(stream(seed), start)
		reach := c.Rate * c.Clip * float64(quiet.Steps)
		if c.Sampling == SamplePoisson && c.Clipping == ClipExample {
			reach *= float64(n) / float64(c.Batch) // the divisor is the expected size
		}
		if moved := floats.Distance(start, quiet.Theta, 2); moved > reach*(1+1e-9) {
			rt.Fatalf("θ moved by %v, at most %v", moved, reach)
		}
		c.Schedule = rapid.SampledFrom(append(Schedules(), Constant(1.5))).Draw(rt, "schedule")
		if c.Epochs == 1 {
			c.Schedule = Constant(1.5)
		}
		a, err := Train(context.Background(), stream(seed), m, data, c)
		if err != nil {
			rt.Fatal(err)
		}
		b, err := Train(context.Background(), stream(seed), m, data, c)
		if err != nil || !slices.Equal(a.Theta, b.Theta) {
			rt.Fatalf("two runs of one seed differ: %v", err)
		}
		c.Schedule = Constant(0)
		zero, err := Train(context.Background(), stream(seed), m, data, c)
		if err != nil || !slices.Equal(zero.Theta, quiet.Theta) {
			rt.Fatalf("noise with multiplier 0 differs from no noise: %v", err)
		}
	})
}

// Full batches do not depend on the order of the samples.
func TestSymmetry(t *testing.T) {
	data, m := blobs(stream(1), 12, 3, 3), softmax(t, 3, 3)
	c := Config{Epochs: 2, Batch: 12, Rate: 0.2, Clip: 0.1, Clipping: ClipExample, Schedule: Constant(1)}
	a, err := Train(context.Background(), stream(2), m, data, c)
	if err != nil {
		t.Fatal(err)
	}
	c.Order = stream(3).Perm(12)
	b, err := Train(context.Background(), stream(2), m, data, c)
	if err != nil {
		t.Fatal(err)
	}
	if !floats.EqualApprox(a.Theta, b.Theta, 1e-12) {
		t.Error("the order of a full batch matters")
	}
}

func TestOrder(t *testing.T) {
	if got := Order([]float64{2, 1, 3, 1}); !slices.Equal(got, []int{1, 3, 0, 2}) {
		t.Errorf("order %v, want [1 3 0 2]: ascending, equal losses in their old order", got)
	}
	data := blobs(stream(1), 40, 3, 3)
	data.Y[7] = (data.Y[7] + 1) % 3 // mislabeled: the hardest sample
	order, err := SampleCurriculum(context.Background(), stream(2), data)
	if err != nil {
		t.Fatal(err)
	}
	if order[39] != 7 {
		t.Errorf("the mislabeled sample is at position %d of the curriculum, want the last", slices.Index(order, 7))
	}
}

func TestErrors(t *testing.T) {
	m := softmax(t, 2, 2)
	good := Config{Epochs: 1, Batch: 1, Rate: 0.1, Clip: 1}
	data := Samples{X: [][]float64{{1, 2}, {0, 1}}, Y: []int{0, 1}, K: 2}
	change := func(f func(*Config)) Config { c := good; f(&c); return c }
	for _, c := range []struct {
		reason string
		data   Data
		config Config
	}{
		{"no epochs", data, change(func(c *Config) { c.Epochs = 0 })},
		{"batch above n", data, change(func(c *Config) { c.Batch = 3 })},
		{"rate NaN", data, change(func(c *Config) { c.Rate = math.NaN() })},
		{"clip 0", data, change(func(c *Config) { c.Clip = 0 })},
		{"noise without a clip", data, change(func(c *Config) { c.Clip, c.Schedule = math.Inf(1), Constant(1) })},
		{"schedule NaN: 0/0 at T = 1", data, change(func(c *Config) { c.Schedule = DecreasingExponential })},
		{"unknown choice", data, change(func(c *Config) { c.Sampling = 9 })},
		{"order too short", data, change(func(c *Config) { c.Order = []int{0} })},
		{"order with a sample twice", data, change(func(c *Config) { c.Order = []int{0, 0} })},
		{"ragged samples", Samples{X: [][]float64{{1, 2}, {0}}, Y: []int{0, 1}, K: 2}, good},
		{"class outside", Samples{X: [][]float64{{1, 2}}, Y: []int{2}, K: 2}, good},
		{"infinite feature", Samples{X: [][]float64{{1, math.Inf(1)}}, Y: []int{0}, K: 2}, good},
		{"no samples", Samples{K: 2}, good},
		{"θ overflows", Samples{X: [][]float64{{1e200, 2}, {1e200, 2}}, Y: []int{0, 1}, K: 2}, change(func(c *Config) { c.Rate, c.Clip = 1e200, math.Inf(1) })},
	} {
		if _, err := Train(context.Background(), stream(1), m, c.data, c.config); err == nil {
			t.Errorf("%s: no error", c.reason)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Train(ctx, stream(1), m, data, good); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func mnist(t testing.TB, n int) (train, test Images) {
	t.Helper()
	dir := os.Getenv("DPVERIFY_DATA")
	if dir == "" {
		t.Skip("needs MNIST: set DPVERIFY_DATA to its directory")
	}
	a, b, err := dataset.OpenMNIST(dir)
	if errors.Is(err, fs.ErrNotExist) {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return Images{a, n}, Images{b, 0}
}

// After training on 5,000 images the accuracy must be far above chance, which is 0.1.
func TestCNNLearns(t *testing.T) {
	if testing.Short() {
		t.Skip("trains for some seconds; run without -short")
	}
	train, test := mnist(t, 5000)
	m := NewCNN()
	result, err := Train(context.Background(), stream(1), m, train, Config{Epochs: 3, Batch: 50, Rate: 0.15, Clip: math.Inf(1), Sampling: SampleShuffled})
	if err != nil {
		t.Fatal(err)
	}
	if a := Accuracy(m, result.Theta, test); !(a > 0.9) {
		t.Errorf("accuracy %v after three epochs on 5,000 images, want above 0.9", a)
	}
}

// The network of Section 3.3 reaches accuracy 0.97 after the paper's 20 epochs without noise and clipping.
func TestCNNAccuracy(t *testing.T) {
	if !testutil.Asked() {
		t.Skip("trains for some minutes: set " + testutil.Variable)
	}
	train, test := mnist(t, 0)
	m := NewCNN()
	result, err := Train(context.Background(), stream(1), m, train, Config{Epochs: 20, Batch: 600, Rate: 0.15, Clip: math.Inf(1), Sampling: SampleShuffled})
	if err != nil {
		t.Fatal(err)
	}
	if a := Accuracy(m, result.Theta, test); !(a >= 0.97) {
		t.Errorf("accuracy %v after 20 epochs, want at least 0.97", a)
	}
}

// BenchmarkEpochCNN measures one epoch on 60,000 images with batches of 600.
func BenchmarkEpochCNN(b *testing.B) {
	train, _ := mnist(b, 0)
	for b.Loop() {
		c := Config{Epochs: 1, Batch: 600, Rate: 0.15, Clip: 1, Schedule: Constant(1), Clipping: ClipExample, Scale: ScaleMean, Sampling: SampleShuffled}
		if _, err := Train(context.Background(), stream(1), NewCNN(), train, c); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStep(b *testing.B) {
	for name, m := range map[string]Model{"softmax": softmax(b, 784, 10), "cnn": NewCNN()} {
		b.Run(name, func(b *testing.B) {
			r := stream(1)
			data := Samples{K: 10}
			for i := range 600 {
				x := make([]float64, 784)
				for j := range x {
					x[j] = max(0, r.Float64()-0.8)
				}
				data.X, data.Y = append(data.X, x), append(data.Y, i%10)
			}
			t := newTrainer(m, data, Config{Epochs: 1, Batch: 600, Rate: 0.15, Clip: 1, Clipping: ClipExample})
			t.noise = primitive.From(r)
			m.Init(r, t.Theta)
			b.ReportAllocs()
			for b.Loop() {
				members, err := t.members(0)
				if err := errors.Join(err, t.step(members, 1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
