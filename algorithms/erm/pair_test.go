package erm_test

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
)

// pairLosses lists the losses that the pair laws test. A new loss is a row here and a row in curves.
var pairLosses = []erm.PairLoss{
	erm.AUC{Phi: erm.Logistic{}},
	erm.AUC{Phi: erm.Gompertz{C: 2}},
	erm.Metric{Phi: erm.Logistic{}},
	erm.Metric{Phi: erm.Sigmoid{}},
}

// pairCase is a test point of a pair loss: two examples of norm at most rowNorm and two points in the ball of w.
type pairCase struct {
	rowNorm, radius float64
	a, b            erm.Example
	w, v            []float64
}

func drawPair(t *rapid.T, l erm.PairLoss) pairCase {
	d := rapid.IntRange(1, 4).Draw(t, "d")
	c := pairCase{rowNorm: rapid.Float64Range(0.1, 2).Draw(t, "rowNorm"), radius: rapid.Float64Range(0.1, 3).Draw(t, "radius")}
	vector := func(n int, norm float64, name string) []float64 {
		v := rapid.SliceOfN(rapid.Float64Range(-1, 1), n, n).Draw(t, name)
		if size := floats.Norm(v, 2); size > 1 {
			floats.Scale(1/size, v)
		}
		floats.Scale(norm, v)
		return v
	}
	example := func(name string) erm.Example {
		e := erm.Example{X: dataset.Row{Values: vector(d, c.rowNorm, name)}, Y: rapid.SampledFrom([]float64{-1, 1}).Draw(t, name+" label")}
		if rapid.Bool().Draw(t, name+" sparse") {
			e.X = sparse(e.X.Values)
		}
		return e
	}
	c.a, c.b = example("a"), example("b")
	c.w, c.v = vector(l.Dim(d), c.radius, "w"), vector(l.Dim(d), c.radius, "v")
	return c
}

// sparse returns a sparse row that omits the zeros.
func sparse(values []float64) dataset.Row {
	x := dataset.Row{Columns: []int32{}}
	for k, v := range values {
		if v != 0 {
			x.Columns, x.Values = append(x.Columns, int32(k)), append(x.Values, v)
		}
	}
	return x
}

func pairGradient(l erm.PairLoss, w []float64, a, b erm.Example) []float64 {
	g := make([]float64, len(w))
	l.AddGradient(w, a, b, 1, g)
	return g
}

// pairLaws lists the properties that every pair loss must have. The tolerances cover rounding, as values and
// constants are below 1e3.
var pairLaws = []struct {
	name string
	keep func(l erm.PairLoss, c pairCase) error
}{
	{"lipschitz", func(l erm.PairLoss, c pairCase) error {
		g, gap := l.Lipschitz(c.rowNorm, c.radius), floats.Distance(c.w, c.v, 2)
		if size := floats.Norm(pairGradient(l, c.w, c.a, c.b), 2); !(size <= g*(1+1e-12)) {
			return fmt.Errorf("a gradient of norm %v exceeds the constant %v", size, g)
		}
		if rise := math.Abs(l.Value(c.w, c.a, c.b) - l.Value(c.v, c.a, c.b)); !(rise <= g*gap+1e-11) {
			return fmt.Errorf("rise %v over %v exceeds the constant %v", rise, gap, g)
		}
		return nil
	}},
	{"smoothness", func(l erm.PairLoss, c pairCase) error {
		gap := floats.Distance(c.w, c.v, 2)
		turn := floats.Distance(pairGradient(l, c.w, c.a, c.b), pairGradient(l, c.v, c.a, c.b), 2)
		if s := l.Smoothness(c.rowNorm, c.radius); !(turn <= s*gap+1e-11) {
			return fmt.Errorf("gradients %v apart over %v exceed the constant %v", turn, gap, s)
		}
		return nil
	}},
	{"convexity", func(l erm.PairLoss, c pairCase) error {
		g := pairGradient(l, c.w, c.a, c.b)
		tangent := l.Value(c.w, c.a, c.b) + floats.Dot(g, c.v) - floats.Dot(g, c.w)
		if v := l.Value(c.v, c.a, c.b); l.Convex() && v < tangent-1e-11 {
			return fmt.Errorf("value %v is below the tangent, %v", v, tangent)
		}
		return nil
	}},
	{"gradient", func(l erm.PairLoss, c pairCase) error {
		const h = 1e-5
		g, w := pairGradient(l, c.w, c.a, c.b), append([]float64(nil), c.w...)
		for k := range w {
			w[k] = c.w[k] + h
			above := l.Value(w, c.a, c.b)
			w[k] = c.w[k] - h
			below := l.Value(w, c.a, c.b)
			w[k] = c.w[k]
			// Truncation is h²/6 times the third derivative, below 16³·6.
			if slope := (above - below) / (2 * h); !(math.Abs(slope-g[k]) <= 1e-6) {
				return fmt.Errorf("component %d is %v, slope %v", k, g[k], slope)
			}
		}
		return nil
	}},
	{"order", func(l erm.PairLoss, c pairCase) error {
		one, two := l.Value(c.w, c.a, c.b), l.Value(c.w, c.b, c.a)
		if !(math.Abs(one-two) <= 1e-12*(1+one)) {
			return fmt.Errorf("ℓ(z, z') = %v, ℓ(z', z) = %v", one, two)
		}
		return nil
	}},
	{"scale and sum", func(l erm.PairLoss, c pairCase) error {
		sum := append([]float64(nil), c.v...)
		l.AddGradient(c.w, c.a, c.b, -0.5, sum)
		want := append([]float64(nil), c.v...)
		floats.AddScaled(want, -0.5, pairGradient(l, c.w, c.a, c.b))
		if !floats.EqualApprox(sum, want, 1e-12) {
			return fmt.Errorf("added -1/2 of the gradient: %v, want %v", sum, want)
		}
		return nil
	}},
}

func TestPairLaws(t *testing.T) {
	for _, l := range pairLosses {
		for _, law := range pairLaws {
			t.Run(l.Name()+"/"+law.name, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					if err := law.keep(l, drawPair(t, l)); err != nil {
						t.Fatal(err)
					}
				})
			})
		}
	}
}

// firstLabel uses y instead of yy', so its loss depends on the order.
type firstLabel struct{ erm.Metric }

func (l firstLabel) Value(w []float64, a, b erm.Example) float64 {
	b.Y = 1
	return l.Metric.Value(w, a, b)
}

// overwriting overwrites dst instead of adding to it.
type overwriting struct{ erm.AUC }

func (l overwriting) AddGradient(w []float64, a, b erm.Example, c float64, dst []float64) {
	clear(dst)
	l.AUC.AddGradient(w, a, b, c, dst)
}

// single assumes that the distance between rows is at most their norm.
type single struct{ erm.AUC }

func (l single) Lipschitz(rowNorm, radius float64) float64 { return l.AUC.Lipschitz(rowNorm/2, radius) }
func (l single) Smoothness(rowNorm, radius float64) float64 {
	return l.AUC.Smoothness(rowNorm/2, radius)
}

// bowl claims to be convex.
type bowl struct{ erm.AUC }

func (bowl) Convex() bool { return true }

func TestPairLawsDetectFaults(t *testing.T) {
	row := func(y float64, values ...float64) erm.Example {
		return erm.Example{X: dataset.Row{Values: values}, Y: y}
	}
	opposite := pairCase{1, 3, row(1, 0.6, 0.8), row(-1, -0.6, -0.8), []float64{-0.1, -0.1}, []float64{0.1, 0.1}}
	metric := pairCase{1, 3, row(1, 0.6, 0.8), row(-1, -0.6, -0.8), []float64{0.5, 0, 0, 0.5}, []float64{0, 0, 0, 0}}
	cases := []struct {
		fault string
		loss  erm.PairLoss
		at    pairCase
		law   string
	}{
		{"only one of two labels", firstLabel{erm.Metric{Phi: erm.Logistic{}}}, metric, "order"},
		{"value and gradient of different labels", firstLabel{erm.Metric{Phi: erm.Logistic{}}}, metric, "gradient"},
		{"the sum is lost", overwriting{erm.AUC{Phi: erm.Logistic{}}}, opposite, "scale and sum"},
		{"half the distance", single{erm.AUC{Phi: erm.Logistic{}}}, opposite, "lipschitz"},
		{"half the distance, squared", single{erm.AUC{Phi: erm.Logistic{}}}, opposite, "smoothness"},
		{"half of the gradient", halfAUC{erm.AUC{Phi: erm.Logistic{}}}, opposite, "gradient"},
		{"not convex", bowl{erm.AUC{Phi: erm.Sigmoid{}}}, pairCase{1, 3, opposite.a, opposite.b, []float64{0.1, 0.1}, []float64{3, 0}}, "convexity"},
	}
	for _, c := range cases {
		t.Run(c.fault, func(t *testing.T) {
			for _, law := range pairLaws {
				if err := law.keep(c.loss, c.at); law.name == c.law && err == nil {
					t.Error("the law of " + law.name + " does not detect the fault")
				}
			}
		})
	}
}

func TestPairValues(t *testing.T) {
	row := func(y float64, values ...float64) erm.Example {
		return erm.Example{X: dataset.Row{Values: values}, Y: y}
	}
	auc, metric := erm.AUC{Phi: erm.Logistic{}}, erm.Metric{Phi: erm.Logistic{}}
	phi, w := erm.Logistic{}, []float64{1, 2, 0, 1} // W = [1 2; 0 1], or a classifier in 4 dimensions
	cases := []struct {
		reason   string
		loss     erm.PairLoss
		w        []float64
		a, b     erm.Example
		value    float64
		gradient []float64
	}{
		// (y-y') = 2, ⟨w, x-x'⟩ = 1·1 + 2·(-1).
		{"positive above negative", auc, w, row(1, 1, 0, 0, 0), row(-1, 0, 1, 0, 0), phi.Value(-2), []float64{2 * phi.Derivative(-2), -2 * phi.Derivative(-2), 0, 0}},
		{"equal labels have gradient 0", auc, w, row(1, 1, 0, 0, 0), row(1, 0, 1, 0, 0), math.Ln2, []float64{0, 0, 0, 0}},
		// u = (1, -1): uᵀWu = 1-2+1 = 0; u = (1, 1): 4.
		{"similar, near in the metric", metric, w, row(1, 1, 0), row(1, 0, 1), phi.Value(1), []float64{-phi.Derivative(1), phi.Derivative(1), phi.Derivative(1), -phi.Derivative(1)}},
		{"different, far in the metric", metric, w, row(1, 1, 0), row(-1, 0, -1), phi.Value(3), []float64{phi.Derivative(3), phi.Derivative(3), phi.Derivative(3), phi.Derivative(3)}},
		{"a row and itself", metric, w, row(-1, 3, 4), row(-1, 3, 4), phi.Value(1), []float64{0, 0, 0, 0}},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			for _, form := range []string{"dense", "sparse", "mixed"} {
				a, b := c.a, c.b
				if form != "dense" {
					a.X = sparse(a.X.Values)
				}
				if form == "sparse" {
					b.X = sparse(b.X.Values)
				}
				if got := c.loss.Value(c.w, a, b); math.Abs(got-c.value) > 1e-15 {
					t.Errorf("%s: value %v, want %v", form, got, c.value)
				}
				if got := pairGradient(c.loss, c.w, a, b); !floats.EqualApprox(got, c.gradient, 1e-15) {
					t.Errorf("%s: gradient %v, want %v", form, got, c.gradient)
				}
				g := make([]float64, len(c.w))
				if n := testing.AllocsPerRun(100, func() { c.loss.AddGradient(c.w, a, b, 1, g); c.loss.Value(c.w, a, b) }); n != 0 {
					t.Errorf("%s: %v allocations", form, n)
				}
			}
		})
	}
}

// The constants at the setting of Huai et al. 2020: rows of norm 1, the unit ball, and φ logistic. The margins are
// at most 4 and 5.
func TestPairConstants(t *testing.T) {
	cases := []struct {
		loss                  erm.PairLoss
		lipschitz, smoothness float64
	}{
		{erm.AUC{Phi: erm.Logistic{}}, 4 / (1 + math.Exp(-4)), 4},
		{erm.Metric{Phi: erm.Logistic{}}, 4 / (1 + math.Exp(-5)), 4},
	}
	for _, c := range cases {
		if g, l := c.loss.Lipschitz(1, 1), c.loss.Smoothness(1, 1); math.Abs(g-c.lipschitz) > 1e-15 || l != c.smoothness {
			t.Errorf("%s: G = %v, L = %v, want %v, %v", c.loss.Name(), g, l, c.lipschitz, c.smoothness)
		}
	}
}

// The gradient of a metric loss is exactly symmetric, so that W stays symmetric.
func TestMetricGradientSymmetric(t *testing.T) {
	l := erm.Metric{Phi: erm.Logistic{}}
	rapid.Check(t, func(t *rapid.T) {
		c := drawPair(t, l)
		g := pairGradient(l, c.w, c.a, c.b)
		d := int(math.Sqrt(float64(len(g))))
		for i := range d {
			for j := range i {
				if g[i*d+j] != g[j*d+i] {
					t.Fatalf("entry (%d, %d) is %v, its mirror image %v", i, j, g[i*d+j], g[j*d+i])
				}
			}
		}
	})
}
