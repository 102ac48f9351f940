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

// Norms of a difference, as they are named in a file of claims.
var Norms = map[string]sensitivity.Norm{"l1": sensitivity.L1, "l2": sensitivity.L2, "linf": sensitivity.LInf}

// Sensitivity says that a map without noise, f, moves by at most a bound between neighbours: the numbers
// of its outputs; those of objects in the order of its keys.
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

// Check evaluates f at every pair. A mechanism with noise is a [Misfit], and so is one without numbers, or
// with vectors of different lengths.
func (s Sensitivity) Check(m Mechanism, _ int64) verify.Check {
	return verify.CheckFunc(func(ctx context.Context, settings verify.Settings) (verify.Trial, error) {
		f := &evaluatedMap{mechanism: m, r: settings.Stream("seeds")}
		inputs := make(numberedInputs)
		check := sensitivity.Pairs[shownInput]{Quantity: "the map", Norm: s.Norm, Claimed: s.Bound, Map: f.at}
		for _, p := range s.Pairs {
			check.Given = append(check.Given, inputs.pair(p))
		}
		if s.Found != nil {
			check.Space, check.Evaluations = s.Found.shownBy(inputs)
		}
		trial, err := check.Prepare(ctx, settings)
		if err != nil && f.failed == nil && ctx.Err() == nil {
			err = misfit("%v", err)
		}
		return trial, err
	})
}

// numberedInputs are the inputs of a claim, in the order in which they came up.
type numberedInputs map[string]int

// pair has inputs that show themselves.
func (n numberedInputs) pair(p inputs.Pair[json.RawMessage]) inputs.Pair[shownInput] {
	show := func(text json.RawMessage) shownInput {
		number, known := n[string(text)]
		if !known {
			number = len(n) + 1
			n[string(text)] = number
		}
		return shownInput{number, string(text)}
	}
	return inputs.Pair[shownInput]{Name: p.Name, A: show(p.A), B: show(p.B)}
}

// shownInput is one in JSON that is shown as it is written, a long one by its beginning and its number
// among those of the claim.
type shownInput struct {
	number int
	text   string
}

func (i shownInput) GoString() string {
	if cut := shortened(json.RawMessage(i.text)); cut != i.text {
		return fmt.Sprintf("%s (input %d)", cut, i.number)
	}
	return i.text
}

// evaluatedMap is f.
type evaluatedMap struct {
	mechanism Mechanism
	r         *rand.Rand
	vectors   outputVectors
	failed    error // of the mechanism
}

// noiseRepeats is how often one request evaluates f. Noise that is there at all is seldom the same so often.
const noiseRepeats = 16

func (f *evaluatedMap) at(x shownInput) ([]float64, error) {
	out := make([]any, noiseRepeats)
	if f.failed = f.mechanism.ReleaseN(f.r, json.RawMessage(x.text), out); f.failed != nil {
		return nil, f.failed
	}
	for _, o := range out[1:] {
		if !reflect.DeepEqual(o, out[0]) {
			return nil, fmt.Errorf("the map is no function of its input: it gives %s and then %s; give the map without "+
				"its noise", excerpt(out[0]), excerpt(o))
		}
	}
	return f.vectors.numbers(nil, out[0])
}
