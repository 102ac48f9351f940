package testutil

import (
	"testing"

	"gonum.org/v1/gonum/mathext"
)

// FalseAlarm is the probability that a statistical assertion fails for a correct sampler with a random seed. The
// tests use fixed seeds.
const FalseAlarm = 1e-9

// Counts tests counts against probabilities by Pearson's chi-square test at level FalseAlarm. It pools cells with an
// expected count below 50, because the chi-square approximation must hold far into the tail.
func Counts(t *testing.T, counts []int, law []float64) {
	t.Helper()
	if len(counts) != len(law) {
		t.Fatalf("%d counts for %d probabilities", len(counts), len(law))
	}
	n := 0
	for _, c := range counts {
		n += c
	}
	var statistic, pooled, pooledWant float64
	cells := 0
	add := func(got, want float64) {
		statistic += (got - want) * (got - want) / want
		cells++
	}
	for i, c := range counts {
		want := law[i] * float64(n)
		if want == 0 && c > 0 {
			t.Fatalf("cell %d: %d draws of probability 0", i, c)
		}
		if want < 50 {
			pooled += float64(c)
			pooledWant += want
			continue
		}
		add(float64(c), want)
	}
	if pooledWant >= 50 {
		add(pooled, pooledWant)
	}
	if cells < 2 {
		t.Fatal("fewer than two cells: nothing was tested")
	}
	if p := mathext.GammaIncRegComp(float64(cells-1)/2, statistic/2); !(p >= FalseAlarm) {
		t.Errorf("chi-square %.1f on %d cells: p = %.1e < %.0e", statistic, cells, p, FalseAlarm)
	}
}
