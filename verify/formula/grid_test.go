package formula

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// A check on a grid visits the combinations in order, states the place of each point, and reports the axes as its domain.
func TestGrid(t *testing.T) {
	var visited [][]float64
	check := Check{
		Quantity: "nx", Sense: verify.AtMost, Domain: "x > 0",
		Grid: Grid{Over("n", 1, 10), Over("budget", 0.5, 1e-6, math.Inf(1))},
		At: func(at []float64, add func(Point)) {
			visited = append(visited, slices.Clone(at))
			add(Point{Measured: at[1], Claimed: at[1], Show: true})
			add(Point{Place: Placef("twice"), Measured: at[1], Claimed: at[1], Show: at[0] == 10})
		},
	}
	trial, err := check.Prepare(context.Background(), verify.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	if want := [][]float64{{1, 0.5}, {1, 1e-6}, {1, math.Inf(1)}, {10, 0.5}, {10, 1e-6}, {10,
		math.Inf(1)}}; !slices.EqualFunc(
		visited, want, slices.Equal) {
		t.Errorf("visited %v, want %v", visited, want)
	}
	e := verify.Evidence(trial.(verify.Decided))
	var places []string
	for _, c := range e.Cells {
		places = append(places, c.Label)
	}
	want := []string{"n=1, budget 0.5", "n=1, budget 1e-6", "n=1, budget ∞", "n=10, budget 0.5",
		"n=10, budget 0.5, twice",
		"n=10, budget 1e-6", "n=10, budget 1e-6, twice", "n=10, budget ∞", "n=10, budget ∞, twice"}
	if !slices.Equal(places, want) {
		t.Errorf("places %q, want %q", places, want)
	}
	if got, want := e.Method, "evaluated on this grid: n ∈ {1, 10}, budget ∈ {0.5, 1e-6, ∞}; x > 0"; got != want {
		t.Errorf("method %q, want %q", got, want)
	}
	if got, want := (Grid{Over("T", 20), Over("q", 1./3, 547570)}).String(),
		"T = 20, q ∈ {0.333333, 547570}"; got != want {
		t.Errorf("grid %q, want %q", got, want)
	}
	both := check
	both.Points = ListedPoints()
	if _, err := both.Prepare(context.Background(), verify.Settings{}); err == nil {
		t.Error("points and a grid are accepted")
	}
	check.Grid[0].Values = nil
	if _, err := check.Prepare(context.Background(), verify.Settings{}); err == nil {
		t.Error("an axis without values is accepted")
	}
}
