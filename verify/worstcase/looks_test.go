package worstcase_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// A search reports every candidate that it has tried, and then every smaller candidate.
func TestSearchesReportProgress(t *testing.T) {
	half := noisyBits(func([]float64) float64 { return 0.5 })
	space := inputs.Space{Values: inputs.List(inputs.Int(0, 9), 0, 8)}
	single, err := worstcase.SingleInputs[any](space)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		check   verify.Check
		noun    string
		smaller bool
	}{
		{over(half, bits, 20_000, 20), "pairs of inputs", true},
		{worstcase.Input[any]{Samples: 20_000, Search: 20, Inputs: single,
			At: func(x any, place string, samples int64) (worstcase.Check, error) {
				return mean.Stated{Quantity: "sum " + place, Mean: []float64{sum(numbersOf(x))}, Variances: []float64{2},
					Samples: samples, Sample: func(r *rand.Rand, dst []float64) error {
						dst[0] = sum(numbersOf(x)) + laplace(r, 1)
						return nil
					}}, nil
			}}, "inputs", false},
	} {
		var last verify.Searched
		reports := 0
		s := settings(0.05, 1)
		s.Searching = func(now verify.Searched) {
			same := now.Done == last.Done && now.Smaller == last.Smaller
			next := now.Done == last.Done+1 && now.Smaller == 0 || now.Done == last.Done && now.Smaller == last.Smaller+1
			if now.Noun != c.noun || now.Total != 20 || !(same || next) {
				t.Errorf("after %+v: %+v, want the next of 20 %s", last, now, c.noun)
			}
			last, reports = now, reports+1
		}
		if _, err := verify.Judge(context.Background(), c.check, s, empirical.NewPool(2), nil); err != nil {
			t.Fatal(err)
		}
		if last.Done != 20 || (last.Smaller > 0) != c.smaller || reports < 21 {
			t.Errorf("%s: %d reports, the last %+v", c.noun, reports, last)
		}
	}
}
