package mechanism

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mathext"

	"github.com/dpverify/dpverify/internal/testutil"
)

const draws = 200_000

// checkIndexed compares draws of outputs 0, 1, … with their distribution.
func checkIndexed[D any](t *testing.T, seed uint64, m mechanismOf[D, int], d D, law []float64) {
	t.Helper()
	out := make([]int, draws)
	if err := m.ReleaseN(newRand(seed), d, out); err != nil {
		t.Fatal(err)
	}
	counts := make([]int, len(law))
	for _, o := range out {
		counts[o]++
	}
	testutil.Counts(t, counts, law)
	checkStreams(t, m, d, equalValues[int])
}

// intWindow maps the outputs -8..8 of a count mechanism to 1..17 and the tails to 0 and 18.
func intWindow(o int) int { return max(-9, min(9, o)) + 9 }

func TestDiscreteLaplaceSamples(t *testing.T) {
	for seed, rate := range []float64{0.1, 1, 3} {
		m := must(NewDiscreteLaplace(rate))
		out := make([]int, draws)
		if err := m.ReleaseN(newRand(uint64(seed)), 0, out); err != nil {
			t.Fatal(err)
		}
		counts, law := make([]int, 19), make([]float64, 19)
		for _, o := range out {
			counts[intWindow(o)]++
		}
		a := math.Exp(-rate)
		law[0] = math.Pow(a, 9) / (1 + a)
		law[18] = law[0]
		for k := -8; k <= 8; k++ {
			law[intWindow(k)] = math.Exp(m.LogDensity(0, k))
		}
		testutil.Counts(t, counts, law)
	}
}

// TestScalarSamples bins releases and integrates the density over the bins. It checks the sampler and the density
// against each other, and the total of the density.
func TestScalarSamples(t *testing.T) {
	x := []float64{1, 2, 0, 1, -1}
	cases := []struct {
		name    string
		draw    func(*rand.Rand) float64
		density func(float64) float64
		edges   []float64 // edges of the bins; every kink of the density is an edge
	}{
		{"laplace", func(r *rand.Rand) float64 { return must(must(NewLaplace(2)).Release(r, 1)) },
			func(o float64) float64 { return must(NewLaplace(2)).LogDensity(1, o) }, []float64{-40, -8, -4, -2, -1, 0, 0.5, 1, 1.5, 2, 3, 5, 8, 40}},
		{"gaussian", func(r *rand.Rand) float64 { return must(must(NewGaussian(2)).Release(r, 1)) },
			func(o float64) float64 { return must(NewGaussian(2)).LogDensity(1, o) }, []float64{-15, -4, -2, -1, 0, 0.5, 1, 1.5, 2, 3, 5, 17}},
		{"rnm3", func(r *rand.Rand) float64 { return must(must(NewRNM3(2)).Release(r, x)) },
			func(o float64) float64 { return must(NewRNM3(2)).LogDensity(x, o) }, []float64{-10, -2, -1, 0, 1, 2, 3, 4, 5, 6, 8, 10, 40}},
		{"rnm4", func(r *rand.Rand) float64 { return must(must(NewRNM4(2)).Release(r, x)) },
			func(o float64) float64 { return must(NewRNM4(2)).LogDensity(x, o) }, []float64{2, 2.5, 3, 4, 5, 6, 8, 10, 40}},
	}
	for i, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			law := make([]float64, len(c.edges)-1)
			sum := 0.0
			for j := range law {
				law[j] = quad.Fixed(func(o float64) float64 { return math.Exp(c.density(o)) }, c.edges[j], c.edges[j+1], 64, nil, 0)
				sum += law[j]
			}
			if !(math.Abs(sum-1) <= 1e-6) { // the tolerance covers the tails beyond the edges
				t.Errorf("the density integrates to %v", sum)
			}
			counts := make([]int, len(law))
			r := newRand(uint64(i))
			for range draws {
				o := c.draw(r)
				for j := range counts {
					if o >= c.edges[j] && o < c.edges[j+1] {
						counts[j]++
					}
				}
			}
			testutil.Counts(t, counts, law)
		})
	}
}

func TestScalarDistributions(t *testing.T) {
	out := make([]float64, draws)
	t.Run("laplace", func(t *testing.T) {
		if err := must(NewLaplace(3)).ReleaseN(newRand(1), 0, out); err != nil {
			t.Fatal(err)
		}
		checkDistribution(t, out, func(v float64) float64 { return laplaceTail(-v / 3) })
	})
	t.Run("gaussian", func(t *testing.T) {
		if err := must(NewGaussian(3)).ReleaseN(newRand(2), 0, out); err != nil {
			t.Fatal(err)
		}
		checkDistribution(t, out, func(v float64) float64 { return 0.5 * math.Erfc(-v/3/math.Sqrt2) })
	})
	t.Run("gamma", func(t *testing.T) {
		for seed, shape := range []int{1, 2, 10, 784} {
			r := newRand(uint64(3 + seed))
			for i := range out {
				out[i] = unitGamma(r, shape)
			}
			checkDistribution(t, out, func(v float64) float64 { return mathext.GammaIncReg(float64(shape), v) })
		}
	})
}

func TestGridLaplace(t *testing.T) {
	m := must(NewGridLaplace(1, 0.25))
	counts, law := make([]int, 42), make([]float64, 42)
	out := make([]float64, draws)
	if err := m.ReleaseN(newRand(1), 1, out); err != nil {
		t.Fatal(err)
	}
	inside := 0.0
	for k := -20; k <= 20; k++ {
		law[k+20] = math.Exp(m.LogDensity(1, 1+float64(k)/4))
		inside += law[k+20]
	}
	law[41] = 1 - inside
	for _, o := range out {
		steps := (o - 1) * 4
		if steps != math.Round(steps) || math.Float64bits(o) == 1<<63 {
			t.Fatalf("%v is off the grid, or -0", o)
		}
		if math.Abs(steps) <= 20 {
			counts[int(steps)+20]++
		} else {
			counts[41]++
		}
	}
	testutil.Counts(t, counts, law)
	if got := m.LogDensity(0, 0.1); !math.IsInf(got, -1) {
		t.Errorf("off the grid: log density %v", got)
	}
	// For cells on one side of both inputs, the probabilities have the density's ratio.
	if got := m.LogDensity(1, 5) - m.LogDensity(0, 5); !(math.Abs(got-1) <= 1e-12) {
		t.Errorf("log ratio %v, want 1", got)
	}
	if got := m.LogDensity(0, 2000); !(math.Abs(got-(-2000+0.125+math.Log(-math.Expm1(-0.25))-math.Ln2)) <= 1e-9) {
		t.Errorf("far tail %v", got)
	}
}

// checkRatio checks that E p(a, o)/p(b, o) = 1 over releases o of b, for densities whose ratio is at most
// e^epsilon (Hoeffding on [0, e^epsilon]). A density that does not match the sampler would pass only by
// coincidence.
func checkRatio[D, O any](t *testing.T, seed uint64, m interface {
	mechanismOf[D, O]
	LogDensity(D, O) float64
}, a, b D, epsilon float64, n int) {
	t.Helper()
	out := make([]O, n)
	for _, pair := range [][2]D{{a, b}, {b, a}} {
		if err := m.ReleaseN(newRand(seed), pair[1], out); err != nil {
			t.Fatal(err)
		}
		sum := 0.0
		for _, o := range out {
			ratio := m.LogDensity(pair[0], o) - m.LogDensity(pair[1], o)
			if !(ratio <= epsilon*(1+1e-9)) {
				t.Fatalf("log ratio %v exceeds %v", ratio, epsilon)
			}
			sum += math.Exp(ratio)
		}
		limit := math.Exp(epsilon) * math.Sqrt(math.Log(2/falseAlarm)/(2*float64(n)))
		if got := sum / float64(n); !(math.Abs(got-1) <= limit) {
			t.Errorf("mean ratio %v, limit ±%v", got, limit)
		}
	}
}

func TestL2LaplaceInOneDimension(t *testing.T) {
	one, scalar := must(NewL2Laplace(2)).LogDensity([]float64{1}, []float64{4}), must(NewLaplace(2)).LogDensity(1, 4)
	if !(math.Abs(one-scalar) <= 1e-12) {
		t.Errorf("log density %v, the Laplace mechanism has %v", one, scalar)
	}
}

func TestSparseVectorSamples(t *testing.T) {
	x := []float64{1, 0, 2, 1}
	for name, m := range map[string]*SparseVector{
		"svt1": must(NewSVT1(1, 1, 0.5, 1)), "svt1 c=2": must(NewSVT1(1, 1, 0.5, 2)),
		"svt2 c=2": must(NewSVT2(1, 1, 1, 2)), "svt4": must(NewSVT4(1, 1, 1, 1)),
		"svt5": must(NewSVT5(1, 1, 1)), "svt6": must(NewSVT6(1, 1, 1)),
	} {
		t.Run(name, func(t *testing.T) {
			index := map[[4]int8]int{}
			outputs := m.Outputs(4)
			for i, o := range outputs {
				index[[4]int8(o)] = i
			}
			out := make([][]int8, draws)
			if err := m.ReleaseN(newRand(1), x, out); err != nil {
				t.Fatal(err)
			}
			counts := make([]int, len(outputs))
			for _, o := range out {
				i, ok := index[[4]int8(o)]
				if !ok {
					t.Fatalf("%v is not among the outputs", o)
				}
				counts[i]++
			}
			testutil.Counts(t, counts, m.Distribution(x))
		})
	}
	if must(NewSVT6(1, 1, 1)).Outputs(17) != nil {
		t.Error("2^17 sequences are enumerated")
	}
}

// TestSVT3Law sums the density of Algorithm 3 over the codes and integrates it over the value.
func TestSVT3Law(t *testing.T) {
	m := must(NewSVT3(0.1, 1, 1, 1))
	never, stop := math.Inf(-1), math.NaN()
	for _, x := range [][]float64{{1, 1, 1}, {0, 2, 1}, {-50, 50, 0}} {
		total := math.Exp(m.LogDensity(x, []float64{never, never, never}))
		for at := range x {
			out := []float64{stop, stop, stop}
			for i := range at {
				out[i] = never
			}
			density := func(v float64) float64 {
				out[at] = v
				return math.Exp(m.LogDensity(x, out))
			}
			edges := []float64{-1000, -500, -200, -100, -51, -50, -20, -1, 0, 1, 2, 20, 49, 50, 100, 200, 500, 1000}
			for i := 1; i < len(edges); i++ {
				total += quad.Fixed(density, edges[i-1], edges[i], 40, nil, 0)
			}
		}
		if !(math.Abs(total-1) <= 1e-9) {
			t.Errorf("x = %v: total 1%+g", x, total-1)
		}
	}
	for name, out := range map[string][]float64{
		"goes on after stopping": {stop, 1, stop}, "stops without a positive": {never, stop, stop}, "two positives": {1, 1, stop},
	} {
		if got := m.LogDensity([]float64{1, 1, 1}, out); !math.IsInf(got, -1) {
			t.Errorf("%s: log density %v", name, got)
		}
	}
}
