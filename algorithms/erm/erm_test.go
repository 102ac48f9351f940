package erm_test

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
)

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
		{"NaN stays NaN", math.NaN(), math.NaN(), math.NaN()},
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

// pair returns the rows (3, 0) with label +1 and (0, -4) with label -1, as a dense and as a sparse data set.
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

func TestObjectiveOfAnyParts(t *testing.T) {
	logistic := erm.Logistic{}
	cases := []struct {
		reason    string
		reg       erm.Regularizer
		penalty   float64 // at w = (3, -4)
		gradient  []float64
		lipschitz float64 // on ‖w‖ ≤ 5, rows of norm 2
	}{
		{"no regularizer", nil, 0, []float64{0, 0}, 2 * logistic.Lipschitz(10)},
		{"l2, half of λ times the square", erm.L2{Lambda: 0.2}, 2.5, []float64{0.6, -0.8}, 2*logistic.Lipschitz(10) + 1},
		{"l1, λ times the sum of magnitudes", erm.L1{Lambda: 0.5, Dim: 2}, 3.5, []float64{0.5, -0.5}, 2*logistic.Lipschitz(10) + 0.5*math.Sqrt2},
		{"l1 of unknown dimension has no bound", erm.L1{Lambda: 0.5}, 3.5, []float64{0.5, -0.5}, math.Inf(1)},
		{"l1 of weight 0 has a bound", erm.L1{}, 0, []float64{0, 0}, 2 * logistic.Lipschitz(10)},
	}
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-14*math.Abs(b) }
	w, g := []float64{3, -4}, make([]float64, 2)
	for _, c := range cases {
		t.Run(c.reason, func(t *testing.T) {
			o := erm.Objective{Loss: logistic, Reg: c.reg}
			for _, data := range pair(t) {
				// The margins are 9 and -16.
				want := (logistic.Value(9)+logistic.Value(-16))/2 + c.penalty
				if got := o.Value(w, data); !near(got, want) {
					t.Errorf("objective %v, want %v", got, want)
				}
				slope := logistic.Derivative(9)
				if got := o.Slope(w, data.Row(0), 1); got != slope {
					t.Errorf("slope %v, want %v", got, slope)
				}
				o.Gradient(w, data.Row(0), 1, g)
				if !near(g[0], c.gradient[0]+3*slope) || !near(g[1], c.gradient[1]) {
					t.Errorf("gradient %v, want %v and %v in the first column", g, c.gradient, 3*slope)
				}
			}
			if got := o.Lipschitz(2, 5); !near(got, c.lipschitz) {
				t.Errorf("Lipschitz constant %v, want %v", got, c.lipschitz)
			}
		})
	}
}

func TestCheck(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	cases := []struct {
		reason string
		part   interface{ Check() error }
		ok     bool
	}{
		{"c is missing", erm.Gompertz{}, false},
		{"the paper's c", erm.Gompertz{C: 2}, true},
		{"c is negative", erm.Gompertz{C: -2}, false},
		{"c not a number", erm.Gompertz{C: nan}, false},
		{"c infinite", erm.Gompertz{C: inf}, false},
		{"s at the paper's ends", erm.Ramp{S: -2}, true},
		{"s at the paper's ends", erm.Ramp{}, true},
		{"s below", erm.Ramp{S: -2.1}, false},
		{"s above", erm.Ramp{S: 0.1}, false},
		{"s not a number", erm.Ramp{S: nan}, false},
		{"λ = 0", erm.L2{}, true},
		{"λ negative", erm.L2{Lambda: -1}, false},
		{"λ not a number", erm.L1{Lambda: nan}, false},
		{"λ infinite", erm.L1{Lambda: inf}, false},
		{"dimension negative", erm.L1{Dim: -1}, false},
		{"no φ", erm.AUC{}, false},
		{"no φ", erm.Metric{}, false},
		{"φ outside its domain", erm.AUC{Phi: erm.Gompertz{}}, false},
		{"φ in its domain", erm.Metric{Phi: erm.Logistic{}}, true},
	}
	for _, c := range cases {
		if err := c.part.Check(); (err == nil) != c.ok {
			t.Errorf("%s: %#v: error %v, want one: %v", c.reason, c.part, err, !c.ok)
		}
	}
	if erm.CheckLoss(nil) == nil || erm.CheckLoss(erm.Gompertz{}) == nil || erm.CheckLoss(erm.Hinge{}) != nil {
		t.Error("no loss and one out of its domain are errors, a loss without parameters is none")
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
