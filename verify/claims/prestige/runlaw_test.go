package prestige

import (
	"context"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpverify/dpverify/algorithms/dataset"
	"github.com/dpverify/dpverify/algorithms/erm"
	"github.com/dpverify/dpverify/algorithms/localsgd"
)

// Different words lead to different w, as the law of w by words assumes. The smallest gap is
// far above rounding.
func TestWordsAreOutcomes(t *testing.T) {
	var all []float64
	level := []string{""}
	for range paperEpochs + 1 {
		var next []string
		for _, word := range level {
			all = append(all, position(word))
			next = append(next, word+"+", word+"-")
		}
		level = next
	}
	slices.Sort(all)
	for i := 1; i < len(all); i++ {
		if all[i]-all[i-1] < 1e-9 {
			t.Fatalf("two words of %d lead to w = %v and %v", len(all), all[i-1], all[i])
		}
	}
}

// The exact law is that of the reference implementation: frequencies of final w over 40,000
// runs lie within five standard deviations, for both labels, with and without memoised
// labels. A word of probability p strays that far with probability 6e-7.
func TestRunLawIsTheAlgorithms(t *testing.T) {
	const runs, epochs = 40_000, 4
	for _, y := range []float64{1, -1} {
		for _, memoise := range []bool{false, true} {
			law, err := runLaw{epochs: epochs, threshold: firstThreshold, memoise: memoise}.of(example{1, y})
			if err != nil {
				t.Fatal(err)
			}
			data, err := dataset.NewDense(1, []float64{1}, []float64{y})
			if err != nil {
				t.Fatal(err)
			}
			r := rand.New(rand.NewPCG(1, 2))
			seen := make(map[float64]int)
			for range runs {
				result, err := localsgd.PRESTIGE(context.Background(), r, data,
					localsgd.Config{Loss: erm.Hinge{}, Lambda: lawLambda, Radius: lawRadius, Lipschitz: lawLipschitz,
						Epochs: epochs, Init: []float64{lawStart}},
					localsgd.Privacy{Epsilon: gradientEpsilon, Bound: 1, Premise: localsgd.PremiseClip},
					localsgd.Curriculum{Epsilon: labelEpsilon, Threshold: firstThreshold, Decrease: 1, Memoize: memoise})
				if err != nil {
					t.Fatal(err)
				}
				seen[math.Round(result.W[0]*1e9)]++
			}
			total, found := 0.0, 0
			for _, word := range slices.Sorted(maps.Keys(law)) {
				p := law[word]
				total += p
				count := seen[math.Round(position(word)*1e9)]
				found += count
				if off := math.Abs(float64(count) - runs*p); off > 5*math.Sqrt(runs*p*(1-p))+1 {
					t.Errorf("y=%+g, memoised %v: %q seen %d times of %d, probability %v", y, memoise, word, count, runs, p)
				}
			}
			if math.Abs(total-1) > 1e-12 || found != runs {
				t.Errorf("y=%+g, memoised %v: masses add up to %v, %d of %d runs end at a word", y, memoise, total, found, runs)
			}
		}
	}
}
