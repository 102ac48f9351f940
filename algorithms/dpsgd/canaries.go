package dpsgd

import (
	"context"
	"math/rand/v2"
)

// Training is a training algorithm that runs once for each draw of the inclusion bits.
type Training interface {
	// Scores trains with the canaries whose bit in coins is set and returns one score for each element of coins.
	// There must be at least one. A larger score is evidence of inclusion. Scores depend on the coins only through
	// the released values.
	//
	// Errors: more canaries than MaxCanaries, errors of the training, and the context's error.
	Scores(ctx context.Context, r *rand.Rand, coins []bool) ([]float64, error)
	// MaxCanaries returns the largest number of canaries that Scores accepts.
	MaxCanaries() int
}

// Attack states which releases the attacker sees.
type Attack string

// The attacks.
const (
	WhiteBox Attack = "white-box" // every noisy gradient
	BlackBox Attack = "black-box" // the last model
)

// Fault names an error that is introduced into a training. The zero value is no fault.
type Fault string

// The faults.
const (
	Sound        Fault = ""
	HalfScale    Fault = "half-scale"     // noise of half the scale
	NoClip       Fault = "no-clip"        // gradients are not clipped, or records not brought into the unit ball
	ClipPerBatch Fault = "clip-per-batch" // the mean gradient is clipped instead of each record's gradient
	NoiseOnce    Fault = "noise-once"     // one draw of noise, added in all steps
	WrongRate    Fault = "wrong-rate"     // RateFactor times the stated sampling rate
	SameSeed     Fault = "same-seed"      // the same generator seed in every step: one draw of noise and one batch
)

// Faults lists all faults.
func Faults() []Fault {
	return []Fault{HalfScale, NoClip, ClipPerBatch, NoiseOnce, WrongRate, SameSeed}
}

// RateFactor is the ratio between the real and the stated sampling rate of a training with the fault WrongRate.
const RateFactor = 4

// maxCanaries bounds the memory of a training.
const maxCanaries = 100_000
