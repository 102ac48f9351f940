package erm_test

import (
	"math"
	"testing"

	"github.com/dpverify/dpverify/algorithms/erm"
)

func TestLossValues(t *testing.T) {
	inf := math.Inf(1)
	cases := []struct {
		reason                    string
		loss                      erm.Loss
		margin, value, derivative float64
	}{
		{"log 2 on the hyperplane", erm.Logistic{}, 0, math.Ln2, -0.5},
		// log(1+e^-2), 1/(1+e^2); these and the sigmoids below in 40-digit decimal arithmetic, rounded to 20.
		{"logistic inside", erm.Logistic{}, 2, 0.12692801104297249644, -0.11920292202211755594},
		{"the right tail is e^-m", erm.Logistic{}, 700, math.Exp(-700), -math.Exp(-700)},
		{"below the normal numbers", erm.Logistic{}, 740, math.Exp(-740), -math.Exp(-740)},
		{"the left tail is -m", erm.Logistic{}, -800, 800, -1},
		{"logistic at +Inf", erm.Logistic{}, inf, 0, 0},
		{"logistic at -Inf", erm.Logistic{}, -inf, inf, -1},

		{"the printed sigmoid grows with the margin", erm.Sigmoid{}, 2, 0.88079707797788244406, 0.10499358540350651735},
		{"the falling one is its mirror image", erm.Sigmoid{Falling: true}, 2, 0.11920292202211755594, -0.10499358540350651735},
		{"sigmoid keeps its left tail", erm.Sigmoid{}, -700, math.Exp(-700), math.Exp(-700)},
		{"sigmoid at +Inf", erm.Sigmoid{}, inf, 1, 0},
		{"sigmoid at -Inf", erm.Sigmoid{}, -inf, 0, 0},

		{"1/e on the hyperplane", erm.Gompertz{C: 2}, 0, 1 / math.E, -2 / math.E},
		{"wrong side costs nearly 1", erm.Gompertz{C: 2}, -20, 1, -2 * math.Exp(-40)},
		{"right side costs nothing", erm.Gompertz{C: 2}, 20, 0, 0},
		{"gompertz at +Inf", erm.Gompertz{C: 2}, inf, 0, 0},
		{"gompertz at -Inf", erm.Gompertz{C: 2}, -inf, 1, 0},

		{"ramp flat on the wrong side", erm.Ramp{S: -1}, -3, 2, 0},
		{"the left kink belongs to the slope", erm.Ramp{S: -1}, -1, 2, -1},
		{"ramp is the hinge between", erm.Ramp{S: -1}, 0.5, 0.5, -1},
		{"the right kink belongs to the flat side", erm.Ramp{S: -1}, 1, 0, 0},
		{"ramp at -Inf", erm.Ramp{S: -1}, -inf, 2, 0},
		{"ramp with s = 0 is at most 1", erm.Ramp{}, -1, 1, 0},

		{"squared rises again beyond 1", squared{}, 3, 4, 4},
		{"squared on the wrong side", squared{}, -3, 16, -8},
	}
	// A few ulps, or an absolute error of 1e-320 for subnormal numbers.
	near := func(a, b float64) bool { return a == b || math.Abs(a-b) <= 1e-15*math.Abs(b)+1e-320 }
	for _, c := range cases {
		t.Run(c.loss.Name()+"/"+c.reason, func(t *testing.T) {
			if v, d := c.loss.Value(c.margin), c.loss.Derivative(c.margin); !near(v, c.value) || !near(d, c.derivative) {
				t.Errorf("at %v: value %v, derivative %v; want %v, %v", c.margin, v, d, c.value, c.derivative)
			}
		})
	}
}

// Han et al. 2018 (Sect. 4.1) state the four kinds of their losses.
func TestLossKinds(t *testing.T) {
	cases := []struct {
		loss           erm.Loss
		convex, smooth bool
	}{
		{erm.Logistic{}, true, true},
		{erm.Hinge{}, true, false},
		{erm.Gompertz{C: 2}, false, true},
		{erm.Ramp{S: -1}, false, false},
	}
	for _, c := range cases {
		if smooth := !math.IsInf(c.loss.Smoothness(math.Inf(1)), 1); smooth != c.smooth || c.loss.Convex() != c.convex {
			t.Errorf("%s: convex %v, smooth %v; the paper says %v, %v", c.loss.Name(), c.loss.Convex(), smooth, c.convex, c.smooth)
		}
	}
}

// Hardwarsing 2018, eq. (4), prints the logistic gradient in two forms. The test compares both where neither
// overflows.
func TestLogisticForms(t *testing.T) {
	for m := -700.0; m <= 700; m += 0.25 {
		d := erm.Logistic{}.Derivative(m)
		for _, form := range []float64{-math.Exp(-m) / (1 + math.Exp(-m)), -1 / (1 + math.Exp(m))} {
			if !(math.Abs(d-form) <= 1e-15*math.Abs(form)) {
				t.Errorf("at %v: %v, printed form %v", m, d, form)
			}
		}
	}
}
