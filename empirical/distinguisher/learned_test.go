package distinguisher

import (
	"math"
	"math/rand/v2"
	"testing"
)

// A score fitted to one half of the rows is counted in the other half. If both inputs have the same distribution,
// the score is equally likely to be larger for either: the share is 0.5 with standard deviation 1/√(6n). The test
// allows five standard deviations, a false-alarm probability of 1e-6, and has a fixed seed. Counted in the rows of
// the fit, the share would be 0.7 with twenty coordinates.
func TestLearnedScoresAreCountedInTheOtherHalf(t *testing.T) {
	const n = 1000
	noise := func(r *rand.Rand) []float64 {
		row := make([]float64, 20)
		for i := range row {
			row[i] = r.NormFloat64()
		}
		return row
	}
	all := newTable(arrange(sampleOf(1, n, noise), sampleOf(2, n, noise)))
	var binners []*binner
	for _, c := range familyOf(all).scores {
		binners = append(binners, newBinner(Feature{Name: c.name, eval: c.score}, newColumn(c.score, nil, all), all))
	}
	first, second, _ := all.halves(maxToLearn)
	learned := crossFitted(binners, first, second)
	if len(learned) == 0 {
		t.Fatal("no score was learned")
	}
	for _, c := range learned {
		if share := larger(c.counts); !(math.Abs(share-0.5) <= 5/math.Sqrt(6*n)) {
			t.Errorf("%s: larger under the first input with probability %.3f, want about 1/2", c.name, share)
		}
	}
}

// larger returns the probability that a value of the first sample exceeds a value of the second; ties count half.
func larger(ascending []valued) float64 {
	var pairs, a, b float64
	for _, v := range ascending {
		pairs += v.a * (b + v.b/2)
		a, b = a+v.a, b+v.b
	}
	return pairs / (a * b)
}
