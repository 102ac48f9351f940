package distinguisher

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// silences draws a list of zeros followed by a number. The number of zeros is a run of equal coin flips, at most
// seven. Small numbers after many zeros are more likely by e^tilt for each zero.
func silences(tilt float64) func(r *rand.Rand) []float64 {
	return func(r *rand.Rand) []float64 {
		for {
			k := 0
			for k < 7 && r.IntN(2) == 0 {
				k++
			}
			v := r.NormFloat64()
			if low := indicator(v < -0.5); r.Float64() > math.Exp(tilt*low*float64(k)-7*math.Max(0, tilt)) {
				continue
			}
			row := append([]float64{float64(k + 1)}, make([]float64, k)...)
			return append(row, v)
		}
	}
}

// withSymbols returns the rows with zeros replaced by infinity, the way a mechanism reports that nothing was found.
func withSymbols(draw func(r *rand.Rand) []float64) func(r *rand.Rand) []float64 {
	return func(r *rand.Rand) []float64 {
		row := draw(r)
		for i := 1; i < len(row)-1; i++ {
			row[i] = math.Inf(-1)
		}
		return row
	}
}

// The lists have different lengths and differ slightly if they are long and end with a small number. The model
// finds events that certify more than the events of any single score: 1.02 in total over four searches, compared
// with 0.86 without the model.
func TestSequencesOfFewSymbols(t *testing.T) {
	const n, tilt, searches, least = 30_000, 0.07, 4, 0.94
	a, b := withSymbols(silences(tilt)), withSymbols(silences(0))
	fresh, other := sampleOf(1, 300_000, a), sampleOf(2, 300_000, b)
	var sum float64
	modelled := 0
	for k := range uint64(searches) {
		w, err := find(searchAt(n), sampleOf(10+2*k, n, a), sampleOf(11+2*k, n, b))
		if err != nil {
			t.Fatal(err)
		}
		sum += certified(w, fresh, other)
		if strings.HasPrefix(w.Event, symbolsScoreName) {
			modelled++
		}
	}
	if !(sum >= least) || modelled < searches-1 {
		t.Errorf("certified %.3f, by the model in %d searches: want at least %v, in %d", sum, modelled, least, searches-1)
	}
}

// If the distributions are the same, new rows refute the event at the rate of the limits, 5 %. Wald's sequential test
// ends at the likelihood ratios 1/2e-4 and 1/100 of a rate of 20 % to the rate of 5 %. These bound the probabilities
// of a false alarm (2e-4) and of a missed rate of 20 % (0.01). The seed is fixed. The model must find half the events.
func TestEqualSequencesAreNotToldApart(t *testing.T) {
	const n, rate, fault, alarm, missed = 1500, 0.05, 0.2, 2e-4, 0.01
	draw := withSymbols(silences(0))
	refuted, modelled, runs := 0, 0, 0
	ratio := 0.0
	for ; ratio > math.Log(missed) && ratio < math.Log(1/alarm); runs++ {
		seed := 100 + 4*uint64(runs)
		again := false
		if w, err := find(searchAt(n), sampleOf(seed, n, draw), sampleOf(seed+1, n, draw)); err == nil {
			if strings.HasPrefix(w.Event, symbolsScoreName) {
				modelled++
			}
			again = certified(w, sampleOf(seed+2, n, draw), sampleOf(seed+3, n, draw)) > 0
		}
		if again {
			refuted++
			ratio += math.Log(fault / rate)
		} else {
			ratio += math.Log((1 - fault) / (1 - rate))
		}
	}
	if ratio > 0 || modelled < runs/2 {
		t.Errorf("equal distributions are distinguished in %d of %d runs, want a rate of at most %v; %d events are the model's, want half", refuted, runs, rate, modelled)
	}
}
