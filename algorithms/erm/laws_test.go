package erm_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
)

// curves lists the functions that the laws below test: losses as functions of the margin, and pair losses and
// regularizers restricted to a line on which they attain their constants. A new function is a new row.
var curves = []struct {
	reason string
	curve  erm.Loss
	tight  float64 // the constants are the smallest on domains of at least this size
}{
	{"convex, Lipschitz, not smooth", erm.Hinge{}, 0},
	{"convex, Lipschitz, smooth", erm.Logistic{}, 0},
	{"not convex, smooth; as printed", erm.Sigmoid{}, 0},
	{"not convex, smooth; falling", erm.Sigmoid{Falling: true}, 0},
	{"not convex, smooth, the paper's c", erm.Gompertz{C: 2}, 0},
	{"a small c", erm.Gompertz{C: 0.3}, 0},
	{"not convex, not smooth, middle of the paper's range", erm.Ramp{S: -1}, 0},
	{"the first end of the paper's range", erm.Ramp{S: -2}, 0},
	{"the other end: a kink inside every domain", erm.Ramp{}, 0},
	{"Lipschitz on bounded domains only", squared{}, 0},
	{"pairs of rows of norm 1", pairLine{erm.AUC{Phi: erm.Logistic{}}, 1}, 0},
	{"constants scale with the norm and its square", pairLine{erm.AUC{Phi: squared{}}, 0.7}, 0},
	{"φ need be neither smooth nor convex", pairLine{erm.AUC{Phi: erm.Ramp{S: -1}}, 0.25}, 0},
	{"quadratic in the rows", pairLine{erm.Metric{Phi: erm.Logistic{}}, 1}, 0.25},
	{"constants scale with the norm squared and to the fourth", pairLine{erm.Metric{Phi: squared{}}, 0.7}, 0.52},
	{"φ need not be convex; its sharpest bend is at t = 0.48 ≤ 4r²R-1", pairLine{erm.Metric{Phi: erm.Gompertz{C: 2}}, 0.5}, 1.5},
	{"strongly convex", penaltyLine{erm.L2{Lambda: 0.5}}, 0},
	{"a kink at 0", penaltyLine{erm.L1{Lambda: 0.5, Dim: 3}}, 0},
	{"λ = 0", penaltyLine{erm.L1{Dim: 3}}, 0},
}

// pairLine is a pair loss in one dimension, for the rows norm and -norm with different labels.
type pairLine struct {
	erm.PairLoss
	norm float64
}

func (l pairLine) examples() (a, b erm.Example) {
	return erm.Example{X: dataset.Row{Values: []float64{l.norm}}, Y: 1}, erm.Example{X: dataset.Row{Values: []float64{-l.norm}}, Y: -1}
}

func (l pairLine) Value(s float64) float64 {
	a, b := l.examples()
	return l.PairLoss.Value([]float64{s}, a, b)
}

func (l pairLine) Derivative(s float64) float64 {
	a, b := l.examples()
	var g [1]float64
	l.AddGradient([]float64{s}, a, b, 1, g[:])
	return g[0]
}

func (l pairLine) Lipschitz(domain float64) float64  { return l.PairLoss.Lipschitz(l.norm, domain) }
func (l pairLine) Smoothness(domain float64) float64 { return l.PairLoss.Smoothness(l.norm, domain) }

// penaltyLine is a regularizer restricted to the diagonal of three dimensions.
type penaltyLine struct{ erm.Regularizer }

func diagonal(s float64) []float64 {
	return []float64{s / math.Sqrt(3), s / math.Sqrt(3), s / math.Sqrt(3)}
}

func (l penaltyLine) Value(s float64) float64 { return l.Regularizer.Value(diagonal(s)) }

func (l penaltyLine) Derivative(s float64) float64 {
	var g [3]float64
	l.Gradient(diagonal(s), g[:])
	return (g[0] + g[1] + g[2]) / math.Sqrt(3)
}

func (l penaltyLine) Smoothness(float64) float64 { return l.Regularizer.Smoothness() }
func (penaltyLine) Convex() bool                 { return true }

// laws lists the properties that every curve must have. m is a point in the domain.
var laws = []struct {
	name string
	keep func(l erm.Loss, domain, m float64) error
}{
	{"values", numbers},
	{"derivative", slope},
	{"lipschitz", func(l erm.Loss, domain, _ float64) error {
		return attained(measure(l, domain).steepest, l.Lipschitz(domain))
	}},
	{"smoothness", func(l erm.Loss, domain, _ float64) error {
		return attained(measure(l, domain).bend, l.Smoothness(domain))
	}},
	{"convexity", func(l erm.Loss, _, _ float64) error {
		if slope := measure(l, math.Inf(1)).minBend; l.Convex() != (slope >= -1e-9) {
			return fmt.Errorf("Convex() = %v, but the derivative's smallest slope is %v", l.Convex(), slope)
		}
		return nil
	}},
	{"strong convexity", func(l erm.Loss, domain, _ float64) error {
		if s, ok := l.(interface{ StrongConvexity() float64 }); ok {
			return attained(measure(l, domain).minBend, s.StrongConvexity())
		}
		return nil
	}},
}

func numbers(l erm.Loss, _, m float64) error {
	if v, d := l.Value(m), l.Derivative(m); !(v >= 0) || math.IsNaN(d) {
		return fmt.Errorf("value %v, derivative %v at %v: want numbers and a value of at least 0", v, d, m)
	}
	if v, d := l.Value(math.NaN()), l.Derivative(math.NaN()); v == v || d == d {
		return fmt.Errorf("value %v, derivative %v at NaN: want NaN", v, d)
	}
	return nil
}

// slope compares the derivative with the difference quotient, which is the mean of the derivative. The quotient is
// between the derivative's values at the two ends, except for terms of order h² or a jump at an end.
func slope(l erm.Loss, _, m float64) error {
	const h = 1e-5
	va, vb := l.Value(m-h), l.Value(m+h)
	da, db := l.Derivative(m-h), l.Derivative(m+h)
	slack := 1e-7*(1+math.Abs(da)) + 0x1p-52*(va+vb)/h
	if s := (vb - va) / (2 * h); !(s >= min(da, db)-slack && s <= max(da, db)+slack) {
		return fmt.Errorf("slope at %v is %v, derivatives at distance h are %v and %v", m, s, da, db)
	}
	return nil
}

// attained returns an error if the measured value exceeds the claimed constant or is more than 1 % below it.
func attained(measured, claimed float64) error {
	switch {
	case math.IsInf(claimed, 1) && measured > 1e6:
		return nil
	case measured <= claimed*(1+1e-8)+1e-9 && measured >= 0.99*claimed-1e-9:
		return nil
	}
	return fmt.Errorf("constant: claimed %v, measured %v", claimed, measured)
}

// figures holds, over the domain, the largest slope of the value and the largest and the smallest slope of the
// derivative.
type figures struct{ steepest, bend, minBend float64 }

func measure(l erm.Loss, domain float64) figures {
	type curve struct {
		loss   erm.Loss
		domain float64
	}
	if !reflect.ValueOf(l).Comparable() {
		return measureUncached(l, domain)
	}
	f, ok := measured.Load(curve{l, domain})
	if !ok {
		f, _ = measured.LoadOrStore(curve{l, domain}, measureUncached(l, domain))
	}
	return f.(figures)
}

// measured caches the figures by curve and domain, because many laws measure the whole line.
var measured sync.Map

func measureUncached(l erm.Loss, domain float64) figures {
	const n = 2000
	at := func(i int) float64 {
		if math.IsInf(domain, 1) {
			return math.Sinh(20 * float64(i) / n) // to 2.4e8
		}
		return domain * float64(i) / n
	}
	f := figures{minBend: math.Inf(1)}
	a, va, da := at(-n), l.Value(at(-n)), l.Derivative(at(-n))
	var from, to float64 // the ends of the sharpest bend
	for i := 1 - n; i <= n; i++ {
		b, vb, db := at(i), l.Value(at(i)), l.Derivative(at(i))
		f.steepest = max(f.steepest, math.Abs(vb-va)/(b-a), math.Abs(da), math.Abs(db))
		bend := (db - da) / (b - a)
		f.minBend = min(f.minBend, bend)
		if math.Abs(bend) > f.bend {
			f.bend, from, to = math.Abs(bend), a, b
		}
		a, va, da = b, vb, db
	}
	if math.IsInf(l.Smoothness(domain), 1) {
		f.bend = kink(l, from, to)
	}
	return f
}

// kink bisects towards the larger jump of the derivative. The quotient grows without limit only at a kink.
func kink(l erm.Loss, a, b float64) float64 {
	jump := func(a, b float64) float64 { return math.Abs(l.Derivative(b) - l.Derivative(a)) }
	for range 30 {
		if m := (a + b) / 2; jump(a, m) > jump(m, b) {
			b = m
		} else {
			a = m
		}
	}
	return jump(a, b) / (b - a)
}

func TestLaws(t *testing.T) {
	for _, c := range curves {
		for _, law := range laws {
			t.Run(c.curve.Name()+"/"+c.reason+"/"+law.name, func(t *testing.T) {
				rapid.Check(t, func(t *rapid.T) {
					domain := rapid.OneOf(rapid.Float64Range(0.05, 5), rapid.SampledFrom([]float64{1, 2, math.Inf(1)})).Draw(t, "domain")
					domain = max(domain, c.tight)
					reach := min(domain, 50)
					m := rapid.Float64Range(-reach, reach).Draw(t, "m")
					if err := law.keep(c.curve, domain, m); err != nil {
						t.Fatal(err)
					}
				})
			})
		}
	}
}

// twin is a curve with one fault. Its functions replace those of the curve.
type twin struct {
	erm.Loss
	derivative            func(m float64) float64
	lipschitz, smoothness float64 // factors of the constants; 0 means 1
	inverted              bool    // Convex returns the opposite
}

func (w twin) Derivative(m float64) float64 {
	if w.derivative != nil {
		return w.derivative(m)
	}
	return w.Loss.Derivative(m)
}

func factor(f float64) float64 {
	if f == 0 {
		return 1
	}
	return f
}

func (w twin) Lipschitz(domain float64) float64 {
	return factor(w.lipschitz) * w.Loss.Lipschitz(domain)
}
func (w twin) Smoothness(domain float64) float64 {
	return factor(w.smoothness) * w.Loss.Smoothness(domain)
}
func (w twin) Convex() bool { return w.Loss.Convex() != w.inverted }

// halfAUC ignores in its gradient that labels differ by 2.
type halfAUC struct{ erm.AUC }

func (l halfAUC) AddGradient(w []float64, a, b erm.Example, c float64, dst []float64) {
	l.AUC.AddGradient(w, a, b, c/2, dst)
}

// nearMetric assumes that the distance between rows is at most r√2.
type nearMetric struct{ erm.Metric }

func (l nearMetric) Lipschitz(rowNorm, radius float64) float64 {
	return l.Metric.Lipschitz(rowNorm/math.Sqrt2, radius)
}

// weak understates the strong convexity.
type weak struct{ erm.L2 }

func (g weak) StrongConvexity() float64 { return 0.95 * g.Lambda }

// steady claims a finite smoothness for a curve with a kink.
type steady struct{ erm.Hinge }

func (steady) Smoothness(float64) float64 { return 1 }

// rough claims infinite smoothness for a smooth curve.
type rough struct{ erm.Logistic }

func (rough) Smoothness(float64) float64 { return math.Inf(1) }

func TestLawsDetectFaults(t *testing.T) {
	cases := []struct {
		fault string
		curve erm.Loss
		law   string
	}{
		{"Lipschitz constant 5 % too small", twin{Loss: erm.Logistic{}, lipschitz: 0.95}, "lipschitz"},
		{"Lipschitz constant 5 % too large", twin{Loss: erm.Logistic{}, lipschitz: 1.05}, "lipschitz"},
		{"smoothness 5 % too small", twin{Loss: erm.Gompertz{C: 2}, smoothness: 0.95}, "smoothness"},
		{"smoothness 5 % too large", twin{Loss: erm.Sigmoid{}, smoothness: 1.05}, "smoothness"},
		{"finite smoothness despite a kink", steady{}, "smoothness"},
		{"infinite smoothness without a kink", rough{}, "smoothness"},
		{"convexity is claimed wrongly", twin{Loss: erm.Sigmoid{Falling: true}, inverted: true}, "convexity"},
		{"convexity is denied wrongly", twin{Loss: erm.Hinge{}, inverted: true}, "convexity"},
		{"strong convexity 5 % too small", penaltyLine{weak{erm.L2{Lambda: 0.5}}}, "strong convexity"},
		{"derivative 5 % off", twin{Loss: squared{}, derivative: func(m float64) float64 { return 2.1 * (m - 1) }}, "derivative"},
		{"derivative of the wrong sign", twin{Loss: erm.Sigmoid{}, derivative: erm.Sigmoid{Falling: true}.Derivative}, "derivative"},
		{"derivative 0 at NaN", twin{Loss: erm.Hinge{}, derivative: func(m float64) float64 {
			if m < 1 {
				return -1
			}
			return 0
		}}, "values"},
		{"half of a pair's gradient", pairLine{halfAUC{erm.AUC{Phi: erm.Logistic{}}}, 1}, "derivative"},
		{"distance of rows understated", pairLine{nearMetric{erm.Metric{Phi: erm.Logistic{}}}, 1}, "lipschitz"},
		{"dimension understated", penaltyLine{erm.L1{Lambda: 0.5, Dim: 2}}, "lipschitz"},
	}
	for _, c := range cases {
		t.Run(c.fault, func(t *testing.T) {
			for _, law := range laws {
				err := law.keep(c.curve, 3, 0.4)
				if law.name == c.law && err == nil {
					t.Error("the law of " + law.name + " does not detect the fault")
				}
			}
		})
	}
}

// exponential is e^(-m), the loss of boosting. It shows what a new loss needs: one type. All laws hold for it, and
// every regularizer and pair loss accepts it.
type exponential struct{}

func (exponential) Name() string                      { return "exponential" }
func (exponential) Value(m float64) float64           { return math.Exp(-m) }
func (exponential) Derivative(m float64) float64      { return -math.Exp(-m) }
func (exponential) Lipschitz(domain float64) float64  { return math.Exp(domain) }
func (exponential) Smoothness(domain float64) float64 { return math.Exp(domain) }
func (exponential) Convex() bool                      { return true }

func TestNewLoss(t *testing.T) {
	for _, curve := range []erm.Loss{exponential{}, pairLine{erm.AUC{Phi: exponential{}}, 0.5}, pairLine{erm.Metric{Phi: exponential{}}, 0.5}} {
		for _, law := range laws {
			if strings.Contains(law.name, "convexity") {
				continue // over the whole line e^(-m) overflows
			}
			if err := law.keep(curve, 2, -0.4); err != nil {
				t.Errorf("%s, law of %s: %v", curve.Name(), law.name, err)
			}
		}
	}
	o := erm.Objective{Loss: exponential{}, Reg: erm.L1{Lambda: 0.5}}
	data, w := pair(t)[0], []float64{0, 0.25}
	if got, want := o.Value(w, data), (1+math.Exp(-1))/2+0.125; math.Abs(got-want) > 1e-15 {
		t.Errorf("objective %v, want %v", got, want)
	}
}
