package premises

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify"
)

// Sampling is the claimed way in which a step selects its batch.
type Sampling string

const (
	// Poisson includes each record in each step independently, with probability Rate.
	Poisson Sampling = "poisson"
	// WithoutReplacement draws Batch distinct records for each step, independently of other steps.
	WithoutReplacement Sampling = "without-replacement"
	// Shuffled permutes the records at random in each epoch and cuts them into batches of Batch records.
	Shuffled Sampling = "shuffled"
	// Fixed uses the same batches of Batch records, in the same order, in each epoch.
	Fixed Sampling = "fixed"
)

// Training is what an account claims about a training.
type Training struct {
	Sampling Sampling `json:"sampling"`
	// Rate is the sampling rate of Poisson sampling, in (0, 1].
	Rate float64 `json:"rate,omitempty"`
	// Batch is the number of records in a batch, for the other ways of sampling.
	Batch int `json:"batch,omitempty"`
	// ClippingNorm is the bound C on the L2 norm of a record's contribution.
	ClippingNorm float64 `json:"clipping_norm"`
	// NoiseMultiplier is the standard deviation of the noise on the sum, divided by C.
	NoiseMultiplier float64 `json:"noise_multiplier"`
	// Divisor is the number by which the noisy sum is divided; 1 if it is not divided.
	Divisor float64 `json:"divisor"`
	Steps   int     `json:"steps"`
	// Tolerance is the relative error τ that is allowed in norms, the divisor and the released values. The released values
	// have at least 1e-5.
	Tolerance float64 `json:"tolerance"`
}

// ParameterError is an error about one parameter of a [Training].
type ParameterError struct {
	Parameter string // key in a claims file, for example "clipping-norm"
	text      string
}

func (e *ParameterError) Error() string { return e.text }

func parameterError(parameter, format string, args ...any) error {
	return &ParameterError{parameter, fmt.Sprintf(format, args...)}
}

// Samplings lists the ways of sampling.
var Samplings = []Sampling{Poisson, WithoutReplacement, Shuffled, Fixed}

// Check returns a [ParameterError] about the first parameter outside its domain.
func (t Training) Check() error {
	switch {
	case !slices.Contains(Samplings, t.Sampling):
		return parameterError("sampling", "sampling %q: want %s, %s, %s or %s", t.Sampling, Poisson, WithoutReplacement,
			Shuffled, Fixed)
	case t.Sampling == Poisson && !(t.Rate > 0 && t.Rate <= 1):
		return parameterError("rate", "sampling rate %v: want a number above 0 and at most 1", t.Rate)
	case t.Sampling == Poisson && t.Batch != 0:
		return parameterError("batch", "batch %d: Poisson sampling has a rate, not a batch size", t.Batch)
	case t.Sampling != Poisson && t.Batch < 1:
		return parameterError("batch", "batch %d: want the number of records in a batch, at least 1", t.Batch)
	case t.Sampling != Poisson && t.Rate != 0:
		return parameterError("rate", "sampling rate %v: sampling %s has a batch size, not a rate", t.Rate, t.Sampling)
	case !positive(t.ClippingNorm):
		return parameterError("clipping-norm", "clipping norm %v: want a positive number", t.ClippingNorm)
	case !positive(t.NoiseMultiplier):
		return parameterError("noise-multiplier", "noise multiplier %v: want a positive number", t.NoiseMultiplier)
	case !positive(t.Divisor):
		return parameterError("divisor", "divisor %v: want a positive number", t.Divisor)
	case t.Steps < 1:
		return parameterError("steps", "%d steps: want at least 1", t.Steps)
	case !(t.Tolerance >= 0 && t.Tolerance < 1):
		return parameterError("tolerance", "tolerance %v: want a number from 0 to below 1", t.Tolerance)
	}
	return nil
}

func positive(x float64) bool { return x > 0 && x <= math.MaxFloat64 }

// Premise is one premise of an account with its check in a log.
type Premise struct {
	Name      string // for example "membership"
	Statement string // what the account assumes, with its numbers
	Check     verify.Check
}
