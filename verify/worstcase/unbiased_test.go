package worstcase_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/empirical"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/mean"
	"github.com/dpverify/dpverify/verify/worstcase"
)

// stated is a claim about the mean of a coin.
type stated struct {
	truth    func(p float64) ([]float64, error)
	sample   func(r *rand.Rand, p float64, dst []float64) error
	within   [][2]float64
	variance []float64
}

// means claims that a coin has mean p. Its mean is actual(p).
func means(actual func(p float64) float64) stated {
	return stated{within: [][2]float64{{0, 1}},
		truth: func(p float64) ([]float64, error) { return []float64{p}, nil },
		sample: func(r *rand.Rand, p float64, dst []float64) error {
			dst[0] = 0
			if r.Float64() < actual(p) {
				dst[0] = 1
			}
			return nil
		}}
}

func (m stated) input() worstcase.Input[float64] {
	singles, err := worstcase.SingleInputs[float64](inputs.Space{Values: inputs.Float(0, 1)})
	if err != nil {
		panic(err)
	}
	return worstcase.Input[float64]{Samples: 6000, Search: 20, Inputs: singles,
		At: func(p float64, place string, samples int64) (worstcase.Check, error) {
			truth, err := m.truth(p)
			return mean.Stated{Quantity: "the coin " + place, Mean: truth, Ranges: m.within, Variances: m.variance,
				Samples: samples, Sample: func(r *rand.Rand, dst []float64) error { return m.sample(r, p, dst) }}, err
		}}
}

// The search finds the worst input, and the evidence names it. A true claim is not refuted.
func TestUnbiased(t *testing.T) {
	e := judged(t, means(func(p float64) float64 { return min(p, 0.7) }).input(), 1e-6, 1)
	if e.Verdict != verify.Refuted || !(e.Claimed.X > 0.9) || !strings.HasPrefix(e.WorstCase, "the coin at ") {
		t.Errorf("%s at %s, claimed %v", e.Verdict, e.WorstCase, e.Claimed.X)
	}
	if !strings.Contains(e.Method, "certified on fresh samples with the whole alpha") || e.Tried.Case != "input" {
		t.Errorf("%s; %+v", e.Method, e.Tried)
	}
	if e := judged(t, means(func(p float64) float64 { return p }).input(), 1e-6, 1); e.Verdict == verify.Refuted {
		t.Errorf("a true claim is %s at %s", e.Verdict, e.WorstCase)
	}
	known := means(func(p float64) float64 { return min(p, 0.7) })
	known.within, known.variance = nil, []float64{0.25}
	if e := judged(t, known.input(), 1e-6, 1); e.Verdict != verify.Refuted {
		t.Errorf("with a variance: %s", e.Verdict)
	}
}

func TestUnbiasedErrors(t *testing.T) {
	for _, c := range []struct {
		reason, want string
		spoil        func(m *stated, u *worstcase.Input[float64])
	}{
		{"no claim", "no claim", func(_ *stated, u *worstcase.Input[float64]) { u.At = nil }},
		{"no inputs", "no inputs", func(_ *stated, u *worstcase.Input[float64]) { u.Inputs = worstcase.Inputs[float64]{} }},
		{"a large search", "want at least", func(_ *stated, u *worstcase.Input[float64]) { u.Search = 1000 }},
		{"a stated mean that fails", "at the input 0: unknown", func(m *stated, _ *worstcase.Input[float64]) {
			m.truth = func(float64) ([]float64, error) { return nil, errors.New("unknown") }
		}},
		{"a stated mean that is not a number", "at the input 0: mean: the stated mean of coordinate 0 is NaN",
			func(m *stated, _ *worstcase.Input[float64]) {
				m.truth = func(float64) ([]float64, error) { return []float64{math.NaN()}, nil }
			}},
		{"a sample that fails", "at the input 0: broken", func(m *stated, _ *worstcase.Input[float64]) {
			m.sample = func(*rand.Rand, float64, []float64) error { return errors.New("broken") }
		}},
		{"a value beyond the range", "outside its range", func(m *stated, _ *worstcase.Input[float64]) {
			m.within = [][2]float64{{0, 0.5}}
		}},
	} {
		m := means(func(p float64) float64 { return p })
		u := m.input()
		c.spoil(&m, &u)
		if u.At != nil {
			u.At = m.input().At
		}
		_, err := verify.Judge(context.Background(), u, settings(1e-6, 1), empirical.NewPool(2), nil)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.reason, err, c.want)
		}
	}
	singles, err := worstcase.SingleInputs[[]float64](inputs.Space{Values: inputs.List(inputs.Float(0, 1), 1, 4)})
	if err != nil {
		t.Fatal(err)
	}
	for _, search := range []int{5, 1} { // the input changes in the search, or in the certificate
		changing := worstcase.Input[[]float64]{Samples: 6000, Search: search, Inputs: singles,
			At: func(x []float64, _ string, samples int64) (worstcase.Check, error) {
				return mean.Stated{Mean: []float64{0}, Samples: samples, SampleN: func(_ *rand.Rand, dst [][]float64) error {
					x[0]++
					return nil
				}}, nil
			}}
		if _, err := verify.Judge(context.Background(), changing, settings(1e-6, 1), empirical.NewPool(1), nil); err == nil ||
			!strings.Contains(err.Error(), "changes its input") {
			t.Errorf("a mechanism that changes its input, search over %d: %v", search, err)
		}
	}
	for _, search := range []int{5, 1} { // the mechanism would get an input that the claim has sorted, clamped, …
		fresh, err := worstcase.SingleInputs[[]float64](inputs.Space{Values: inputs.List(inputs.Float(0, 1), 1, 4)})
		if err != nil {
			t.Fatal(err)
		}
		changing := worstcase.Input[[]float64]{Samples: 6000, Search: search, Inputs: fresh,
			At: func(x []float64, _ string, samples int64) (worstcase.Check, error) {
				x[0] = 0.5
				return mean.Stated{Mean: []float64{0.5}, Ranges: [][2]float64{{0, 1}}, Samples: samples,
					Sample: func(_ *rand.Rand, dst []float64) error { dst[0] = x[0]; return nil }}, nil
			}}
		e, err := verify.Judge(context.Background(), changing, settings(1e-6, 1), empirical.NewPool(1), nil)
		if err == nil || !strings.Contains(err.Error(), "the claim changes its input") {
			t.Errorf("a claim that changes its input, search over %d: %s, %v", search, e.Verdict, err)
		}
	}
	for want, values := range map[string]inputs.Type{
		"no type of inputs":             nil,
		"the range [1, 0] is reversed":  inputs.Float(1, 0),
		"the range [3, 1] is reversed":  inputs.Int(3, 1),
		"size":                          inputs.List(inputs.Int(0, 1), 3, 1),
		"the list has no record":        inputs.List(nil, 0, 3),
		"space.list.record.float: the ": inputs.List(inputs.Float(1, 0), 0, 3),
	} {
		if _, err := worstcase.SingleInputs[any](inputs.Space{Values: values}); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("inputs of the type %v: %v, want %q", values, err, want)
		}
	}
}
