package mechanism

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// checkLaw fails unless law is a probability distribution over k outputs.
func checkLaw(t interface{ Fatalf(string, ...any) }, law []float64, k int) {
	if len(law) != k {
		t.Fatalf("%d probabilities, want %d", len(law), k)
	}
	sum := 0.0
	for _, p := range law {
		if !(p >= 0 && p <= 1) {
			t.Fatalf("law %v", law)
		}
		sum += p
	}
	if !(math.Abs(sum-1) <= 1e-12) {
		t.Fatalf("law %v sums to 1%+g", law, sum-1)
	}
}

// loss returns the largest log ratio of two distributions, in either direction.
func loss(a, b []float64) float64 {
	worst := 0.0
	for i := range a {
		if a[i] != b[i] {
			worst = max(worst, math.Abs(math.Log(a[i]/b[i])))
		}
	}
	return worst
}

var anyEpsilon = rapid.Custom(func(t *rapid.T) float64 {
	return math.Exp(rapid.Float64Range(math.Log(1e-12), math.Log(500)).Draw(t, "log epsilon"))
})

func TestResponseLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon := anyEpsilon.Draw(t, "epsilon")
		k := rapid.IntRange(2, 50).Draw(t, "k")
		warner, kary := must(NewRandomizedResponse(epsilon)), must(NewKaryResponse(k, epsilon))
		for name, law := range map[string]func(int) []float64{"warner": warner.Distribution, "k-ary": kary.Distribution} {
			size := map[string]int{"warner": 2, "k-ary": k}[name]
			checkLaw(t, law(0), size)
			checkLaw(t, law(size-1), size)
			if got := loss(law(0), law(size-1)); !(math.Abs(got-epsilon) <= 1e-12*max(1, epsilon)) {
				t.Fatalf("%s: epsilon %v, want exactly %v", name, got, epsilon)
			}
			if law(-1) != nil || law(size) != nil {
				t.Fatalf("%s: a law for an input outside the domain", name)
			}
		}
	})
}

func TestTruncatedGeometricLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, n := rapid.IntRange(0, 8).Draw(t, "k"), rapid.IntRange(1, 6).Draw(t, "n")
		m := must(NewTruncatedGeometric(k, n))
		want := math.Log1p(math.Ldexp(1, -k))
		for c := range n {
			a, b := m.Distribution(c), m.Distribution(c+1)
			checkLaw(t, a, n+1)
			checkLaw(t, b, n+1)
			if got := loss(a, b); !(got <= want+1e-12) {
				t.Fatalf("counts %d, %d: epsilon %v, want at most %v", c, c+1, got, want)
			}
		}
		// For n = 1 there is no interior step, and the ratio is the ratio at the ends.
		if got := loss(m.Distribution(0), m.Distribution(1)); !(math.Abs(got-want) <= 1e-12) {
			t.Fatalf("counts 0, 1: epsilon %v, want %v reached", got, want)
		}
	})
}

func TestDiscreteLaplaceLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rate := math.Exp(rapid.Float64Range(math.Log(1e-2), math.Log(500)).Draw(t, "log rate"))
		m := must(NewDiscreteLaplace(rate))
		sum := 0.0
		for k := -int(40/rate) - 1; k <= int(40/rate)+1; k++ {
			sum += math.Exp(m.LogDensity(3, 3+k))
		}
		if !(math.Abs(sum-1) <= 1e-10) {
			t.Fatalf("masses sum to 1%+g", sum-1)
		}
		if got := m.LogDensity(0, -5) - m.LogDensity(1, -5); !(math.Abs(got-rate) <= 1e-12*max(1, rate)*10) {
			t.Fatalf("log ratio %v, want %v", got, rate)
		}
	})
}

func TestChoiceLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 8).Draw(t, "n")
		epsilon := rapid.Float64Range(0.01, 4).Draw(t, "epsilon")
		a := rapid.SliceOfN(rapid.Float64Range(-20, 20), n, n).Draw(t, "answers")
		b := slices.Clone(a)
		for i, move := range rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "moves") {
			b[i] += move
		}
		laws := map[string]func([]float64) []float64{
			"exponential": must(NewExponential(epsilon, 1)).Distribution,
			"rnm1":        must(NewRNM1(2 / epsilon)).Distribution,
			"rnm2":        must(NewRNM2(2 / epsilon)).Distribution,
		}
		for name, law := range laws {
			checkLaw(t, law(a), n)
			if got := loss(law(a), law(b)); !(got <= epsilon*(1+1e-9)+1e-9) {
				t.Fatalf("%s: epsilon %v between neighbors, want at most %v", name, got, epsilon)
			}
		}
	})
}

func TestSparseVectorLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 6).Draw(t, "n")
		c := rapid.IntRange(1, 3).Draw(t, "c")
		epsilon := rapid.Float64Range(0.05, 3).Draw(t, "epsilon")
		threshold := rapid.Float64Range(-3, 3).Draw(t, "threshold")
		a := rapid.SliceOfN(rapid.Float64Range(-10, 10), n, n).Draw(t, "answers")
		b := slices.Clone(a)
		for i, move := range rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, "moves") {
			b[i] += move
		}
		versions := []struct {
			name   string
			m      *SparseVector
			truths float64 // the true ε
		}{
			{"svt1", must(NewSVT1(epsilon, 1, threshold, c)), epsilon},
			{"svt2", must(NewSVT2(epsilon, 1, threshold, c)), epsilon},
			{"svt4", must(NewSVT4(epsilon, 1, threshold, c)), epsilon * float64(1+6*c) / 4},
			{"svt5", must(NewSVT5(epsilon, 1, threshold)), math.Inf(1)},
			{"svt6", must(NewSVT6(epsilon, 1, threshold)), epsilon/2 + float64(n)*epsilon},
		}
		for _, v := range versions {
			law := v.m.Distribution(a)
			checkLaw(t, law, len(v.m.Outputs(n)))
			if got := loss(law, v.m.Distribution(b)); !(got <= v.truths*(1+1e-9)+1e-9) {
				t.Fatalf("%s: epsilon %v between neighbors, want at most %v", v.name, got, v.truths)
			}
		}
	})
}

func TestHalfSpaceLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		epsilon := anyEpsilon.Draw(t, "epsilon")
		lipschitz := rapid.Float64Range(1e-3, 1e3).Draw(t, "L")
		share := rapid.Float64Range(0, 1).Draw(t, "norm/L")
		m := must(NewPrivateSampling(3, epsilon, lipschitz, 1))
		top, bottom := m.HalfSpaceDensity(share * lipschitz)
		// Each half-space has probability 1/2 under the uniform distribution.
		if !(math.Abs(top+bottom-2) <= 1e-12) {
			t.Fatalf("masses %v + %v, want 2 together", top, bottom)
		}
		// P(top) = (1 + m‖g‖/L)/2 with m = tanh(ε/2), derived independently of the code.
		if want := 1 + math.Tanh(epsilon/2)*share; !(math.Abs(top-want) <= 1e-12) {
			t.Fatalf("top density %v, want %v", top, want)
		}
		logTop, logBottom := m.LogHalfSpaceDensity(share * lipschitz)
		if !(math.Abs(math.Exp(logTop)-top) <= 1e-12 && math.Abs(math.Exp(logBottom)-bottom) <= 1e-12) {
			t.Fatalf("logs %v, %v of %v, %v", logTop, logBottom, top, bottom)
		}
		if !(logTop-logBottom <= epsilon*(1+1e-12)+1e-15) {
			t.Fatalf("log ratio %v exceeds epsilon %v", logTop-logBottom, epsilon)
		}
		logTop, logBottom = m.LogHalfSpaceDensity(lipschitz)
		if !(math.Abs(logTop-logBottom-epsilon) <= 1e-12*epsilon+1e-15) {
			t.Fatalf("log ratio %v at norm L, want %v reached", logTop-logBottom, epsilon)
		}
	})
}

// TestReachable compares the exact ε over the inputs of the auditing benchmark with its published figures, to the
// published digits. Other code computed these from the densities.
func TestReachable(t *testing.T) {
	cases := []struct {
		name  string
		pairs []pair
		law   func([]float64) []float64
		want  float64
		digit float64
	}{
		{"rnm1", allDiffer(5), must(NewRNM1(20)).Distribution, 0.0946, 1e-4},
		{"rnm2", allDiffer(5), must(NewRNM2(20)).Distribution, 0.1, 1e-4},
		{"svt1", allDiffer(10), must(NewSVT1(0.1, 1, 0.5, 1)).Distribution, 0.0885, 1e-4},
		{"svt2", allDiffer(10), must(NewSVT2(0.1, 1, 1, 1)).Distribution, 0.0882, 1e-4},
		{"svt4", allDiffer(10), must(NewSVT4(0.1, 1, 1, 1)).Distribution, 0.1725, 1e-4},
		{"svt5", allDiffer(10), must(NewSVT5(0.1, 1, 1)).Distribution, math.Inf(1), 0},
		{"svt6", allDiffer(10), must(NewSVT6(0.1, 1, 1)).Distribution, 0.420, 1e-3},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := reachable(c.pairs, c.law); got != c.want && !(math.Abs(got-c.want) <= c.digit/2*1.01) {
				t.Errorf("reachable epsilon %.6f, published %v", got, c.want)
			}
		})
	}
	t.Run("trunc_geom", func(t *testing.T) {
		m := must(NewTruncatedGeometric(3, 5))
		if got := loss(m.Distribution(2), m.Distribution(3)); !(math.Abs(got-math.Log1p(1.0/8)) <= 1e-12) {
			t.Errorf("reachable epsilon %v", got)
		}
	})
	for _, c := range []struct {
		name string
		m    *RAPPOR
		want float64
	}{
		{"rappor", must(NewRAPPOR(20, 4, 0.75, 0.45, 0.55)), 0.300},
		{"onetime_rappor", must(NewOneTimeRAPPOR(20, 4, 0.95)), 0.6005},
	} {
		t.Run(c.name, func(t *testing.T) {
			a, b := c.m.Bits(1), c.m.Bits(2) // they share one bit
			out := make([]int8, 20)
			for _, i := range a {
				out[i] = 1
			}
			for _, i := range b {
				if !slices.Contains(a, i) {
					out[i] = 0
				}
			}
			if got := c.m.LogDensity(1, out) - c.m.LogDensity(2, out); !(math.Abs(got-c.want) <= 1e-4) {
				t.Errorf("filters %v, %v: reachable epsilon %v, published %v", a, b, got, c.want)
			}
		})
	}
}
