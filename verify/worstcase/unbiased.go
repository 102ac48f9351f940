package worstcase

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/dpverify/dpverify/empirical/confidence"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/mean"
)

// Unbiased is [mean.Stated] at the input of a space that a search finds, where the mean of the
// outputs lies furthest from what is stated there, by what could be certified of it.
type Unbiased[D any] struct {
	Quantity string // what is drawn: "the noisy sum"
	// Sample writes an output at an input to dst, of the length of Truth; SampleN stands in its place where
	// many at a time cost less. See [mean.Stated].
	Sample  func(r *rand.Rand, input D, dst []float64) error
	SampleN func(r *rand.Rand, input D, dst [][]float64) error
	// Truth is the stated mean at an input, of one length at all of them.
	Truth func(input D) ([]float64, error)
	// Range holds every number of an output; nil where none is known. Variance is a bound on the
	// variance of each; 0 where none is known. Without either a mean can not be certified.
	Range    *[2]float64
	Variance float64
	Effect   float64 // as that of [mean.Stated]
	Samples  int64   // of inputs, for search and certification together, at the standard budget
	Search   int     // inputs to try, at the standard budget; see [MinSamples]
	Inputs   Inputs[D]
}

// Check names the parameter that is out of its domain.
func (u Unbiased[D]) Check() error {
	switch {
	case u.Sample == nil && u.SampleN == nil || u.Truth == nil:
		return errors.New("no mechanism, or no truth")
	case len(u.Inputs.First) == 0:
		return errors.New("no inputs to search: want those of a space")
	}
	return checkTries(u.Search, u.Samples)
}

// Prepare finds the input.
func (u Unbiased[D]) Prepare(ctx context.Context, s verify.Settings) (verify.Trial, error) {
	if err := u.Check(); err != nil {
		return nil, err
	}
	return u.Inputs.worst(ctx, s, u.Search, u.Samples, u.promise, u.at)
}

// truth at an input.
func (u Unbiased[D]) truth(at Single[D]) ([]float64, error) {
	truth, err := u.Truth(at.Input)
	if err != nil {
		return nil, fmt.Errorf("the truth at the input %s: %w", at.Text, err)
	}
	for _, x := range truth {
		if !(math.Abs(x) <= math.MaxFloat64) {
			return nil, fmt.Errorf("the truth at the input %s is %v: want finite numbers", at.Text, truth)
		}
	}
	return slices.Clone(truth), nil
}

// at an input the stated mean is judged.
func (u Unbiased[D]) at(at Single[D], samples int64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		truth, err := u.truth(at)
		if err != nil {
			return nil, err
		}
		check := mean.Stated{Quantity: u.Quantity + " at " + inputs.ShortenedText(at.Text), Mean: truth, Samples: samples,
			Effect: u.Effect}
		if u.SampleN != nil {
			check.SampleN = func(r *rand.Rand, dst [][]float64) error { return u.SampleN(r, at.Input, dst) }
		} else {
			check.Sample = func(r *rand.Rand, dst []float64) error { return u.Sample(r, at.Input, dst) }
		}
		for range truth {
			switch {
			case u.Range != nil:
				check.Ranges = append(check.Ranges, *u.Range)
			case u.Variance > 0:
				check.Variances = append(check.Variances, u.Variance)
			}
		}
		return check.Prepare(ctx, s)
	})
}

// promise is the largest deviation of a mean from the truth, less what chance explains, in halves of
// the interval that so many certifying samples are expected to have.
func (u Unbiased[D]) promise(s verify.Settings, r *rand.Rand, at Single[D], samples int, certifying int64) (float64,
	error) {
	truth, err := u.truth(at)
	if err != nil {
		return 0, err
	}
	values := make([][]float64, samples)
	for i := range values {
		values[i] = make([]float64, len(truth))
	}
	if u.SampleN != nil {
		err = u.SampleN(r, at.Input, values)
	}
	for i := 0; i < len(values) && err == nil && u.SampleN == nil; i++ {
		err = u.Sample(r, at.Input, values[i])
	}
	if err != nil {
		return 0, err
	}
	log := math.Log(2 * float64(len(truth)) / s.Alpha)
	best := math.Inf(-1)
	for i, stated := range truth {
		var m confidence.Moments
		for _, v := range values {
			if err := m.Add(v[i]); err != nil {
				return 0, err
			}
		}
		sd := m.StdDev()
		scale := sd
		switch {
		case u.Range != nil:
			scale = (u.Range[1] - u.Range[0]) / 2
		case u.Variance > 0:
			scale = math.Sqrt(u.Variance)
		}
		half := sd*math.Sqrt(2*log/float64(certifying)) + scale*log/float64(certifying)
		// As by Bernstein's inequality: what is rare and large may be missing from few samples.
		deviation := math.Abs(m.Mean()-stated) - 2*sd/math.Sqrt(float64(samples)) - 6*scale/float64(samples)
		if half > 0 {
			best = math.Max(best, deviation/half)
		} else if deviation > 0 {
			best = math.MaxFloat64
		}
	}
	return best, nil
}
