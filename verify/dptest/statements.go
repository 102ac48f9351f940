package dptest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/outputs"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// Unbiased fails the test if it can show that the mean of what the mechanism returns for an
// input is another one than is stated: in some coordinate, one for each number in an output, of maps in the
// order of their keys, which must be the same in all.
// A mean of unbounded values cannot be certified by samples alone: give [Range], or [Variance], else the
// test passes with a note.
//
// It takes the options Name, Samples, Seed, Alpha, Timeout, Strict, Range, Variance and Resolution.
func Unbiased[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O, input D, stated []float64,
	options ...Option) {
	t.Helper()
	j := newJudging(t, fmt.Sprintf("the mean %v", stated), options, append(common, "Range", "Variance", "Resolution")...)
	if j == nil {
		return
	}
	unchanged, err := watch(mechanism, input)
	if err != nil {
		j.fatal(t, err)
		return
	}
	if e, ok := j.judgeUnchanged(t, unchanged, statedMean(j, mechanism)(input, stated)); ok {
		j.report(t, e)
	}
}

// statedMean makes the check of a stated mean at an input, without its samples.
func statedMean[D, O any](j *judging,
	mechanism func(r *rand.Rand, input D) O) func(input D, stated []float64) mean.Stated {
	vectors := new(outputs.Vectors)
	return func(input D, stated []float64) mean.Stated {
		check := mean.Stated{Quantity: "the output", Mean: stated, Samples: j.s.size(DefaultSamples), Effect: j.s.resolution,
			Sample: func(r *rand.Rand, dst []float64) error {
				got, err := vectors.Numbers(dst[:0:len(dst)], mechanism(r, input))
				if err == nil && len(got) != len(stated) {
					err = fmt.Errorf("an output holds %d numbers, and the stated mean %d: want one for each", len(got), len(stated))
				}
				return err
			}}
		for range stated {
			check.Ranges = append(check.Ranges, [2]float64{j.s.lo, j.s.hi})
			check.Variances = append(check.Variances, j.s.variance)
		}
		return check
	}
}

// judgeOver judges the check at the input of a space that a search finds.
func judgeOver[D, O any](t testing.TB, j *judging, mechanism func(r *rand.Rand, input D) O, stated bool,
	over inputs.Space, at func(input D, place string, samples int64) (worstcase.Check, error)) {
	t.Helper()
	check := worstcase.Input[D]{At: at, Samples: j.s.size(DefaultSamples), Search: cmp.Or(j.s.search, defaultInputs)}
	err := outputs.CheckType[O]()
	if mechanism == nil || !stated {
		err = fmt.Errorf("no mechanism, or nothing is stated of it")
	}
	if err == nil {
		check.Inputs, err = worstcase.SingleInputs[D](over)
	}
	if err != nil {
		j.fatal(t, err)
		return
	}
	if e, ok := j.judge(t, check, "dptest"); ok {
		j.report(t, e)
	}
}

// UnbiasedOver is [Unbiased] at the input of a space at which a search finds the mean furthest from what is
// stated there, by truth: a function of the input, with a number for each in an output. The neighbours of the
// space play no part. The message has the smallest such input that was found.
//
// It takes the options of [Unbiased], and [Search].
func UnbiasedOver[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O, truth func(input D) []float64,
	over inputs.Space, options ...Option) {
	t.Helper()
	j := newJudging(t, "the mean", options, append(common, "Range", "Variance", "Resolution", "Search")...)
	if j == nil {
		return
	}
	at := statedMean(j, mechanism)
	judgeOver(t, j, mechanism, truth != nil, over, func(input D, place string, samples int64) (worstcase.Check, error) {
		check := at(input, truth(input))
		check.Quantity, check.Samples = check.Quantity+" "+place, samples
		return check, nil
	})
}

// defaultInputs are tried by [UnbiasedOver] and [DistributionOver].
const defaultInputs = 200

// Distribution fails the test if it can show that what the mechanism returns for an input is not
// distributed as the law says, such as distribution.Laplace(sum, scale): single numbers, truth values as 0 and 1, or
// strings. See [distribution.Check] for the tests and what they see.
//
// It takes the options Name, Samples, Seed, Alpha, Timeout, Strict and Resolution.
func Distribution[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O, input D, l distribution.Distribution,
	options ...Option) {
	t.Helper()
	j := newJudging(t, "the law "+strings.TrimPrefix(l.String(), "the law "), options, append(common, "Resolution")...)
	if j == nil {
		return
	}
	unchanged, err := watch(mechanism, input)
	if err != nil {
		j.fatal(t, err)
		return
	}
	check := distribution.Check{Quantity: "the output", Distribution: l, Samples: j.s.size(DefaultSamples),
		Effect: j.s.resolution,
		Sample: func(r *rand.Rand) (any, error) { return lawValue(mechanism(r, input)) }}
	if e, ok := j.judgeUnchanged(t, unchanged, check); ok {
		j.report(t, e)
	}
}

// DistributionOver is [Distribution] at the input of a space at which a search finds the outputs furthest from the law
// that is stated
// there, a function of the input. The neighbours of the space play no part. The message has the smallest
// such input that was found.
//
// It takes the options of [Distribution], and [Search].
func DistributionOver[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O,
	stated func(input D) distribution.Distribution,
	over inputs.Space, options ...Option) {
	t.Helper()
	j := newJudging(t, "the law", options, append(common, "Resolution", "Search")...)
	if j == nil {
		return
	}
	judgeOver(t, j, mechanism, stated != nil, over, func(input D, place string, samples int64) (worstcase.Check, error) {
		return distribution.Check{Quantity: "the output", Place: place, Distribution: stated(input), Samples: samples,
			Effect: j.s.resolution,
			Sample: func(r *rand.Rand) (any, error) { return lawValue(mechanism(r, input)) }}, nil
	})
}

// lawValue is an output as a law has it: a number, a truth value or a string.
func lawValue(o any) (any, error) {
	if s, ok := o.(string); ok {
		return s, nil
	}
	return outputs.Value(o)
}

// defaultRuns of a [Rate] at each point.
const defaultRuns = 10_000

// Rate fails the test if it can show that the mean of what run returns falls more slowly along the
// grid than a power of x, or rises faster: that for some points x before y mean(y)/mean(x) >
// (y/x)^exponent. The grid is strictly rising or falling, with at least five points. Each call of run is
// one independent replicate at x. It takes a [Range] with finite ends to refute; with an infinite
// one, or none, Student's limits can bear a claim out, and contradict it without a refutation. [mean.Rate]
// has more sorts of claims, for [Check].
//
// It takes the options Name, Samples, Seed, Alpha, Timeout, Strict, Range and Resolution.
func Rate(t testing.TB, run func(r *rand.Rand, x float64) float64, exponent float64, grid []float64,
	options ...Option) {
	t.Helper()
	j := newJudging(t, fmt.Sprintf("the rate x^%.6g", exponent), options, append(common, "Range", "Resolution")...)
	if j == nil {
		return
	}
	if run == nil {
		j.fatal(t, fmt.Errorf("nothing to run"))
		return
	}
	check := mean.Rate{
		Quantity: or(j.s.name, "the value"), Variable: "x", Grid: grid, Replicates: j.s.size(defaultRuns),
		Sense: verify.AtMost, Exponent: exponent, Distribution: true, Resolution: j.s.resolution,
		Range: func(float64) (lo, hi float64) { return j.s.lo, j.s.hi },
		Run: func(_ context.Context, r *rand.Rand, x float64) (float64, error) {
			v := run(r, x)
			if !(math.Abs(v) <= math.MaxFloat64) {
				return v, fmt.Errorf("a run returned %v: it has no mean", v)
			}
			return v, nil
		},
	}
	if e, ok := j.judge(t, check, "dptest"); ok {
		j.report(t, e)
	}
}
