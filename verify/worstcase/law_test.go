package worstcase_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// statedLaw is a mechanism with a stated distribution.
type statedLaw struct {
	stated func(x int) (distribution.Distribution, error)
	sample func(r *rand.Rand, x int) (any, error)
}

// laplaceClaim claims that integers up to 100 are released with Laplace noise of scale 2. The actual noise is given.
func laplaceClaim(noise func(r *rand.Rand, x int) float64) statedLaw {
	return statedLaw{
		stated: func(x int) (distribution.Distribution, error) { return distribution.Laplace(float64(x), 2), nil },
		sample: func(r *rand.Rand, x int) (any, error) { return float64(x) + noise(r, x), nil }}
}

func (l statedLaw) input() worstcase.Input[int] {
	singles, err := worstcase.SingleInputs[int](inputs.Space{Values: inputs.Int(0, 100)})
	if err != nil {
		panic(err)
	}
	return worstcase.Input[int]{Samples: 20_000, Search: 40, Inputs: singles,
		At: func(x int, place string, samples int64) (worstcase.Check, error) {
			stated, err := l.stated(x)
			return distribution.Check{Quantity: "the output", Place: place, Distribution: stated, Samples: samples,
				Sample: func(r *rand.Rand) (any, error) { return l.sample(r, x) }}, err
		}}
}

// The search finds an input with another distribution, and the evidence names it. A true claim is not refuted.
func TestLaw(t *testing.T) {
	for _, c := range []struct {
		name  string
		noise func(r *rand.Rand, x int) float64
	}{
		{"another scale", func(r *rand.Rand, x int) float64 { return laplace(r, 2-float64(x)/100) }},
		{"shifted", func(r *rand.Rand, x int) float64 { return laplace(r, 2) + float64(x)/100 }},
		{"an atom", func(r *rand.Rand, x int) float64 { return laplace(r, 2) * min(1, float64(100-x)) }},
	} {
		e := judged(t, laplaceClaim(c.noise).input(), 1e-6, 1)
		if e.Verdict != verify.Refuted || !strings.HasPrefix(e.WorstCase, "at ") || e.Tried.Case != "input" {
			t.Errorf("%s: %s at %s: %s", c.name, e.Verdict, e.WorstCase, e.Method)
		}
	}
	right := laplaceClaim(func(r *rand.Rand, _ int) float64 { return laplace(r, 2) })
	if e := judged(t, right.input(), 1e-6, 1); e.Verdict == verify.Refuted {
		t.Errorf("a true claim is %s: %s", e.Verdict, e.WorstCase)
	}
	coins := laplaceClaim(nil)
	coins.stated = func(x int) (distribution.Distribution, error) { return distribution.Bernoulli(float64(x) / 100), nil }
	coins.sample = func(r *rand.Rand, x int) (any, error) { return r.Float64() < min(0.9, float64(x)/100), nil }
	if e := judged(t, coins.input(), 1e-6, 1); e.Verdict != verify.Refuted {
		t.Errorf("coins: %s", e.Verdict)
	}
	coins.stated = func(x int) (distribution.Distribution, error) { return distribution.Moments(0.5, 0.25, 0, 1), nil }
	if e := judged(t, coins.input(), 1e-6, 1); e.Verdict != verify.Refuted {
		t.Errorf("moments: %s", e.Verdict)
	}
}

func TestLawErrors(t *testing.T) {
	for _, c := range []struct {
		reason, want string
		spoil        func(l *statedLaw)
	}{
		{"a distribution that fails", "at the input 0: unknown", func(l *statedLaw) {
			l.stated = func(int) (distribution.Distribution, error) {
				return distribution.Distribution{}, errors.New("unknown")
			}
		}},
		{"an invalid distribution", "at the input 0: Laplace: scale 0", func(l *statedLaw) {
			l.stated = func(x int) (distribution.Distribution, error) { return distribution.Laplace(0, float64(x)), nil }
		}},
		{"a sample that fails", "at the input 0: broken", func(l *statedLaw) {
			l.sample = func(*rand.Rand, int) (any, error) { return nil, errors.New("broken") }
		}},
	} {
		l := laplaceClaim(func(r *rand.Rand, _ int) float64 { return laplace(r, 2) })
		c.spoil(&l)
		_, err := verify.Judge(context.Background(), l.input(), settings(1e-6, 1), empirical.NewPool(2), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
}
