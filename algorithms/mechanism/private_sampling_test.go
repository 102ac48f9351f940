package mechanism

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mathext"

	"github.com/dpverify/dpverify/algorithms/internal/noise"
)

// vectorOf returns a vector of the given norm with unequal entries of both signs.
func vectorOf(dim int, norm float64) []float64 {
	g := make([]float64, dim)
	squares := 0.0
	for i := range g {
		g[i] = float64(i%7) - 2.5
		squares += g[i] * g[i]
	}
	for i := range g {
		g[i] *= norm / math.Sqrt(squares)
	}
	return g
}

func TestPrivateSamplingLaw(t *testing.T) {
	cases := []struct {
		name          string
		dim           int
		epsilon, norm float64 // norm as a share of L = 2
		n             int
	}{
		{"one dimension", 1, 1, 0.5, draws},
		{"plane", 2, 1, 1, draws},
		{"space", 3, 0.5, 0.3, draws},
		{"ten", 10, 2, 0.7, draws},
		{"images", 784, 1, 1, 10_000},
		{"huge epsilon, norm L", 3, 800, 1, draws},
		{"huge epsilon, small norm", 3, 800, 0.1, draws},
		{"tiny epsilon", 3, 1e-12, 1, draws},
		{"tiny norm", 3, 5, 1e-300, draws},
		{"subnormal norm", 2, 5, 1e-318, draws},
	}
	for seed, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			const lipschitz, bound = 2.0, 7.5
			m := must(NewPrivateSampling(c.dim, c.epsilon, lipschitz, bound))
			g := vectorOf(c.dim, c.norm*lipschitz)
			unit := vectorOf(c.dim, 1)
			if c.norm == 1e-318 {
				g = []float64{0, 2e-318}
				unit = []float64{0, 1}
			}
			r, z := newRand(uint64(seed)), make([]float64, c.dim)
			norm, _ := scaledNorm(g)
			top, bottom := m.LogHalfSpaceDensity(norm)
			tops := 0
			heights := make([]float64, c.n)
			for i := range heights {
				if err := m.Sample(r, g, z); err != nil {
					t.Fatal(err)
				}
				squares, inner := 0.0, 0.0
				for j, v := range z {
					squares += v * v
					inner += v * unit[j]
				}
				if !(math.Abs(math.Sqrt(squares)/bound-1) <= 1e-12) {
					t.Fatalf("norm %v, want %v", math.Sqrt(squares), bound)
				}
				if got := m.LogDensity(g, z); got != bottom && inner < 0 || got != top && inner > 0 {
					t.Fatalf("log density %v at %v, want its half-space's", got, z)
				}
				if inner > 0 {
					tops++
				}
				heights[i] = min(1, inner*inner/(bound*bound))
			}
			density, _ := m.HalfSpaceDensity(norm)
			checkFrequency(t, "top", tops, c.n, density/2)
			if c.dim > 1 {
				// For v uniform on the sphere or on either half, ⟨v, e⟩² has the distribution Beta(1/2, (d-1)/2).
				checkDistribution(t, heights, func(h float64) float64 { return mathext.RegIncBeta(0.5, float64(c.dim-1)/2, h) })
			}
			checkStreams(t, m, g, equalFloats)
		})
	}
}

// TestPrivateSamplingAcross checks the part of the release orthogonal to g: uniform angle in three dimensions.
func TestPrivateSamplingAcross(t *testing.T) {
	m := must(NewPrivateSampling(3, 1, 1, 1))
	r, z := newRand(1), make([]float64, 3)
	angles := make([]float64, draws)
	for i := range angles {
		if err := m.Sample(r, []float64{0, 0, 0.8}, z); err != nil {
			t.Fatal(err)
		}
		angles[i] = math.Atan2(z[1], z[0])
	}
	checkDistribution(t, angles, func(a float64) float64 { return (a + math.Pi) / (2 * math.Pi) })
}

func TestPrivateSamplingZero(t *testing.T) {
	for _, dim := range []int{1, 2, 5} {
		m := must(NewPrivateSampling(dim, 3, 1, 2))
		zero := make([]float64, dim)
		if _, err := m.Release(newRand(1), zero); !errors.Is(err, ErrDomain) || !strings.Contains(err.Error(), "ZeroUniform") {
			t.Errorf("dim %d: error %v, want one that names the remedy", dim, err)
		}
		m.Zero = ZeroUniform
		positive := 0
		z := make([]float64, dim)
		r := newRand(uint64(dim))
		for range draws {
			if err := m.Sample(r, zero, z); err != nil {
				t.Fatal(err)
			}
			if z[0] > 0 {
				positive++
			}
		}
		checkFrequency(t, "first coordinate positive", positive, draws, 0.5)
		if got := m.LogDensity(zero, z); got != 0 {
			t.Errorf("log density %v relative to the uniform law", got)
		}
	}
}

func TestPrivateSamplingErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	m := must(NewPrivateSampling(2, 1, 1, 1))
	for _, c := range []struct {
		reason, names string
		g, dst        []float64
	}{
		{"too short", "len(g)", []float64{1}, make([]float64, 2)},
		{"short dst", "len(dst)", []float64{1, 0}, make([]float64, 1)},
		{"too long a vector", "norm(g)", []float64{1, 1e-6}, make([]float64, 2)},
		{"NaN", "g[1]", []float64{0, nan}, make([]float64, 2)},
		{"infinite", "g[0]", []float64{-inf, 0}, make([]float64, 2)},
		{"overflowing norm", "norm(g)", []float64{1.7e308, 1.7e308}, make([]float64, 2)},
		{"zero", "norm(g)", []float64{0, 0}, make([]float64, 2)},
	} {
		if err := m.Sample(newRand(1), c.g, c.dst); !errors.Is(err, ErrDomain) || !strings.Contains(err.Error(), c.names) {
			t.Errorf("%s: error %v, want one that names %s", c.reason, err, c.names)
		}
		if !slices.Equal(c.dst, make([]float64, len(c.dst))) {
			t.Errorf("%s: dst was written", c.reason)
		}
	}
	if top, bottom := m.HalfSpaceDensity(1.1); !math.IsNaN(top) || !math.IsNaN(bottom) {
		t.Errorf("densities %v, %v beyond L", top, bottom)
	}
}

// TestNormSlack checks that vectors scaled to norm L in floating point, with a sum in reverse order, pass and that
// the slack stays at the size of rounding errors.
func TestNormSlack(t *testing.T) {
	r := newRand(1)
	for _, dim := range []int{1, 2, 10, 784, 20000} {
		m := must(NewPrivateSampling(dim, 1, 0.3, 1))
		for range 50 {
			g := make([]float64, dim)
			squares := 0.0
			for i := range g {
				g[i] = r.NormFloat64()
			}
			for i := dim - 1; i >= 0; i-- {
				squares += g[i] * g[i]
			}
			for i := range g {
				g[i] *= 0.3 / math.Sqrt(squares)
			}
			if _, err := m.Release(r, g); err != nil {
				t.Fatal(err)
			}
		}
		if slack := normSlack(dim); !(slack <= 1e-11) {
			t.Errorf("dim %d: slack %v", dim, slack)
		}
	}
}

// fixedSource replays the given words.
type fixedSource struct {
	words []uint64
	next  int
}

func (s *fixedSource) Uint64() uint64 {
	w := s.words[s.next%len(s.words)]
	s.next++
	return w
}

func TestCoin(t *testing.T) {
	t.Run("compares all digits", func(t *testing.T) {
		// p = 2⁻⁷⁰: 64 zero digits, then 2⁻⁶ of the next word.
		c := newCoin(0x1p-70)
		for _, x := range []struct {
			words []uint64
			want  bool
		}{
			{[]uint64{1}, false}, {[]uint64{0, 1<<58 - 1}, true}, {[]uint64{0, 1 << 58}, false}, {[]uint64{0, 1<<58 + 1}, false},
		} {
			if got := c.toss(rand.New(&fixedSource{words: x.words})); got != x.want {
				t.Errorf("words %v: %v", x.words, got)
			}
		}
	})
	t.Run("ends", func(t *testing.T) {
		for _, word := range []uint64{0, math.MaxUint64} {
			r := rand.New(&fixedSource{words: []uint64{word}})
			never, always := newCoin(0), newCoin(1)
			if never.toss(r) || !always.toss(r) {
				t.Errorf("word %x: p = 0 happened or p = 1 did not", word)
			}
		}
	})
	t.Run("frequency", func(t *testing.T) {
		for seed, p := range []float64{0.001, 0.3, 0.5, 0.9} {
			r, c, hits := newRand(uint64(seed)), newCoin(p), 0
			for range draws {
				if c.toss(r) {
					hits++
				}
			}
			checkFrequency(t, "coin", hits, draws, p)
		}
	})
}

// TestNoInfinity forces the generator's tail, in which log 0 is infinite.
func TestNoInfinity(t *testing.T) {
	tail := uint64(math.MaxUint32) // strip 0, beyond its rectangle
	if e := rand.New(&fixedSource{words: []uint64{tail, 0}}).ExpFloat64(); !math.IsInf(e, 1) {
		t.Skipf("the generator no longer returns +Inf here, but %v", e)
	}
	words := []uint64{tail, 0, 5 << 32, 1}
	if v := noise.Laplace(rand.New(&fixedSource{words: words})); math.IsInf(v, 0) {
		t.Errorf("laplace noise %v", v)
	}
	if v := noise.Exponential(rand.New(&fixedSource{words: words})); math.IsInf(v, 0) {
		t.Errorf("exponential noise %v", v)
	}
}

// TestNoDirection checks that a vector of zeros, which has no direction, is drawn again.
func TestNoDirection(t *testing.T) {
	m := must(NewPrivateSampling(2, 1, 1, 1))
	words := []uint64{1 << 63, 1 << 63, 0, 0, 123456789, 987654321} // two coins, two normals of 0, two others
	z, err := m.Release(rand.New(&fixedSource{words: words}), []float64{0.5, 0})
	if err != nil || !(math.Abs(math.Hypot(z[0], z[1])-1) <= 1e-12) {
		t.Errorf("release %v, error %v", z, err)
	}
}
