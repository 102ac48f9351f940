package claimsfile

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/distribution"
	"github.com/dpverify/dpverify/verify/mean"
)

// Mechanism answers for an input with as many outputs as there is room for, in decoded JSON.
type Mechanism interface {
	ReleaseN(r *rand.Rand, input json.RawMessage, out []any) error
}

// Statement is what can be said of a mechanism.
type Statement interface {
	Kind() verify.Kind
	// Says it of the mechanism, in words: "has the mean [2] at the input [1,2,3]".
	Says() string
	// String decides what is found: two statements of one String are the same.
	String() string
	// Check measures it, by so many samples at each input at the standard budget. A mechanism whose
	// outputs it cannot be about makes Prepare fail with a [Misfit].
	Check(m Mechanism, samples int64) verify.Check
	// Inputs is at how many it is sampled.
	Inputs() int
}

// Misfit is that the outputs of a mechanism are none that a statement can be about: one of them is wrong.
type Misfit struct{ What string }

func (m *Misfit) Error() string { return m.What }

func misfit(format string, args ...any) error { return &Misfit{fmt.Sprintf(format, args...)} }

// inspectedOutputs is how many outputs are looked at before a check is prepared.
const inspectedOutputs = 8

// shapedCheck is a check that is prepared once the first outputs at an input have a shape that fits.
func shapedCheck(check verify.Check, m Mechanism, inputs []json.RawMessage, fits func(output any) error) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, s verify.Settings) (verify.Trial, error) {
		r := s.Stream("shape")
		for _, input := range inputs {
			out := make([]any, inspectedOutputs)
			if err := m.ReleaseN(r, input, out); err != nil {
				return nil, err
			}
			for _, o := range out {
				if err := fits(o); err != nil {
					return nil, err
				}
			}
		}
		return check.Prepare(ctx, s)
	})
}

// Unbiased says that outputs have a mean: their numbers, those of objects in the order of [distinguisher.Keys].
type Unbiased struct {
	Input    json.RawMessage
	Of       []float64   // the mean
	Range    *[2]float64 // that holds every number of an output; nil where none is known
	Variance float64     // that no number of an output exceeds; 0 where no such bound is known
}

func (u Unbiased) Kind() verify.Kind { return verify.Unbiasedness }
func (u Unbiased) Inputs() int       { return 1 }

func (u Unbiased) Says() string {
	return fmt.Sprintf("has the mean %v%s", u.Of, atInput(u.Input)) + knownText(u.Range, u.Variance)
}

// knownText says what is known of outputs.
func knownText(within *[2]float64, variance float64) string {
	switch {
	case within != nil:
		return fmt.Sprintf(", in the range %v", *within)
	case variance > 0:
		return fmt.Sprintf(", with a variance of at most %v", variance)
	}
	return ""
}

// at an input in words; nothing where outputs were recorded at one that is not told.
func atInput(input json.RawMessage) string {
	if input == nil {
		return ""
	}
	return " at the input " + shortened(input)
}

// outputAt is the output at an input.
func outputAt(input json.RawMessage) string {
	if input == nil {
		return "the output"
	}
	return "the output at " + shortened(input)
}

func (u Unbiased) String() string {
	return fmt.Sprintf("unbiased %q %v %v %v", u.Input, u.Of, pointed(u.Range), u.Variance)
}

func (u Unbiased) Check(m Mechanism, samples int64) verify.Check {
	var vectors outputVectors
	are := statedNumbers(u.Of)
	return shapedCheck(u.stated(m, outputAt(u.Input), &vectors, are, samples), m, []json.RawMessage{u.Input},
		func(o any) error { return vectors.put(make([]float64, len(u.Of)), o, are) })
}

func statedNumbers(of []float64) string { return fmt.Sprintf("are in the mean that is stated, %v", of) }

// stated is the check at the input. Outputs must hold as many numbers as are somewhere, in words.
func (u Unbiased) stated(m Mechanism, quantity string, vectors *outputVectors, are string, samples int64) mean.Stated {
	check := mean.Stated{Quantity: quantity, Mean: u.Of, Samples: samples,
		SampleN: func(r *rand.Rand, dst [][]float64) error {
			out := make([]any, len(dst))
			err := m.ReleaseN(r, u.Input, out)
			for i := 0; i < len(out) && err == nil; i++ {
				err = vectors.put(dst[i], out[i], are)
			}
			return err
		}}
	for range u.Of {
		switch {
		case u.Range != nil:
			check.Ranges = append(check.Ranges, *u.Range)
		case u.Variance > 0:
			check.Variances = append(check.Variances, u.Variance)
		}
	}
	return check
}

// put writes the numbers in an output to dst, of the length that is wanted: of so many that are somewhere.
func (v *outputVectors) put(dst []float64, output any, are string) error {
	got, err := v.numbers(dst[:0:len(dst)], output)
	if err == nil && len(got) != len(dst) {
		err = misfit("an output, %s, holds %d numbers, and %d %s: want one for each", excerpt(output), len(got),
			len(dst), are)
	}
	return err
}

// Law says how outputs are distributed.
type Law struct {
	Input json.RawMessage
	Law   distribution.Distribution
	Exact string // the law with all digits of its parameters
}

func (l Law) Kind() verify.Kind { return verify.Law }
func (l Law) Inputs() int       { return 1 }
func (l Law) String() string    { return fmt.Sprintf("law %q %s", l.Input, l.Exact) }

func (l Law) Says() string {
	return fmt.Sprintf("has the law %s%s", l.Law, atInput(l.Input))
}

func (l Law) Check(m Mechanism, samples int64) verify.Check {
	return shapedCheck(l.stated(m, outputAt(l.Input), 0, samples), m, []json.RawMessage{l.Input},
		func(o any) error { _, err := singleNumber(o); return err })
}

// stated is the check at the input of outputs less a center.
func (l Law) stated(m Mechanism, quantity string, center float64, samples int64) distribution.Check {
	return distribution.Check{Quantity: quantity, Distribution: l.Law, Samples: samples,
		SampleN: func(r *rand.Rand, out []any) error {
			err := m.ReleaseN(r, l.Input, out)
			for i := 0; i < len(out) && err == nil; i++ {
				if out[i], err = singleNumber(out[i]); err == nil && center != 0 {
					out[i] = out[i].(float64) - center
				}
			}
			return err
		}}
}

// singleNumber is an output that is one number.
func singleNumber(output any) (any, error) {
	switch output.(type) {
	case []any, map[string]any:
		return nil, misfit("an output is %s: a law is of single numbers", excerpt(output))
	}
	var vectors outputVectors
	got, err := vectors.numbers(nil, output)
	if err != nil {
		return nil, err
	}
	return got[0], nil
}

// Rate says that the mean of outputs grows along a grid of inputs at most as a power of them, or falls
// at least so: that for x before y mean(y)/mean(x) ≤ (y/x)^Exponent. Outputs are single numbers.
type Rate struct {
	Grid     []float64
	Written  []json.RawMessage // the grid as it is written
	Exponent float64
	Range    *[2]float64 // that holds every output; nil where none is known
}

func (t Rate) Kind() verify.Kind { return verify.Rate }
func (t Rate) Inputs() int       { return len(t.Grid) }

func (t Rate) String() string {
	return fmt.Sprintf("rate %q %v %v", t.Written, t.Exponent, pointed(t.Range))
}

func (t Rate) Says() string {
	return fmt.Sprintf("has a mean that goes at most as the input to the power of %v, from %v to %v", t.Exponent,
		t.Grid[0], t.Grid[len(t.Grid)-1])
}

func (t Rate) Check(m Mechanism, samples int64) verify.Check {
	written := make(map[float64]json.RawMessage)
	for i, x := range t.Grid {
		written[x] = t.Written[i]
	}
	lo, hi := math.Inf(-1), math.Inf(1)
	if t.Range != nil {
		lo, hi = t.Range[0], t.Range[1]
	}
	check := mean.Rate{
		Quantity: "the mean output", Variable: "input", Grid: t.Grid, Replicates: samples, Sense: verify.AtMost,
		Exponent: t.Exponent, Distribution: true, Range: func(float64) (float64, float64) { return lo, hi },
		RunN: func(r *rand.Rand, x float64, dst []float64) error {
			out := make([]any, len(dst))
			err := m.ReleaseN(r, written[x], out)
			for i := 0; i < len(out) && err == nil; i++ {
				var one any
				if one, err = singleNumber(out[i]); err == nil {
					dst[i] = one.(float64)
				}
			}
			return err
		},
	}
	return shapedCheck(check, m, t.Written, func(o any) error { _, err := singleNumber(o); return err })
}
