package broken

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"

	"github.com/dpverify/dpverify/algorithms/mechanism"
)

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func newRand(seed byte) *rand.Rand { return rand.New(rand.NewChaCha8([32]byte{seed})) }

// near fails unless the frequency of an event is within Hoeffding's bound of p at error 1e-9.
func near(t *testing.T, what string, hits, n int, p float64) {
	t.Helper()
	limit := math.Sqrt(math.Log(2/1e-9) / (2 * float64(n)))
	if got := float64(hits) / float64(n); !(math.Abs(got-p) <= limit) {
		t.Errorf("%s: frequency %.5f, want %.5f ± %.5f", what, got, p, limit)
	}
}

func count(out []float64, event func(float64) bool) int {
	hits := 0
	for _, o := range out {
		if event(o) {
			hits++
		}
	}
	return hits
}

type scalar interface {
	Release(*rand.Rand, float64) (float64, error)
	ReleaseN(*rand.Rand, float64, []float64) error
}

const draws = 100_000

func sample(t *testing.T, m scalar, x float64) []float64 {
	t.Helper()
	out := make([]float64, draws)
	if err := m.ReleaseN(newRand(1), x, out); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestSupports checks mechanisms with true ε = ∞ by an event that one of two neighbors cannot produce, and its
// probability under the other.
func TestSupports(t *testing.T) {
	const epsilon = 0.5 // scale 2
	cases := []struct {
		name  string
		m     scalar
		event func(float64) bool
		p     float64 // probability from x = 0; from x = 1 it is 0
	}{
		{"absolute", must(NewAbsLaplace(epsilon, 1)), func(o float64) bool { return o < 1 }, -math.Expm1(-0.5)},
		{"clipped", must(NewClippedLaplace(epsilon, 1, 3)), func(o float64) bool { return o == 3 }, 0.5 * math.Exp(-1.5)},
		{"uniform", must(NewUniformNoise(epsilon, 1)), func(o float64) bool { return o < 1-2*math.Sqrt(6) }, 1 / (4 * math.Sqrt(6))},
		{"fixed seed", must(NewFixedSeed(epsilon, 1, 3)), func(o float64) bool {
			return o == must(must(NewFixedSeed(epsilon, 1, 3)).Release(newRand(9), 0))
		}, 1},
		{"zero count", must(NewZeroCount(epsilon, 1)), func(o float64) bool { return o == 0 }, 1},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			near(t, "from 0", count(sample(t, c.m, 0), c.event), draws, c.p)
			if hits := count(sample(t, c.m, 1), c.event); hits != 0 {
				t.Errorf("%d of %d from 1, want 0", hits, draws)
			}
			batch, r := sample(t, c.m, 1), newRand(1)
			for i := range 100 {
				if got := must(c.m.Release(r, 1)); got != batch[i] {
					t.Fatalf("release %d: %v singly, %v in a batch", i, got, batch[i])
				}
			}
		})
	}
}

// TestNaive checks the event of the auditing reference: outputs below 1/2 in magnitude that are finer than 2⁻⁵³.
func TestNaive(t *testing.T) {
	fine := func(o float64) bool {
		scaled := o * 0x1p53
		return math.Abs(o) < 0.5 && scaled != math.Round(scaled)
	}
	m := must(NewNaiveLaplace(0.1, 1))
	if hits := count(sample(t, m, 1), fine); hits != 0 {
		t.Errorf("%d from 1, want 0", hits)
	}
	// The event {|out| < 1/2} has probability 0.0488. At least 0.01 of all draws must be in it and finer.
	if hits := count(sample(t, m, 0), fine); !(hits >= draws/100) {
		t.Errorf("%d of %d from 0: want at least 0.01 of them", hits, draws)
	}
	// Over the real numbers the distribution is Laplace.
	for _, q := range []float64{-20, -5, 0, 3, 15} {
		p := 0.5 * math.Exp(-math.Abs(q)/10)
		if q > 0 {
			p = 1 - p
		}
		near(t, "distribution", count(sample(t, m, 0), func(o float64) bool { return o <= q }), draws, p)
	}
}

// TestLaplaceFaults checks exact log ratios of densities.
func TestLaplaceFaults(t *testing.T) {
	half := must(NewHalfScaleLaplace(0.5, 1))
	if got := half.LogDensity(0, -3) - half.LogDensity(1, -3); !(math.Abs(got-1) <= 1e-12) {
		t.Errorf("half scale: ε %v, want 2·0.5", got)
	}
	for k := 1; k <= 4; k++ {
		m := must(NewSumOfReleases(k, 0.5, 1))
		total := 0.0
		for i := -10; i < 10; i++ { // panels from -300 to 300 around k
			lo := float64(k) + float64(i)*30
			total += quad.Fixed(func(o float64) float64 { return math.Exp(m.LogDensity(1, o)) }, lo, lo+30, 64, nil, 0)
		}
		if !(math.Abs(total-1) <= 1e-9) {
			t.Errorf("k = %d: the density integrates to %v", k, total)
		}
		got := m.LogDensity(0, -1e6) - m.LogDensity(1, -1e6)
		if want := 0.5 * float64(k); !(got <= want && got >= want-1e-4) {
			t.Errorf("k = %d: ε %v in the tail, want to approach %v", k, got, want)
		}
		inside := quad.Fixed(func(o float64) float64 { return math.Exp(m.LogDensity(1, o)) }, float64(k), float64(k)+2, 64, nil, 0)
		near(t, "sum of releases", count(sample(t, m, 1), func(o float64) bool { return o > float64(k) && o <= float64(k)+2 }), draws, inside)
	}
	single, plain := must(NewSumOfReleases(1, 0.5, 1)), must(mechanism.NewLaplace(2))
	if a, b := single.LogDensity(1, 5), plain.LogDensity(1, 5); !(math.Abs(a-b) <= 1e-12) {
		t.Errorf("one release: log density %v, Laplace has %v", a, b)
	}
	batch := must(NewFullBatch(0.5, 1))
	out := make([]float64, draws)
	if err := batch.ReleaseN(newRand(1), []float64{1, 0.5, 1}, out); err != nil {
		t.Fatal(err)
	}
	// Every release sums all records.
	near(t, "full batch", count(out, func(o float64) bool { return o <= 2.5-2 }), draws, 0.5*math.Exp(-1))
	if _, err := batch.Release(newRand(1), []float64{2}); !errors.Is(err, mechanism.ErrDomain) {
		t.Errorf("record above the limit: error %v", err)
	}
}

func TestGaussianFaults(t *testing.T) {
	m := must(NewShortGaussian(1, 1e-5, 1))
	// At the published true ε of 1.098, δ(ε) of Balle & Wang brackets 1e-5.
	sigma := 1 / math.Sqrt(2*math.Pi) / math.Exp(m.LogDensity(0, 0))
	phi := func(v float64) float64 { return 0.5 * math.Erfc(-v/math.Sqrt2) }
	delta := func(epsilon float64) float64 {
		return phi(1/(2*sigma)-epsilon*sigma) - math.Exp(epsilon)*phi(-1/(2*sigma)-epsilon*sigma)
	}
	if !(delta(1.0975) > 1e-5 && delta(1.0985) < 1e-5) {
		t.Errorf("σ = %v: δ is %v at 1.0975, %v at 1.0985", sigma, delta(1.0975), delta(1.0985))
	}
	pure := must(NewPureGaussian(1, 1))
	if got := pure.LogDensity(0, -20) - pure.LogDensity(1, -20); !(got > 20) {
		t.Errorf("log ratio %v at -20, want it to grow without bound", got)
	}
}

func TestDoubled(t *testing.T) {
	lossOf := func(a, b []float64) float64 {
		worst := 0.0
		for i := range a {
			worst = max(worst, math.Abs(math.Log(a[i]/b[i])))
		}
		return worst
	}
	response := must(NewDoubledResponse(0.7))
	if got := lossOf(response.Distribution(0), response.Distribution(1)); !(math.Abs(got-1.4) <= 1e-12) {
		t.Errorf("randomized response: ε %v, want 2·0.7", got)
	}
	choice := must(NewFullExponential(0.7, 1))
	u, v := slices.Repeat([]float64{0}, 200), slices.Repeat([]float64{1}, 200)
	u[0], v[0] = 1, 0
	if got := lossOf(choice.Distribution(u), choice.Distribution(v)); !(got > 1.3*0.7 && got <= 1.4) {
		t.Errorf("exponential mechanism: ε %v, want within (0.91, 1.4]", got)
	}
	sampling := must(NewDoubledSampling(3, 0.7, 1, 1))
	if top, bottom := sampling.LogHalfSpaceDensity(1); !(math.Abs(top-bottom-1.4) <= 1e-12) {
		t.Errorf("private sampling: ε %v, want 2·0.7", top-bottom)
	}
}

func TestVectorFaults(t *testing.T) {
	r := newRand(1)
	x := []float64{1, 0, 3}
	reused, empty := must(NewReusedNoise(1, 1)), must(NewEmptyGroup(1, 1))
	for range 1000 {
		z := must(reused.Release(r, x))
		if !(math.Abs(z[0]-z[1]-1) <= 1e-12 && math.Abs(z[2]-z[0]-2) <= 1e-12) {
			t.Fatalf("reused noise: %v does not show the differences of %v", z, x)
		}
		if z := must(empty.Release(r, x)); z[1] != 0 || z[0] == 1 || z[2] == 3 {
			t.Fatalf("empty group: %v from %v", z, x)
		}
	}
}

// TestSamplingFaults compares half-space frequencies and means with the values that follow from the fault.
func TestSamplingFaults(t *testing.T) {
	keep := math.E / (1 + math.E)
	out := make([][]float64, draws)

	rotated := must(NewRotatedSampling(3, 1, 1, 2, math.Pi/2))
	if err := rotated.ReleaseN(newRand(3), []float64{1, 0, 0}, out); err != nil {
		t.Fatal(err)
	}
	ahead, aside := 0, 0
	for _, z := range out {
		if z[0] > 0 {
			ahead++
		}
		if z[1] > 0 {
			aside++
		}
		if norm := math.Hypot(math.Hypot(z[0], z[1]), z[2]); !(math.Abs(norm-2) <= 1e-12) {
			t.Fatalf("norm %v", norm)
		}
	}
	near(t, "rotated: along g", ahead, draws, 0.5)
	near(t, "rotated: along the turned g", aside, draws, keep)
	z := make([]float64, 3)
	if err := rotated.Sample(newRand(3), []float64{1, 0, 0}, z); err != nil || !slices.Equal(z, out[0]) {
		t.Errorf("%v singly, %v in a batch; error %v", z, out[0], err)
	}
}

func TestErrors(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		names string
		err   error
	}{
		{"epsilon", second(NewHalfScaleLaplace(0, 1))}, {"sensitivity", second(NewHalfScaleLaplace(1, nan))},
		{"k", second(NewSumOfReleases(0, 1, 1))}, {"epsilon", second(NewFullExponential(nan, 1))},
		{"epsilon", second(NewDoubledResponse(-1))}, {"epsilon", second(NewAbsLaplace(nan, 1))},
		{"bound", second(NewClippedLaplace(1, 1, 0))}, {"epsilon", second(NewUniformNoise(0, 1))},
		{"epsilon", second(NewNaiveLaplace(0, 1))}, {"delta", second(NewShortGaussian(1, 1, 1))},
		{"delta", second(NewShortGaussian(1, nan, 1))}, {"sensitivity", second(NewPureGaussian(1, 0))},
		{"epsilon", second(NewReusedNoise(0, 1))}, {"epsilon", second(NewFixedSeed(0, 1, 1))},
		{"epsilon", second(NewEmptyGroup(0, 1))}, {"epsilon", second(NewZeroCount(0, 1))},
		{"epsilon", second(NewFullBatch(0, 1))}, {"dim", second(NewDoubledSampling(0, 1, 1, 1))},
		{"dim", second(NewRotatedSampling(1, 1, 1, 1, 1))}, {"angle", second(NewRotatedSampling(2, 1, 1, 1, nan))},
		{"x", second(must(NewAbsLaplace(1, 1)).Release(newRand(1), nan))},
		{"x", second(must(NewZeroCount(1, 1)).Release(newRand(1), nan))},
		{"answers", second(must(NewReusedNoise(1, 1)).Release(newRand(1), nil))},
	} {
		if !errors.Is(c.err, mechanism.ErrDomain) || !strings.Contains(c.err.Error(), c.names) {
			t.Errorf("error %v, want one that names %q", c.err, c.names)
		}
	}
}

func second[T any](_ T, err error) error { return err }
