package erm_test

import (
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
)

var benchLosses = []erm.Loss{
	erm.Hinge{}, erm.Logistic{}, erm.Sigmoid{}, erm.Gompertz{C: 2}, erm.Ramp{S: -1}, squared{},
}

// a7aColumns gives a row the shape of A7A: 14 ones in 123 columns.
var a7aColumns = []int32{2, 10, 13, 18, 38, 41, 54, 63, 66, 72, 74, 75, 79, 82}

func a7a(b *testing.B) *dataset.Dataset {
	b.Helper()
	values := make([]float64, len(a7aColumns))
	for k := range values {
		values[k] = 1
	}
	data, err := dataset.NewSparse(123, []int{0, len(values)}, a7aColumns, values, []float64{1})
	if err != nil {
		b.Fatal(err)
	}
	return data
}

// BenchmarkGradientSparse measures the full gradient, dense part included.
func BenchmarkGradientSparse(b *testing.B) {
	data := a7a(b)
	w, g := make([]float64, 123), make([]float64, 123)
	for _, loss := range benchLosses {
		b.Run(loss.Name(), func(b *testing.B) {
			o := erm.Objective{Loss: loss, Reg: erm.L2{Lambda: 1e-3}}
			b.ReportAllocs()
			for b.Loop() {
				o.Gradient(w, data.Row(0), data.Label(0), g)
			}
		})
	}
}

// BenchmarkGradientSparsePart measures only the loss's part, added to w.
func BenchmarkGradientSparsePart(b *testing.B) {
	data := a7a(b)
	w := make([]float64, 123)
	o := erm.Objective{Loss: erm.Logistic{}}
	b.ReportAllocs()
	for b.Loop() {
		x := data.Row(0)
		x.AddTo(w, -1e-9*o.Slope(w, x, data.Label(0)))
	}
}

// BenchmarkLoss measures one value and one derivative, over margins of both signs.
func BenchmarkLoss(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var margins [1024]float64
	for i := range margins {
		margins[i] = 3 * r.NormFloat64()
	}
	for _, loss := range benchLosses {
		b.Run(loss.Name(), func(b *testing.B) {
			sum, i := 0.0, 0
			for b.Loop() {
				m := margins[i&1023]
				sum += loss.Value(m) + loss.Derivative(m)
				i++
			}
			if sum != sum {
				b.Fatal("NaN")
			}
		})
	}
}

// BenchmarkGradientPair measures one gradient on rows with the shapes of Pima (8 dense columns) and A7A.
func BenchmarkGradientPair(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	dense := func(y float64) erm.Example {
		x := make([]float64, 8)
		for k := range x {
			x[k] = r.NormFloat64()
		}
		return erm.Example{X: dataset.Row{Values: x}, Y: y}
	}
	one := erm.Example{X: a7a(b).Row(0), Y: 1}
	other := erm.Example{X: dataset.Row{Columns: make([]int32, len(a7aColumns)), Values: one.X.Values}, Y: -1}
	for k, c := range a7aColumns {
		other.X.Columns[k] = c + int32(k%2) // half of the columns in common
	}
	for _, c := range []struct {
		shape string
		d     int
		x, y  erm.Example
	}{{"pima", 8, dense(1), dense(-1)}, {"a7a", 123, one, other}} {
		for _, loss := range []erm.PairLoss{erm.AUC{Phi: erm.Logistic{}}, erm.Metric{Phi: erm.Logistic{}}} {
			b.Run(loss.Name()+"/"+c.shape, func(b *testing.B) {
				w := make([]float64, loss.Dim(c.d))
				g := make([]float64, len(w))
				b.ReportAllocs()
				for b.Loop() {
					loss.AddGradient(w, c.x, c.y, 1e-9, g)
				}
			})
		}
	}
}
