package claimsfile

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"

	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
	"github.com/dpverify/dpverify/verify/sensitivity"
)

// Norms holds the norms of a difference by their names in a claims file.
var Norms = map[string]sensitivity.Norm{"l1": sensitivity.L1, "l2": sensitivity.L2, "linf": sensitivity.LInf}

// Sensitivity claims that the output of a map without noise differs by at most Bound between neighbors. Outputs are
// compared as vectors of their numbers.
type Sensitivity struct {
	Norm  sensitivity.Norm
	Bound float64
	Pairs []inputs.Pair[json.RawMessage]
	Found *FoundInputs // further pairs; nil for none
}

func (s Sensitivity) Kind() verify.Kind { return verify.Sensitivity }
func (s Sensitivity) Inputs() int       { return 0 } // nothing is sampled

func (s Sensitivity) String() string { // the pairs are the claim's
	return fmt.Sprintf("sensitivity %v %v%v", s.Norm, s.Bound, s.Found)
}

func (s Sensitivity) Says() string {
	over := "on the given pairs of inputs"
	if s.Found != nil {
		over = s.Found.Over()
	}
	return fmt.Sprintf("answers with a map of %v-sensitivity at most %v %s", s.Norm, s.Bound, over)
}

// Check evaluates the map at every pair. It returns a [Misfit] if the mechanism adds noise, has outputs without
// numbers, or has vectors of different lengths.
func (s Sensitivity) Check(m Mechanism, _ int64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, settings verify.Settings) (verify.Trial, error) {
		f := &evaluatedMap{mechanism: m, r: settings.Stream("seeds")}
		check := sensitivity.Pairs[json.RawMessage]{Quantity: "the map", Norm: s.Norm, Claimed: s.Bound, Map: f.at,
			Given: s.Pairs}
		if s.Found != nil {
			check.Space, check.Evaluations = s.Found.pairs()
		}
		trial, err := check.Prepare(ctx, settings)
		if err != nil && f.failed == nil && ctx.Err() == nil {
			err = misfit("%v", err)
		}
		return trial, err
	})
}

// evaluatedMap is a mechanism that is evaluated as a function of its input.
type evaluatedMap struct {
	mechanism Mechanism
	r         *rand.Rand
	vectors   outputVectors
	failed    error // of the mechanism
}

// noiseRepeats is the number of evaluations at each input. Noise is unlikely to give this many equal outputs.
const noiseRepeats = 16

func (f *evaluatedMap) at(x json.RawMessage) ([]float64, error) {
	out := make([]any, noiseRepeats)
	if f.failed = f.mechanism.ReleaseN(f.r, x, out); f.failed != nil {
		return nil, f.failed
	}
	for _, o := range out[1:] {
		if !reflect.DeepEqual(o, out[0]) {
			return nil, fmt.Errorf("the map is not a function of its input: it gives %s and then %s; pass the map without "+
				"its noise", excerpt(out[0]), excerpt(o))
		}
	}
	return f.vectors.numbers(nil, out[0])
}
