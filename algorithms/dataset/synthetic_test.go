package dataset_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
)

func generator(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 2)) }

// Every row is on the sphere, outside the margin, and on the side of the plane that its label states.
func TestSphere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		n, dim := rapid.IntRange(1, 40).Draw(t, "n"), rapid.IntRange(2, 8).Draw(t, "dim")
		margin := rapid.Float64Range(0, 0.5).Draw(t, "margin")
		s, w, err := dataset.Sphere(generator(seed), n, dim, margin)
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != n || s.Dim() != dim || math.Abs((dataset.Row{Values: w}).Norm()-1) > 1e-14 {
			t.Fatalf("%d × %d, normal of norm %v", s.Len(), s.Dim(), (dataset.Row{Values: w}).Norm())
		}
		for i := range n {
			if norm, score := s.Row(i).Norm(), s.Label(i)*s.Row(i).Dot(w); math.Abs(norm-1) > 1e-14 || score < margin-1e-14 {
				t.Fatalf("row %d: norm %v, y⟨w, x⟩ = %v below the margin %v", i, norm, score, margin)
			}
		}
		again, _, err := dataset.Sphere(generator(seed), n, dim, margin)
		if err != nil || !cmp.Equal(table(s), table(again)) {
			t.Fatalf("the seed does not fix the data: %v", err)
		}
	})
}

// For the uniform distribution on the sphere, the first, second and fourth moments of every coordinate are within
// 6 standard deviations, computed from the distribution. By the normal limit, a correct generator fails with
// probability below 15 · 2e-9 = 3e-8 over the draw of the seed, which is fixed. The margin of 0.001 changes the
// moments by less than 1e-5.
//
// The negative control draws from the cube. Its second moments are right, but its fourth moments are 0.0703
// (simulated) instead of 3/35 = 0.0857. That is 10 standard deviations away, so the test detects it with
// probability above 0.999 in each coordinate.
func TestSphereIsUniform(t *testing.T) {
	const n, dim = 10_000, 5
	s, _, err := dataset.Sphere(generator(1), n, dim, 0.001)
	if err != nil {
		t.Fatal(err)
	}
	if failed := momentsOff(s); failed != "" {
		t.Error(failed)
	}
	r := generator(2)
	values, labels := make([]float64, n*dim), make([]float64, n)
	for i := range labels {
		labels[i] = 1
		norm := 0.0
		for k := range dim {
			v := 2*r.Float64() - 1
			values[i*dim+k] = v
			norm += v * v
		}
		for k := range dim {
			values[i*dim+k] /= math.Sqrt(norm)
		}
	}
	cube, err := dataset.NewDense(dim, values, labels)
	if err != nil {
		t.Fatal(err)
	}
	if momentsOff(cube) == "" {
		t.Error("a cube projected on the sphere passed for uniform")
	}
}

// momentsOff names the first moment of a coordinate that is more than 6 standard deviations from the uniform
// distribution's: E x² = 1/d, E x⁴ = 3/(d(d+2)), E x⁸ = 105/(d(d+2)(d+4)(d+6)).
func momentsOff(s *dataset.Dataset) string {
	d, n := float64(s.Dim()), float64(s.Len())
	second, fourth := 1/d, 3/(d*(d+2))
	eighth := 105 / (d * (d + 2) * (d + 4) * (d + 6))
	for k := range s.Dim() {
		var mean, square, quartic float64
		for i := range s.Len() {
			v := s.Row(i).Values[k]
			mean += v / n
			square += v * v / n
			quartic += v * v * v * v / n
		}
		switch {
		case math.Abs(mean) > 6*math.Sqrt(second/n):
			return "the mean"
		case math.Abs(square-second) > 6*math.Sqrt((fourth-second*second)/n):
			return "the second moment"
		case math.Abs(quartic-fourth) > 6*math.Sqrt((eighth-fourth*fourth)/n):
			return "the fourth moment"
		}
	}
	return ""
}

// The sign rule is exact. Under the logistic rule the share of labels that contradict the sign is a sum of
// independent indicators with known probabilities. The fixed seed is within 6 standard deviations (Bernstein:
// failure probability below 1e-6). The sign rule, as negative control, has no contradiction and is more than 6
// standard deviations off.
func TestPlanted(t *testing.T) {
	const n, dim = 10_000, 100
	for _, rule := range []dataset.PlantedRule{dataset.PlantedSign, dataset.PlantedLogistic} {
		s, theta, err := dataset.Planted(generator(3), n, dim, rule)
		if err != nil {
			t.Fatal(err)
		}
		if s.Len() != n || s.Dim() != dim || len(theta) != dim {
			t.Fatalf("%d × %d, θ* of %d", s.Len(), s.Dim(), len(theta))
		}
		against, expected, variance := 0.0, 0.0, 0.0
		for i := range n {
			score := s.Row(i).Dot(theta)
			if score*s.Label(i) < 0 {
				against++
			}
			p := 1 / (1 + math.Exp(math.Abs(score)))
			expected += p
			variance += p * (1 - p)
		}
		off := math.Abs(against-expected) / math.Sqrt(variance)
		if rule == dataset.PlantedSign && (against != 0 || off < 6) {
			t.Errorf("sign rule: %v rows against the sign, %.1f standard deviations from the logistic rule", against, off)
		}
		if rule == dataset.PlantedLogistic && off > 6 {
			t.Errorf("logistic rule: %v rows against the sign, want %.0f, %.1f standard deviations off", against, expected, off)
		}
	}
}

func TestSyntheticErrors(t *testing.T) {
	for _, c := range []struct {
		reason string
		n, dim int
		margin float64
	}{
		{"no rows", 0, 5, 0},
		{"one dimension has no sphere around a plane", 10, 1, 0},
		{"negative margin", 10, 5, -0.1},
		{"margin NaN", 10, 5, math.NaN()},
		{"margin 1", 10, 5, 1},
		{"a margin that leaves almost nothing", 10, 1000, 0.5},
		{"too many values", 1 << 30, 1 << 10, 0},
	} {
		if _, _, err := dataset.Sphere(generator(1), c.n, c.dim, c.margin); err == nil {
			t.Errorf("%s: no error", c.reason)
		}
	}
	if _, _, err := dataset.Planted(generator(1), 10, 0, dataset.PlantedSign); err == nil {
		t.Error("dimension 0: no error")
	}
	if _, _, err := dataset.Planted(generator(1), 10, 1, 7); err == nil {
		t.Error("an unknown rule: no error")
	}
}

// Columns selects the same values from dense and sparse rows.
func TestColumns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dense, sparse := drawn(t)
		order := generator(rapid.Uint64().Draw(t, "seed")).Perm(dense.Dim())[:rapid.IntRange(1, dense.Dim()).Draw(t, "kept")]
		for _, s := range []*dataset.Dataset{dense, sparse} {
			out, err := s.Columns(order)
			if err != nil {
				t.Fatal(err)
			}
			for i, row := range table(dense) {
				for k, column := range order {
					if got := out.Row(i).Values[k]; got != row[1+column] || out.Label(i) != row[0] {
						t.Fatalf("row %d, column %d: %v, want %v", i, column, got, row[1+column])
					}
				}
			}
		}
		for _, wrong := range [][]int{nil, {-1}, {dense.Dim()}, {0, 0}} {
			if _, err := dense.Columns(wrong); err == nil {
				t.Fatalf("columns %v were accepted", wrong)
			}
		}
	})
}
