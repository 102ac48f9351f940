package experiment

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/dpverify/dpverify/empirical/experiment/result"
)

func TestPoint(t *testing.T) {
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 || math.IsNaN(a) && math.IsNaN(b) || a == b })
	nan := math.NaN()
	cases := []struct {
		reason string
		values []float64
		bounds [2]float64
		want   result.Series
	}{
		// sd 0.1; Student's 0.975 quantile with 2 degrees of freedom is 4.302653 (tables); half width 0.248414.
		{"cut at 0", []float64{0.1, 0.2, 0.3}, [2]float64{0, 1}, result.Series{X: []float64{1}, Mean: []float64{0.2}, SD: []float64{0.1}, Lower: []float64{0}, Upper: []float64{0.448414}, N: []int{3}}},
		{"not cut", []float64{0.1, 0.2, 0.3}, [2]float64{math.Inf(-1), math.Inf(1)}, result.Series{X: []float64{1}, Mean: []float64{0.2}, SD: []float64{0.1}, Lower: []float64{-0.048414}, Upper: []float64{0.448414}, N: []int{3}}},
		{"one repeat has neither deviation nor interval", []float64{0.1}, [2]float64{0, 1}, result.Series{X: []float64{1}, Mean: []float64{0.1}, SD: []float64{nan}, Lower: []float64{nan}, Upper: []float64{nan}, N: []int{1}}},
	}
	for _, c := range cases {
		var s result.Series
		addPoint(&s, 1, c.values, c.bounds)
		if diff := cmp.Diff(c.want, s, near); diff != "" {
			t.Errorf("%s: %s", c.reason, diff)
		}
	}
}

func TestPrinted(t *testing.T) {
	var s result.Series
	for i, unit := range []Unit{{}, {Reported: []float64{0.5}, ReportedSD: []float64{0.1}}, {}} {
		addPoint(&s, float64(i), []float64{1, 2}, [2]float64{0, 3})
		addPrinted(&s, unit, 0)
	}
	nan := math.NaN()
	if diff := cmp.Diff([][]float64{{nan, 0.5, nan}, {nan, 0.1, nan}}, [][]float64{s.Reported, s.ReportedSD}, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}
