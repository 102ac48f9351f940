package dpsgd

import (
	"context"
	"math/rand/v2"
)

// Training is trained anew for every draw of the coins.
type Training interface {
	// Scores trains with those canaries that coins include, at least one, and returns a score for each; a larger one speaks
	// for inclusion. Scores depend on the coins through what the training released alone.
	//
	// Errors: more canaries than Most, those of the training, and the context's.
	Scores(ctx context.Context, r *rand.Rand, coins []bool) ([]float64, error)
	// MaxCanaries is the largest number of canaries.
	MaxCanaries() int
}

// Attack says what the attacker sees.
type Attack string

// The attacks.
const (
	WhiteBox Attack = "white-box" // every noisy gradient
	BlackBox Attack = "black-box" // the last model
)

// Fault is what is broken in a training; the zero value is none.
type Fault string

// The faults.
const (
	Sound        Fault = ""
	HalfScale    Fault = "half-scale"     // noise of half the scale
	NoClip       Fault = "no-clip"        // gradients are not clipped, or records not brought into the unit ball
	ClipPerBatch Fault = "clip-per-batch" // the mean gradient is clipped in place of those of the records
	NoiseOnce    Fault = "noise-once"     // one draw of noise, added in all steps
	WrongRate    Fault = "wrong-rate"     // RateFactor times the sampling rate that the accountant was told
	SameSeed     Fault = "same-seed"      // a generator with the same seed in every step: one draw of noise and one batch
)

// Faults are all of them.
func Faults() []Fault {
	return []Fault{HalfScale, NoClip, ClipPerBatch, NoiseOnce, WrongRate, SameSeed}
}

// RateFactor is how many times as often as told a training samples whose rate is wrong.
const RateFactor = 4

// mostCanaries bounds the memory of a training.
const mostCanaries = 100_000
