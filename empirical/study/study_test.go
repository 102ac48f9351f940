package study

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestPoint(t *testing.T) {
	near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) < 1e-6 || math.IsNaN(a) && math.IsNaN(b) || a == b })
	nan := math.NaN()
	cases := []struct {
		reason string
		values []float64
		bounds [2]float64
		want   Series
	}{
		// sd 0.1; Student's 0.975 quantile at 2 degrees is 4.302653 (any table of it); half width 0.248414.
		{"cut at 0", []float64{0.1, 0.2, 0.3}, [2]float64{0, 1}, Series{X: []float64{1}, Mean: []float64{0.2}, SD: []float64{0.1}, Lower: []float64{0}, Upper: []float64{0.448414}, N: []int{3}}},
		{"not cut", []float64{0.1, 0.2, 0.3}, [2]float64{math.Inf(-1), math.Inf(1)}, Series{X: []float64{1}, Mean: []float64{0.2}, SD: []float64{0.1}, Lower: []float64{-0.048414}, Upper: []float64{0.448414}, N: []int{3}}},
		{"one repeat has neither deviation nor interval", []float64{0.1}, [2]float64{0, 1}, Series{X: []float64{1}, Mean: []float64{0.1}, SD: []float64{nan}, Lower: []float64{nan}, Upper: []float64{nan}, N: []int{1}}},
	}
	for _, c := range cases {
		var s Series
		addPoint(&s, 1, c.values, c.bounds)
		if diff := cmp.Diff(c.want, s, near, cmpopts.IgnoreFields(Series{}, "Values")); diff != "" {
			t.Errorf("%s: %s", c.reason, diff)
		}
	}
}

func TestPrinted(t *testing.T) {
	var s Series
	for i, unit := range []Unit{{}, {Printed: []float64{0.5}, PrintedSD: []float64{0.1}}, {}} {
		addPoint(&s, float64(i), []float64{1, 2}, [2]float64{0, 3})
		addPrinted(&s, unit, 0)
	}
	nan := math.NaN()
	if diff := cmp.Diff([][]float64{{nan, 0.5, nan}, {nan, 0.1, nan}}, [][]float64{s.Printed, s.PrintedSD}, cmpopts.EquateNaNs()); diff != "" {
		t.Error(diff)
	}
}

func TestRegistry(t *testing.T) {
	for _, e := range Registry() {
		if e.Title == "" || e.Source == "" || e.Data == "" || e.Panels == nil || !strings.Contains(e.Name, "/") {
			t.Errorf("%q is incomplete: %+v", e.Name, e)
		}
		if found, err := Lookup(e.Name); err != nil || found.Name != e.Name {
			t.Errorf("%q is listed and not found: %v", e.Name, err)
		}
		panels, err := e.Panels(Options{})
		if err != nil || len(panels) == 0 {
			t.Errorf("%s has %d panels: %v", e.Name, len(panels), err)
		}
		seen := make(map[string]bool)
		for _, p := range panels {
			if p.Title == "" || p.Start == nil || seen[p.Name] || p.Name != e.Name && !strings.HasPrefix(p.Name, e.Name+"/") {
				t.Errorf("%s has a panel %q that is incomplete, named twice, or not named after it", e.Name, p.Name)
			}
			seen[p.Name] = true
		}
	}
	if _, err := Lookup("prestige/fig-99"); err == nil || !strings.Contains(err.Error(), "prestige/fig-4") {
		t.Errorf("error %v, want one that lists what there is", err)
	}
}
