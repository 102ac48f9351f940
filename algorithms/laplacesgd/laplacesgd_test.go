package laplacesgd

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func sphere(t testing.TB, n, d int, seed uint64) *dataset.Dataset {
	t.Helper()
	data, _, err := dataset.Sphere(stream(seed), n, d, 0.001)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func drawn(t *rapid.T) (*dataset.Dataset, Config) {
	d, n := rapid.IntRange(2, 6).Draw(t, "d"), rapid.IntRange(1, 12).Draw(t, "n")
	data, _, err := dataset.Sphere(stream(rapid.Uint64().Draw(t, "rows")), n, d, 0)
	if err != nil {
		t.Fatal(err)
	}
	return data, Config{
		Lambda: rapid.SampledFrom([]float64{0, 1e-4, 1}).Draw(t, "λ"), Rate: Rate{Scale: rapid.SampledFrom([]float64{0.1, 1, 10}).Draw(t, "c")},
		Batch: rapid.IntRange(1, 14).Draw(t, "b"), Epochs: rapid.IntRange(1, 3).Draw(t, "epochs"),
		Short: Short(rapid.IntRange(0, 3).Draw(t, "short")), Order: Order(rapid.IntRange(0, 3).Draw(t, "order")),
		Radius: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "radius"),
	}
}

// Without privacy, and with negligible noise (α = 1e15), a run over rows in the given order is the same.
func TestZeroNoiseIsTheNonPrivateRun(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, c := drawn(t)
		c.Order = OrderGiven
		plain, err1 := SGD(context.Background(), stream(1), data, c)
		private, err2 := Private(context.Background(), stream(2), data, c, Privacy{Alpha: 1e15, Distribution: DistributionDensity})
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		// Steps of c/√t with cλ above 2 amplify w and the noise in it.
		size := max(1, floats.Norm(plain.W, math.Inf(1)))
		if plain.Steps != private.Steps || floats.Distance(plain.W, private.W, math.Inf(1)) > 1e-9*size {
			t.Fatalf("%v without noise, %v with almost none", plain, private)
		}
	})
}

// The same seed gives the same run. Outputs are finite and in the ball. A run does not depend on the order of the
// records if a batch contains all of them.
func TestRunLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, c := drawn(t)
		p := Privacy{Alpha: rapid.SampledFrom([]float64{0.01, 1, 100}).Draw(t, "α"), Distribution: Distribution(rapid.IntRange(0, 2).Draw(t, "law"))}
		seed := rapid.Uint64().Draw(t, "seed")
		a, err1 := Private(context.Background(), stream(seed), data, c, p)
		b, err2 := Private(context.Background(), stream(seed), data, c, p)
		if err1 != nil || err2 != nil || !slices.Equal(a.W, b.W) || a.Steps != b.Steps {
			t.Fatalf("%v and %v of one seed, %v, %v", a, b, err1, err2)
		}
		if c.Radius > 0 && floats.Norm(a.W, 2) > c.Radius*(1+1e-12) {
			t.Fatalf("w = %v outside the ball", a.W)
		}
		steps := (data.Len() + c.Batch - 1) / c.Batch
		if c.Short == ShortDrop {
			steps = data.Len() / c.Batch
		}
		if a.Steps != c.Epochs*steps {
			t.Fatalf("%d updates, want %d", a.Steps, c.Epochs*steps)
		}
		c.Batch, c.Order, c.Short = data.Len(), OrderGiven, ShortPrinted
		reversed := make([]int, data.Len())
		for i := range reversed {
			reversed[i] = data.Len() - 1 - i
		}
		other, err := data.Subset(reversed)
		if err != nil {
			t.Fatal(err)
		}
		a, _ = SGD(context.Background(), stream(seed), data, c)
		b, _ = SGD(context.Background(), stream(seed), other, c)
		if floats.Distance(a.W, b.W, math.Inf(1)) > 1e-9*(1+floats.Norm(a.W, 2)) {
			t.Fatalf("%v and %v for records in another order", a.W, b.W)
		}
	})
}

// One step by hand: at w_0 = 0 the slope is 0.5, and η_1 = 1.
func TestOneStepByHand(t *testing.T) {
	data, err := dataset.NewDense(2, []float64{1, 0, 0, 0.5}, []float64{1, -1})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		reason string
		batch  int
		short  Short
		want   []float64
	}{
		{"both records: half of (0.5, 0) + (0, −0.25)", 2, ShortPrinted, []float64{0.25, -0.125}},
		{"b = 4, printed: a quarter of the sum", 4, ShortPrinted, []float64{0.125, -0.0625}},
		{"b = 4, mean of the two", 4, ShortMean, []float64{0.25, -0.125}},
		{"b = 4, omitted", 4, ShortDrop, []float64{0, 0}},
	} {
		got, err := SGD(context.Background(), stream(1), data, Config{Lambda: 0.3, Rate: Rate{Scale: 1}, Batch: c.batch, Epochs: 1, Short: c.short})
		if err != nil || floats.Distance(got.W, c.want, 2) > 1e-15 {
			t.Errorf("%s: %v, %v, want %v", c.reason, got, err, c.want)
		}
	}
}

// TestNoiseLengths compares lengths with their distributions by Kolmogorov's test at 1e-9: 40000 draws, D < 0.0165
// (2e^(−2nD²)).
func TestNoiseLengths(t *testing.T) {
	const n, alpha = 40000, 0.5
	for _, d := range []int{1, 2, 9, 34} {
		for _, law := range []Distribution{DistributionDensity, DistributionCube} {
			noise, err := NewNoise(law, d, alpha)
			if err != nil {
				t.Fatal(err)
			}
			cdf := distuv.Gamma{Alpha: float64(d), Beta: alpha / 2}
			lengths, z, r := make([]float64, n), make([]float64, d), stream(uint64(d))
			for i := range lengths {
				if err := noise.Draw(r, z); err != nil {
					t.Fatal(err)
				}
				lengths[i] = floats.Norm(z, 2)
			}
			slices.Sort(lengths)
			for i, l := range lengths {
				if math.Abs(cdf.CDF(l)-float64(i)/n) > 0.0165 {
					t.Fatalf("distribution %d, d = %d: the share below %v is %v, want %v", law, d, l, float64(i)/n, cdf.CDF(l))
				}
			}
		}
	}
}

// The mean length of DistributionPrinted is d²/(d+1) scales. The standard error of 40000 draws is below 0.66 % of
// it at d = 1 and smaller for larger d. The tolerance of 4 % is at least 6 standard errors.
func TestPrintedNoiseIsShorter(t *testing.T) {
	for _, d := range []int{1, 2, 9} {
		noise, _ := NewNoise(DistributionPrinted, d, 2)
		z, r, sum := make([]float64, d), stream(7), 0.0
		for range 40000 {
			if err := noise.Draw(r, z); err != nil {
				t.Fatal(err)
			}
			sum += floats.Norm(z, 2)
		}
		want := float64(d*d) / float64(d+1)
		if got := sum / 40000; math.Abs(got-want) > 0.04*want {
			t.Errorf("d = %d: mean length %v, want %v", d, got, want)
		}
	}
}

func TestPreprocess(t *testing.T) {
	data, err := dataset.NewDense(3, []float64{3, 4, 0, 0, 0, 0, 1e200, 1e200, 1e-200}, []float64{1, -1, 1})
	if err != nil {
		t.Fatal(err)
	}
	for features := range 4 {
		got, err := Preprocess(stream(3), data, features, PickDistinct)
		if err != nil || got.MaxNorm() > 1+1e-15 || got.Row(1).Norm() != 0 {
			t.Errorf("%d features: %v", features, err)
		}
	}
	if got, err := Preprocess(stream(3), data, 3, PickAnew); err != nil || got.Dim() != 3 {
		t.Errorf("picked with replacement: %v", err)
	}
	if _, err := Preprocess(stream(3), data, 4, PickDistinct); err == nil {
		t.Error("4 of 3 features were picked")
	}
}

func TestErrors(t *testing.T) {
	data := sphere(t, 5, 2, 1)
	good := Config{Lambda: 1e-4, Rate: Rate{Scale: 1}, Batch: 2, Epochs: 1}
	for _, c := range []struct {
		reason, says string
		change       func(*Config, *Privacy)
	}{
		{"negative λ", "Lambda", func(c *Config, _ *Privacy) { c.Lambda = -1 }},
		{"NaN", "Lambda", func(c *Config, _ *Privacy) { c.Lambda = math.NaN() }},
		{"1/(λt) at λ = 0", "above 0", func(c *Config, _ *Privacy) { c.Lambda, c.Rate = 0, Rate{Inverse: true} }},
		{"no rate", "Scale", func(c *Config, _ *Privacy) { c.Rate.Scale = 0 }},
		{"b = 0", "Batch", func(c *Config, _ *Privacy) { c.Batch = 0 }},
		{"another dimension", "Init", func(c *Config, _ *Privacy) { c.Init = []float64{1} }},
		{"an infinite start", "Init[1]", func(c *Config, _ *Privacy) { c.Init = []float64{1, math.Inf(1)} }},
		{"α = 0", "Alpha", func(_ *Config, p *Privacy) { p.Alpha = 0 }},
		{"a scale that overflows", "Alpha", func(_ *Config, p *Privacy) { p.Alpha = 1e-310 }},
		{"unknown distribution", "Law", func(_ *Config, p *Privacy) { p.Distribution = 9 }},
	} {
		config, p := good, Privacy{Alpha: 1}
		c.change(&config, &p)
		if _, err := Private(context.Background(), stream(1), data, config, p); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: error %v, want one that says %q", c.reason, err, c.says)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := SGD(ctx, stream(1), data, good); err == nil {
		t.Error("a run went on after its context had ended")
	}
}

func TestNoAllocationPerStep(t *testing.T) {
	data := sphere(t, 200, 5, 1)
	allocations := func(epochs int) float64 {
		return testing.AllocsPerRun(5, func() {
			_, err := Private(context.Background(), stream(1), data, Config{Rate: Rate{Scale: 1}, Batch: 1, Epochs: epochs}, Privacy{Alpha: 1})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	if one, many := allocations(1), allocations(20); many > one+2 { // Shuffle's closure at most
		t.Errorf("%v allocations in one pass, %v in twenty", one, many)
	}
}

func BenchmarkPass(b *testing.B) { // 60,000 × 15 at b = 1, in at most 0.1 s
	data := sphere(b, 60000, 15, 1)
	for b.Loop() {
		if _, err := Private(context.Background(), stream(1), data, Config{Lambda: 1e-4, Rate: Rate{Scale: 1}, Batch: 1, Epochs: 1}, Privacy{Alpha: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNoise(b *testing.B) { // d = 34, in at most 0.5 µs
	noise, err := NewNoise(DistributionPrinted, 34, 1)
	if err != nil {
		b.Fatal(err)
	}
	z, r := make([]float64, 34), stream(1)
	b.ReportAllocs()
	for b.Loop() {
		if err := noise.Draw(r, z); err != nil {
			b.Fatal(err)
		}
	}
}
