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

// Unbiased fails the test if the mean of the mechanism's output on the input differs from the stated mean in some
// coordinate. An output has one coordinate per number. A map contributes its values in the order of its keys, and
// all outputs must have the same keys.
//
// Samples alone cannot certify the mean of unbounded values. Without [Range] or [Variance], the test passes with a
// log message.
//
// Unbiased accepts the options Name, Samples, Seed, Alpha, Timeout, Strict, Range, Variance, Resolution and
// [Evidence].
func Unbiased[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O, input D, stated []float64,
	options ...Option) {
	t.Helper()
	j := newJudging(t, fmt.Sprintf("the mean %v", stated), options, append(commonWithEvidence,
		"Range", "Variance", "Resolution")...)
	if j == nil {
		return
	}
	unchanged, err := watch(mechanism, input)
	if err != nil {
		j.fatal(t, err)
		return
	}
	j.statement += " at " + inputs.InputKey(input)
	if e, ok := j.judgeUnchanged(t, unchanged, statedMean(j, mechanism)(input, stated)); ok {
		j.report(t, e)
	}
}

// statedMean returns a function that builds the check of a stated mean at an input.
func statedMean[D, O any](j *judging,
	mechanism func(r *rand.Rand, input D) O) func(input D, stated []float64) mean.Stated {
	vectors := new(outputs.Vectors)
	return func(input D, stated []float64) mean.Stated {
		check := mean.Stated{Quantity: "the output", Mean: stated, Samples: j.s.size(DefaultSamples),
			Effect: j.s.resolution,
			Sample: func(r *rand.Rand, dst []float64) error {
				got, err := vectors.Numbers(dst[:0:len(dst)], mechanism(r, input))
				if err == nil && len(got) != len(stated) {
					err = fmt.Errorf("an output has %d numbers and the stated mean %d: want equal lengths", len(got), len(stated))
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

// judgeOver searches the space for the worst input and runs the check there.
func judgeOver[D, O any](t testing.TB, j *judging, mechanism func(r *rand.Rand, input D) O, stated bool,
	space inputs.Space, checkAt func(input D, place string, samples int64) (worstcase.Check, error)) {
	t.Helper()
	check := worstcase.Input[D]{At: checkAt, Samples: j.s.size(DefaultSamples), Search: cmp.Or(j.s.search, defaultInputs)}
	err := outputs.CheckType[O]()
	if mechanism == nil || !stated {
		err = fmt.Errorf("no mechanism or no statement about it")
	}
	if err == nil {
		check.Inputs, err = worstcase.SingleInputs[D](space)
	}
	if err != nil {
		j.fatal(t, err)
		return
	}
	if e, ok := j.judge(t, check, "dptest"); ok {
		j.report(t, e)
	}
}

// UnbiasedOver is like [Unbiased] for all inputs of a space. It searches for the input at which the mean is
// furthest from truth(input), which returns one number per number in an output. The neighbors of the space are not
// used. A failure reports the smallest such input.
//
// UnbiasedOver accepts the options of [Unbiased], and [Search].
func UnbiasedOver[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O, truth func(input D) []float64,
	over inputs.Space, options ...Option) {
	t.Helper()
	j := newJudging(t, "the mean", options, append(commonWithEvidence, "Range", "Variance", "Resolution", "Search")...)
	if j == nil {
		return
	}
	checkAt := statedMean(j, mechanism)
	judgeOver(t, j, mechanism, truth != nil, over, func(input D, place string, samples int64) (worstcase.Check, error) {
		check := checkAt(input, truth(input))
		check.Quantity, check.Samples = check.Quantity+" "+place, samples
		return check, nil
	})
}

// defaultInputs is the number of inputs that [UnbiasedOver] and [DistributionOver] try by default.
const defaultInputs = 200

// Distribution fails the test if the mechanism's output on the input does not have the stated distribution, such as
// distribution.Laplace(sum, scale). An output is a single number, a boolean (as 0 or 1) or a string.
// [distribution.Check] documents the tests and their power.
//
// Distribution accepts the options Name, Samples, Seed, Alpha, Timeout, Strict, Resolution and [Evidence].
func Distribution[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O, input D, l distribution.Distribution,
	options ...Option) {
	t.Helper()
	j := newJudging(t, "the distribution "+strings.TrimPrefix(l.String(), "the law "), options, append(commonWithEvidence,
		"Resolution")...)
	if j == nil {
		return
	}
	unchanged, err := watch(mechanism, input)
	if err != nil {
		j.fatal(t, err)
		return
	}
	j.statement += " " + l.Key() + " at " + inputs.InputKey(input)
	check := distribution.Check{Quantity: "the output", Distribution: l, Samples: j.s.size(DefaultSamples),
		Effect: j.s.resolution,
		Sample: func(r *rand.Rand) (any, error) { return lawValue(mechanism(r, input)) }}
	if e, ok := j.judgeUnchanged(t, unchanged, check); ok {
		j.report(t, e)
	}
}

// DistributionOver is like [Distribution] for all inputs of a space. It searches for the input at which the outputs
// differ most from the distribution stated(input). The neighbors of the space are not used. A failure reports the
// smallest such input.
//
// DistributionOver accepts the options of [Distribution], and [Search].
func DistributionOver[D, O any](t testing.TB, mechanism func(r *rand.Rand, input D) O,
	stated func(input D) distribution.Distribution,
	over inputs.Space, options ...Option) {
	t.Helper()
	j := newJudging(t, "the distribution", options, append(commonWithEvidence, "Resolution", "Search")...)
	if j == nil {
		return
	}
	judgeOver(t, j, mechanism, stated != nil, over, func(input D, place string, samples int64) (worstcase.Check, error) {
		return distribution.Check{Quantity: "the output", Place: place, Distribution: stated(input), Samples: samples,
			Effect: j.s.resolution,
			Sample: func(r *rand.Rand) (any, error) { return lawValue(mechanism(r, input)) }}, nil
	})
}

// lawValue converts an output to a value of a distribution: a number, with booleans as 0 or 1, or a string.
func lawValue(o any) (any, error) {
	if s, ok := o.(string); ok {
		return s, nil
	}
	return outputs.Value(o)
}

// defaultRuns is the default number of runs of [Rate] at each grid point.
const defaultRuns = 10_000

// Rate fails the test if the mean of run's results decreases more slowly than x^exponent along the grid, or
// increases faster: mean(y)/mean(x) > (y/x)^exponent for some points x before y. The grid must be strictly
// monotonic with at least five points. Each call of run is an independent replicate at x.
//
// A refutation needs a [Range] with finite ends. Without one, Student's t limits can only support or contradict the
// claim. Use [Check] with [mean.Rate] for other claims about rates.
//
// Rate accepts the options Name, Samples, Seed, Alpha, Timeout, Strict, Range, Resolution and [Evidence].
func Rate(t testing.TB, run func(r *rand.Rand, x float64) float64, exponent float64, grid []float64,
	options ...Option) {
	t.Helper()
	j := newJudging(t, fmt.Sprintf("the rate x^%.6g", exponent), options, append(commonWithEvidence,
		"Range", "Resolution")...)
	if j == nil {
		return
	}
	if run == nil {
		j.fatal(t, fmt.Errorf("no function to run"))
		return
	}
	j.statement += fmt.Sprintf(" %v on %v", exponent, grid)
	check := mean.Rate{
		Quantity: firstNonEmpty(j.s.name, "the value"), Variable: "x", Grid: grid, Replicates: j.s.size(defaultRuns),
		Sense: verify.AtMost, Exponent: exponent, PowerLaw: true, Resolution: j.s.resolution,
		Range: func(float64) (lo, hi float64) { return j.s.lo, j.s.hi },
		Run: func(_ context.Context, r *rand.Rand, x float64) (float64, error) {
			v := run(r, x)
			if !(math.Abs(v) <= math.MaxFloat64) {
				return v, fmt.Errorf("a run returned %v: want a finite number", v)
			}
			return v, nil
		},
	}
	if e, ok := j.judge(t, check, "dptest"); ok {
		j.report(t, e)
	}
}
