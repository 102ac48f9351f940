package worstcase_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// means claims that a coin has the mean p, where it has another.
func means(mean func(p float64) float64) worstcase.Unbiased[float64] {
	singles, err := worstcase.SingleInputs[float64](inputs.Space{Values: inputs.Float(0, 1)})
	if err != nil {
		panic(err)
	}
	return worstcase.Unbiased[float64]{Quantity: "the coin", Range: &[2]float64{0, 1}, Samples: 6000, Search: 20, Inputs: singles,
		Truth: func(p float64) ([]float64, error) { return []float64{p}, nil },
		Sample: func(r *rand.Rand, p float64, dst []float64) error {
			dst[0] = 0
			if r.Float64() < mean(p) {
				dst[0] = 1
			}
			return nil
		}}
}

// The worst input is found, and the claim is about it; one that holds is not refuted.
func TestUnbiased(t *testing.T) {
	e := judged(t, means(func(p float64) float64 { return min(p, 0.7) }), 1e-6, 1)
	if e.Verdict != verify.Refuted || !(e.Claimed.X > 0.9) || !strings.HasPrefix(e.WorstCase, "the coin at ") {
		t.Errorf("%s at %s, claimed %v", e.Verdict, e.WorstCase, e.Claimed.X)
	}
	if !strings.Contains(e.Method, "certified on fresh ones with the whole alpha") || e.Tried.Case != "input" {
		t.Errorf("%s; %+v", e.Method, e.Tried)
	}
	if e := judged(t, means(func(p float64) float64 { return p }), 1e-6, 1); e.Verdict == verify.Refuted {
		t.Errorf("a true claim is %s at %s", e.Verdict, e.WorstCase)
	}
	known := means(func(p float64) float64 { return min(p, 0.7) })
	known.Range, known.Variance = nil, 0.25
	if e := judged(t, known, 1e-6, 1); e.Verdict != verify.Refuted {
		t.Errorf("by a variance: %s", e.Verdict)
	}
}

func TestUnbiasedErrors(t *testing.T) {
	for _, c := range []struct {
		reason, want string
		spoil        func(u *worstcase.Unbiased[float64])
	}{
		{"nothing to sample", "no mechanism", func(u *worstcase.Unbiased[float64]) { u.Sample = nil }},
		{"no truth", "no truth", func(u *worstcase.Unbiased[float64]) { u.Truth = nil }},
		{"no inputs", "no inputs", func(u *worstcase.Unbiased[float64]) { u.Inputs = worstcase.Inputs[float64]{} }},
		{"a large search", "want at least", func(u *worstcase.Unbiased[float64]) { u.Search = 1000 }},
		{"a truth that fails", "the truth at the input 0: unknown", func(u *worstcase.Unbiased[float64]) {
			u.Truth = func(float64) ([]float64, error) { return nil, errors.New("unknown") }
		}},
		{"a sample that fails", "at the input 0: broken", func(u *worstcase.Unbiased[float64]) {
			u.Sample = func(*rand.Rand, float64, []float64) error { return errors.New("broken") }
		}},
		{"a value beyond the range", "outside its range", func(u *worstcase.Unbiased[float64]) {
			u.Range = &[2]float64{0, 0.5}
		}},
	} {
		u := means(func(p float64) float64 { return p })
		c.spoil(&u)
		_, err := verify.Judge(context.Background(), u, settings(1e-6, 1), empirical.NewPool(2), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
	singles, err := worstcase.SingleInputs[[]float64](inputs.Space{Values: inputs.List(inputs.Float(0, 1), 1, 4)})
	if err != nil {
		t.Fatal(err)
	}
	changing := worstcase.Unbiased[[]float64]{Samples: 6000, Search: 5, Inputs: singles,
		Truth: func([]float64) ([]float64, error) { return []float64{0}, nil },
		Sample: func(_ *rand.Rand, x []float64, dst []float64) error {
			x[0]++
			return nil
		}}
	if _, err := verify.Judge(context.Background(), changing, settings(1e-6, 1), empirical.NewPool(1), nil); err == nil ||
		!strings.Contains(err.Error(), "changes its input") {
		t.Errorf("a mechanism that changes its input: %v", err)
	}
	if _, err := worstcase.SingleInputs[int](inputs.Space{}); err == nil {
		t.Error("no type of inputs: no error")
	}
}
