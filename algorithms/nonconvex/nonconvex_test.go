package nonconvex

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
)

func stream(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 1)) }

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// planted returns synthetic data with rows in the unit ball.
func planted(seed uint64, n, dim int) *dataset.Dataset {
	data, _, err := dataset.Planted(stream(seed), n, dim, dataset.PlantedSign)
	if err != nil {
		panic(err)
	}
	return must(must(dataset.Preparation{Scale: dataset.ScaleRows}.Fit(data)).Apply(data))
}

// learner is one algorithm of the package, ready to run in dimension dim.
type learner struct {
	name  string
	set   func(dim int) erm.Set // nil if the algorithm has no set
	learn func(r *rand.Rand, data *dataset.Dataset, c Config) (*Result, error)
}

func l1Ball(dim int) erm.Set  { return must(erm.NewL1Ball(dim, 1)) }
func l2Ball(dim int) erm.Set  { return must(erm.NewL2Ball(dim, 1)) }
func simplex(dim int) erm.Set { return must(erm.NewSimplex(dim, 1)) }

// vertexPick returns a selection of Algorithm 4 at noise sigma, 0 for none.
func vertexPick(sigma float64, noisyMax bool) Selection {
	if sigma == 0 {
		return Selection{Epsilon: math.Inf(1), Sensitivity: 1, NoisyMax: noisyMax}
	}
	return Selection{Epsilon: 1 / sigma, Sensitivity: 1, NoisyMax: noisyMax}
}

func learners() []learner {
	ctx := context.Background()
	all := []learner{
		{name: "DP-PGD, whole space", learn: func(r *rand.Rand, data *dataset.Dataset, c Config) (*Result, error) {
			return PGD(ctx, r, data, must(erm.NewSpace(data.Dim())), 0.005, c)
		}},
		{name: "DP-PGD, ball", set: l2Ball, learn: func(r *rand.Rand, data *dataset.Dataset, c Config) (*Result, error) {
			return PGD(ctx, r, data, must(erm.NewL2Ball(data.Dim(), 1)), 0.005, c)
		}},
		{name: "DP-PMD", set: l1Ball, learn: func(r *rand.Rand, data *dataset.Dataset, c Config) (*Result, error) {
			ball := must(erm.NewL1Ball(data.Dim(), 1))
			return PMD(ctx, r, data, must(erm.NewMirror(ball, must(erm.NewPNorm(1.5, 2)), 0.005)), ball, c)
		}},
		{name: "GD", learn: func(r *rand.Rand, data *dataset.Dataset, c Config) (*Result, error) {
			return GD(ctx, r, data, erm.L1{Lambda: 0.005}, c)
		}},
		{name: "DP-FW-L2", set: l2Ball, learn: func(r *rand.Rand, data *dataset.Dataset, c Config) (*Result, error) {
			return FrankWolfe(ctx, r, data, l2Ball(data.Dim()), OverstepError, c)
		}},
	}
	for _, set := range []func(int) erm.Set{l1Ball, simplex} {
		for _, noisyMax := range []bool{false, true} {
			name := "DP-FW-L1, " + set(1).Name()
			if noisyMax {
				name += ", noisy max"
			}
			all = append(all, learner{name, set, func(r *rand.Rand, data *dataset.Dataset, c Config) (*Result, error) {
				q := vertexPick(c.Sigma, noisyMax)
				c.Sigma = 0
				return FrankWolfeVertices(ctx, r, data, must(HullOf(set(data.Dim()))), q, OverstepCap, c)
			}})
		}
	}
	return all
}

func config(l learner, dim, steps int, sigma float64) Config {
	start := make([]float64, dim)
	if l.set != nil {
		l.set(dim).Project(start)
	}
	return Config{Loss: erm.Sigmoid{Falling: true}, Iterations: steps, Start: start, Sigma: sigma, StepSize: Constant(0.5)}
}

// TestLaws checks the properties of every algorithm.
func TestLaws(t *testing.T) {
	for _, l := range learners() {
		t.Run(l.name, rapid.MakeCheck(func(t *rapid.T) {
			dim, n, steps := rapid.IntRange(1, 6).Draw(t, "dim"), rapid.IntRange(1, 12).Draw(t, "n"), rapid.IntRange(1, 9).Draw(t, "steps")
			seed := rapid.Uint64().Draw(t, "seed")
			sigma := rapid.SampledFrom([]float64{0, 1e-3, 1, 1e3}).Draw(t, "sigma")
			data := planted(seed, n, dim)
			c := config(l, dim, steps, sigma)
			var points [][]float64
			c.Observe = func(k int, x, gradient, next []float64) {
				points = append(points, slices.Clone(x))
				g := make([]float64, dim)
				Gradient(c.Loss, data, x, g)
				if floats.Distance(g, gradient, math.Inf(1)) > 0 {
					t.Fatalf("step %d observes another gradient", k)
				}
			}
			first := must(l.learn(stream(seed), data, c))
			if first.R < 1 || first.R > steps || !slices.Equal(points[first.R-1], first.X) {
				t.Fatalf("R = %d, X = %v, points %v", first.R, first.X, points)
			}
			for _, x := range append(points, first.Next) {
				if l.set != nil && !l.set(dim).Contains(x, 1e-9) {
					t.Fatalf("%v is outside %s", x, l.set(dim).Name())
				}
				for _, v := range x {
					if !finite(v) {
						t.Fatalf("%v is not finite", x)
					}
				}
			}
			c.Observe = nil
			second := must(l.learn(stream(seed), data, c))
			if !slices.Equal(first.X, second.X) || first.R != second.R {
				t.Fatal("the same seed makes another run")
			}
			if sigma == 0 && l.name != "round SGD" {
				other := stream(seed)
				other.IntN(steps) // R as in the first run
				c.Iterations = first.R
				third := must(l.learn(other, data, c))
				if third.R == first.R && floats.Distance(third.X, first.X, 2) > 0 {
					t.Fatal("a run without noise depends on the seed")
				}
			}
		}))
	}
}

// The order of the records does not matter.
func TestOrderOfRecords(t *testing.T) {
	for _, l := range learners() {
		data := planted(3, 20, 4)
		a := must(l.learn(stream(5), data, config(l, 4, 8, 0.1)))
		b := must(l.learn(stream(5), must(data.Subset(stream(6).Perm(data.Len()))), config(l, 4, 8, 0.1)))
		if floats.Distance(a.X, b.X, 2) > 1e-12 {
			t.Errorf("%s: %v, and with the records in another order %v", l.name, a.X, b.X)
		}
	}
}

// Without noise Algorithm 1 is proximal gradient descent, checked by hand in one dimension, and Algorithms 2 and 4
// agree.
func TestWithoutNoise(t *testing.T) {
	data := must(dataset.NewDense(1, []float64{1}, []float64{1}))
	c := Config{Loss: erm.Sigmoid{}, Iterations: 1, Start: []float64{0}, StepSize: Constant(2)}
	result := must(PGD(context.Background(), stream(1), data, must(erm.NewSpace(1)), 0.05, c))
	if want := -2 * (0.25 - 0.05); math.Abs(result.Next[0]-want) > 1e-15 {
		t.Errorf("x_2 = %v, want the soft threshold %v", result.Next[0], want)
	}
	many := planted(2, 50, 5)
	for _, set := range []erm.Set{l1Ball(5), simplex(5)} {
		start := make([]float64, 5)
		set.Project(start)
		c := Config{Loss: erm.Sigmoid{Falling: true}, Iterations: 7, Start: start, StepSize: Constant(0.3)}
		two := must(FrankWolfe(context.Background(), stream(1), many, set, OverstepError, c))
		four := must(FrankWolfeVertices(context.Background(), stream(1), many, must(HullOf(set)), vertexPick(0, false), OverstepError, c))
		if floats.Distance(two.X, four.X, 2) > 1e-15 {
			t.Errorf("%s: %v by the oracle, %v by the vertices", set.Name(), two.X, four.X)
		}
	}
}

// The selection has the distribution of the exponential mechanism: 20,000 draws, false alarm with probability
// below 1e-6 (five standard deviations, three cells).
func TestSelectionLaw(t *testing.T) {
	scores, q := []float64{0, 0.5, -1}, Selection{Epsilon: 2, Sensitivity: 0.5}
	const draws = 20000
	counts, r := make([]float64, 3), stream(7)
	for range draws {
		counts[q.pick(r, scores)]++
	}
	sum := 0.0
	for _, u := range scores {
		sum += math.Exp(2 * u)
	}
	for i, u := range scores {
		p := math.Exp(2*u) / sum
		if math.Abs(counts[i]-draws*p) > 5*math.Sqrt(draws*p*(1-p)) {
			t.Errorf("vertex %d was selected %v times of %d, want the share %.4f", i, counts[i], draws, p)
		}
	}
}

func TestOverstep(t *testing.T) {
	data := planted(1, 5, 2)
	c := Config{Loss: erm.Sigmoid{}, Iterations: 3, Start: []float64{0, 0}, StepSize: Constant(1.5)}
	if _, err := FrankWolfe(context.Background(), stream(1), data, l2Ball(2), OverstepError, c); err == nil || !strings.Contains(err.Error(), "leaves the set") {
		t.Errorf("a step of 1.5 gives %v", err)
	}
	if r := must(FrankWolfe(context.Background(), stream(1), data, l2Ball(2), OverstepCap, c)); r.Gamma != 1 || !l2Ball(2).Contains(r.Next, 1e-12) {
		t.Errorf("a capped step: γ = %v, x = %v", r.Gamma, r.Next)
	}
}

func TestErrors(t *testing.T) {
	data := planted(1, 5, 2)
	good := Config{Loss: erm.Sigmoid{}, Iterations: 3, Start: []float64{0, 0}, StepSize: Constant(0.5)}
	space := must(erm.NewSpace(2))
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		reason string
		ctx    context.Context
		data   *dataset.Dataset
		change func(*Config)
		want   string
	}{
		{"no data", nil, nil, func(*Config) {}, "no data"},
		{"no loss", nil, data, func(c *Config) { c.Loss = nil }, "loss"},
		{"no steps", nil, data, func(c *Config) { c.Iterations = 0 }, "Iterations is 0"},
		{"noise that is NaN", nil, data, func(c *Config) { c.Sigma = math.NaN() }, "Sigma is NaN"},
		{"negative noise", nil, data, func(c *Config) { c.Sigma = -1 }, "Sigma is -1"},
		{"no step size", nil, data, func(c *Config) { c.StepSize = nil }, "StepSize"},
		{"a step size that is NaN", nil, data, func(c *Config) { c.StepSize = Constant(math.NaN()) }, "step 1 has the size NaN"},
		{"a start of another length", nil, data, func(c *Config) { c.Start = []float64{0} }, "Start has length 1"},
		{"a start that is infinite", nil, data, func(c *Config) { c.Start = []float64{0, math.Inf(1)} }, "Start[1]"},
		{"noise that overflows", nil, data, func(c *Config) { c.Sigma, c.StepSize = 1e308, Constant(1e308) }, "step 1 makes entry"},
		{"a context that has ended", cancelled, data, func(*Config) {}, "canceled"},
	} {
		config := good
		c.change(&config)
		ctx := c.ctx
		if ctx == nil {
			ctx = context.Background()
		}
		if _, err := PGD(ctx, stream(1), c.data, space, 0, config); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", c.reason, err, c.want)
		}
	}
	outside := good
	outside.Start = []float64{2, 0}
	if _, err := FrankWolfe(context.Background(), stream(1), data, l2Ball(2), OverstepError, outside); err == nil || !strings.Contains(err.Error(), "outside") {
		t.Errorf("a start outside the set: %v", err)
	}
	if _, err := HullOf(l2Ball(2)); err == nil {
		t.Error("the vertices of a ball are known")
	}
	if _, err := FrankWolfeVertices(context.Background(), stream(1), data, Hull{}, Selection{}, OverstepError, good); err == nil {
		t.Error("no hull, no error")
	}
	if _, err := NoiseTheorem1(Budget{Epsilon: 1, Delta: 1, Steps: 1, Records: 1, Lipschitz: 1}, 1); err == nil {
		t.Error("δ = 1, no error")
	}
}

// TestNoise compares the noise formulas with values computed by hand.
func TestNoise(t *testing.T) {
	b := Budget{Epsilon: 2, Delta: math.Exp(-4), Steps: 100, Records: 50, Lipschitz: 3}
	unit := 3.0 * 10 / 50
	rho := math.Pow(math.Sqrt(6)-2, 2)
	for _, c := range []struct {
		reason string
		got    float64
		want   float64
	}{
		{"eq. (3)", must(NoiseTheorem1(b, 9)), unit * 3 * 2 / 2},
		{"line 3: ρ + 2√(4ρ) = 2", rho + 2*math.Sqrt(4*rho), 2},
		{"line 3", must(NoiseStep3(b)), unit * math.Sqrt2 / rho},
		{"closed form", must(NoiseConcentrated(b)), unit * math.Sqrt(2/rho)},
		{"Zhang, with T", must(NoiseZhang(b, true)), unit * math.Sqrt(32*4*(math.Log(100)+4)) / 2},
		{"Zhang, as printed", must(NoiseZhang(b, false)), unit * math.Sqrt(32*4*(math.Log(100)+4)) / 20},
		{"moments: λ = 5 of 2λ(λ+1)/(2λ-4)", must(NoiseMoments(b)), unit * math.Sqrt(10)},
		{"Lemma 1", must(StepEpsilon(b)), 2 / math.Sqrt(8*100*4)},
		{"scores", ScoreSensitivity(3, 2, 50), 12.0 / 50},
	} {
		if math.Abs(c.got-c.want) > 1e-12*c.want {
			t.Errorf("%s: %v, want %v", c.reason, c.got, c.want)
		}
	}
}

// Rows processed four at a time give the same gradient as one at a time. The results are identical where products
// are not fused with sums.
func TestGradientBlocks(t *testing.T) {
	for _, n := range []int{1, 3, 4, 5, 8, 11} { // with and without remaining rows
		data := planted(uint64(n), n, 7)
		w, got, want := make([]float64, 7), make([]float64, 7), make([]float64, 7)
		for j := range w {
			w[j] = stream(uint64(j)).NormFloat64()
		}
		loss := erm.Sigmoid{Falling: true}
		Gradient(loss, data, w, got)
		for i := range n {
			y := data.Label(i)
			data.Row(i).AddTo(want, 1/float64(n)*y*loss.Derivative(y*data.Row(i).Dot(w)))
		}
		if !floats.EqualApprox(got, want, 1e-15) {
			t.Errorf("%d rows: %v, one by one %v", n, got, want)
		}
	}
}
