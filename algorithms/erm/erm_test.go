package erm_test

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
)

// losses are under the laws below; a new loss is a new row.
var losses = []struct {
	reason string
	loss   erm.Loss
}{
	{"convex, Lipschitz, not smooth", erm.Hinge{}},
}

// margins stay where rounding of the difference quotients is far below the
// tolerance of 1e-9.
var margins = rapid.Float64Range(-50, 50)

func TestLossLaws(t *testing.T) {
	for _, c := range losses {
		t.Run(c.loss.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				a, b := margins.Draw(t, "a"), margins.Draw(t, "b")
				const slack = 1e-9
				va, vb := c.loss.Value(a), c.loss.Value(b)
				da, db := c.loss.Derivative(a), c.loss.Derivative(b)
				if va < 0 || math.IsNaN(va) {
					t.Fatalf("Value(%v) = %v, want a number from 0", a, va)
				}
				if g := c.loss.Lipschitz(50); math.Abs(va-vb) > g*math.Abs(a-b)+slack || math.Abs(da) > g {
					t.Fatalf("the Lipschitz constant %v is exceeded between %v and %v", g, a, b)
				}
				if s := c.loss.Smoothness(50); math.Abs(da-db) > s*math.Abs(a-b)+slack {
					t.Fatalf("the smoothness constant %v is exceeded between %v and %v", s, a, b)
				}
				if c.loss.Convex() && vb < va+da*(b-a)-slack {
					t.Fatalf("Value(%v) = %v lies below the tangent at %v", b, vb, a)
				}
			})
		})
	}
}

func TestLossDerivative(t *testing.T) {
	for _, c := range losses {
		t.Run(c.loss.Name(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := margins.Draw(t, "margin")
				const h = 1e-6
				low, high := c.loss.Derivative(m-h), c.loss.Derivative(m+h)
				slope := (c.loss.Value(m+h) - c.loss.Value(m-h)) / (2 * h)
				if slope < min(low, high)-1e-7 || slope > max(low, high)+1e-7 {
					t.Fatalf("slope at %v is %v, derivatives beside it %v and %v", m, slope, low, high)
				}
			})
		})
	}
}

func TestHinge(t *testing.T) {
	cases := []struct {
		reason                    string
		margin, value, derivative float64
	}{
		{"wrong side", -2, 3, -1},
		{"on the hyperplane", 0, 1, -1},
		{"just inside the margin", 1 - 0x1p-53, 0x1p-53, -1},
		{"the kink belongs to the flat side", 1, 0, 0},
		{"well classified", 7, 0, 0},
		{"not a number stays visible", math.NaN(), math.NaN(), math.NaN()},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
			if v, d := (erm.Hinge{}).Value(c.margin), (erm.Hinge{}).Derivative(c.margin); !same(v, c.value) || !same(d, c.derivative) {
				t.Errorf("value %v, derivative %v; want %v, %v", v, d, c.value, c.derivative)
			}
		})
	}
	if s := (erm.Hinge{}).Smoothness(0.5); s != 0 {
		t.Errorf("smoothness on [-0.5, 0.5] is %v, want 0: the kink is at 1", s)
	}
}

// pair is (3, 0) labelled +1 and (0, -4) labelled -1, dense and sparse.
func pair(t *testing.T) []*dataset.Dataset {
	t.Helper()
	dense, err := dataset.NewDense(2, []float64{3, 0, 0, -4}, []float64{1, -1})
	if err != nil {
		t.Fatal(err)
	}
	sparse, err := dataset.NewSparse(2, []int{0, 1, 2}, []int32{0, 1}, []float64{3, -4}, []float64{1, -1})
	if err != nil {
		t.Fatal(err)
	}
	return []*dataset.Dataset{dense, sparse}
}

func TestObjective(t *testing.T) {
	o := erm.Objective{Loss: erm.Hinge{}, Reg: erm.L2{Lambda: 0.5}}
	w := []float64{0.1, 1}
	for _, data := range pair(t) {
		// By hand: margins 0.3 and 4, losses 0.7 and 0; (λ/2)‖w‖² = 0.25·1.01.
		if got, want := o.Value(w, data), 0.35+0.2525; math.Abs(got-want) > 1e-15 {
			t.Errorf("sparse %v: objective %v, want %v", data.Sparse(), got, want)
		}
		g := make([]float64, 2)
		o.Gradient(w, data.Row(0), data.Label(0), g)
		if g[0] != 0.05-3 || g[1] != 0.5 {
			t.Errorf("sparse %v: gradient %v, want [-2.95 0.5]", data.Sparse(), g)
		}
		if n := testing.AllocsPerRun(100, func() { o.Gradient(w, data.Row(0), data.Label(0), g) }); n != 0 {
			t.Errorf("sparse %v: Gradient allocates %v times", data.Sparse(), n)
		}
	}
	if got := o.Lipschitz(2, 3); got != 2+1.5 {
		t.Errorf("Lipschitz(2, 3) = %v, want 3.5", got)
	}
}

func TestErrorRate(t *testing.T) {
	cases := []struct {
		reason string
		w      []float64
		want   float64
	}{
		{"a tie is predicted +1: row 1 is right, row 2 wrong", []float64{0, 0}, 0.5},
		{"both right", []float64{1, 1}, 0},
		{"both wrong", []float64{-1, -1}, 1},
		{"a diverged classifier is wrong everywhere", []float64{math.NaN(), math.NaN()}, 1},
	}
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			for _, data := range pair(t) {
				if got := erm.ErrorRate(c.w, data); got != c.want {
					t.Errorf("sparse %v: %v, want %v", data.Sparse(), got, c.want)
				}
			}
		})
	}
}

// A7A's shape: 14 ones in 123 columns.
func BenchmarkGradientSparse(b *testing.B) {
	columns := []int32{2, 10, 13, 18, 38, 41, 54, 63, 66, 72, 74, 75, 79, 82}
	values := make([]float64, len(columns))
	for k := range values {
		values[k] = 1
	}
	data, err := dataset.NewSparse(123, []int{0, len(columns)}, columns, values, []float64{1})
	if err != nil {
		b.Fatal(err)
	}
	o := erm.Objective{Loss: erm.Hinge{}, Reg: erm.L2{Lambda: 1e-3}}
	w, g := make([]float64, 123), make([]float64, 123)
	b.ReportAllocs()
	for b.Loop() {
		o.Gradient(w, data.Row(0), data.Label(0), g)
	}
}
