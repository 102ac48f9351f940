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

// Mechanism fills out with outputs at an input, as decoded JSON.
type Mechanism interface {
	ReleaseN(r *rand.Rand, input json.RawMessage, out []any) error
}

// Statement is a claim about a mechanism other than privacy.
type Statement interface {
	Kind() verify.Kind
	// Says returns the predicate, as in "has the mean [2] at the input [1,2,3]".
	Says() string
	// String identifies the statement with all of its parameters; [Digest] depends on it.
	String() string
	// Check takes the given number of samples at each input at the standard budget. Its Prepare returns a [Misfit]
	// if the statement does not apply to the outputs of the mechanism.
	Check(m Mechanism, samples int64) verify.Check
	// Inputs returns the number of inputs at which the mechanism is sampled.
	Inputs() int
}

// Misfit is the error that a statement does not apply to the outputs of its mechanism.
type Misfit struct{ What string }

func (m *Misfit) Error() string { return m.What }

func misfit(format string, args ...any) error { return &Misfit{fmt.Sprintf(format, args...)} }

// inspectedOutputs is the number of outputs at each input whose shape is checked first.
const inspectedOutputs = 8

// shapedCheck returns a check whose Prepare first tests the shape of a few outputs at each input.
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

// Unbiased claims the mean of outputs, taken as vectors of their numbers.
type Unbiased struct {
	Input    json.RawMessage
	Of       []float64   // the mean
	Range    *[2]float64 // of every number of an output; nil if unknown
	Variance float64     // upper bound for every number of an output; 0 if unknown
}

func (u Unbiased) Kind() verify.Kind { return verify.Unbiasedness }
func (u Unbiased) Inputs() int       { return 1 }

func (u Unbiased) Says() string {
	return fmt.Sprintf("has the mean %v%s", u.Of, atInput(u.Input)) + knownText(u.Range, u.Variance)
}

// knownText names the known range or variance of outputs.
func knownText(within *[2]float64, variance float64) string {
	switch {
	case within != nil:
		return fmt.Sprintf(", in the range %v", *within)
	case variance > 0:
		return fmt.Sprintf(", with a variance of at most %v", variance)
	}
	return ""
}

// atInput names an input; it returns "" if outputs were recorded at an unknown input.
func atInput(input json.RawMessage) string {
	if input == nil {
		return ""
	}
	return " at the input " + shortened(input)
}

// outputAt names the output at an input.
func outputAt(input json.RawMessage) string {
	if input == nil {
		return "the output"
	}
	return "the output at " + shortened(input)
}

func (u Unbiased) String() string {
	return fmt.Sprintf("unbiased %q %v %v %v", u.Input, u.Of, valueOrNone(u.Range), u.Variance)
}

func (u Unbiased) Check(m Mechanism, samples int64) verify.Check {
	var vectors outputVectors
	are := statedNumbers(u.Of)
	return shapedCheck(u.stated(m, outputAt(u.Input), &vectors, are, samples), m, []json.RawMessage{u.Input},
		func(o any) error { return vectors.fillVector(make([]float64, len(u.Of)), o, are) })
}

func statedNumbers(mean []float64) string { return fmt.Sprintf("are in the stated mean, %v", mean) }

// stated returns the check at the input. Every output must have as many numbers as the mean; are says where that
// number comes from.
func (u Unbiased) stated(m Mechanism, quantity string, vectors *outputVectors, are string, samples int64) mean.Stated {
	check := mean.Stated{Quantity: quantity, Mean: u.Of, Samples: samples,
		SampleN: func(r *rand.Rand, dst [][]float64) error {
			out := make([]any, len(dst))
			err := m.ReleaseN(r, u.Input, out)
			for i := 0; i < len(out) && err == nil; i++ {
				err = vectors.fillVector(dst[i], out[i], are)
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

// fillVector writes the numbers of an output to dst, whose length they must have.
func (v *outputVectors) fillVector(dst []float64, output any, are string) error {
	got, err := v.numbers(dst[:0:len(dst)], output)
	if err == nil && len(got) != len(dst) {
		err = misfit("an output, %s, holds %d numbers, and %d %s: want one for each", excerpt(output), len(got),
			len(dst), are)
	}
	return err
}

// Law claims the distribution of outputs, which must be single numbers.
type Law struct {
	Input json.RawMessage
	Law   distribution.Distribution
	Exact string // the distribution with all digits of its parameters
}

func (l Law) Kind() verify.Kind { return verify.Law }
func (l Law) Inputs() int       { return 1 }
func (l Law) String() string    { return fmt.Sprintf("law %q %s", l.Input, l.Exact) }

func (l Law) Says() string {
	return fmt.Sprintf("has the distribution %s%s", l.Law, atInput(l.Input))
}

func (l Law) Check(m Mechanism, samples int64) verify.Check {
	return shapedCheck(l.stated(m, outputAt(l.Input), 0, samples), m, []json.RawMessage{l.Input},
		func(o any) error { _, err := singleNumber(o); return err })
}

// stated returns the check at the input for outputs minus a center.
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

// singleNumber returns an output that is a single number, or a [Misfit].
func singleNumber(output any) (any, error) {
	switch output.(type) {
	case []any, map[string]any:
		return nil, misfit("an output is %s: want a single number", excerpt(output))
	}
	var vectors outputVectors
	got, err := vectors.numbers(nil, output)
	if err != nil {
		return nil, err
	}
	return got[0], nil
}

// Rate claims that the mean of outputs grows along a grid of inputs at most as a power of the input, or decreases at
// least that fast: mean(y)/mean(x) ≤ (y/x)^Exponent for x before y. Outputs are single numbers.
type Rate struct {
	Grid     []float64
	Written  []json.RawMessage // the grid as written in the file
	Exponent float64
	Range    *[2]float64 // of every output; nil if unknown
}

func (t Rate) Kind() verify.Kind { return verify.Rate }
func (t Rate) Inputs() int       { return len(t.Grid) }

func (t Rate) String() string {
	return fmt.Sprintf("rate %q %v %v", t.Written, t.Exponent, valueOrNone(t.Range))
}

func (t Rate) Says() string {
	return fmt.Sprintf("has a mean that grows at most as the input to the power of %v, from %v to %v", t.Exponent,
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
		Exponent: t.Exponent, PowerLaw: true, Range: func(float64) (float64, float64) { return lo, hi },
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
