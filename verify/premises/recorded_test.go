package premises

import (
	"math"
	"strings"
	"testing"

	"github.com/dpverify/dpverify/verify"
)

// TestAdd checks that a step added in Go is the step that ReadLog reads, and that bad shapes are errors.
func TestAdd(t *testing.T) {
	log := NewLog(5, []int{0, 2})
	if err := log.Add([]int{0, 3}, [][]float64{{0.6, 0, 0.8}, {0, 0, -0.5}}, []float64{0.1, 9, 0.2},
		[]float64{0.35, 9, 0.25}, 2); err != nil {
		t.Fatal(err)
	}
	read, err := ReadLog("run.jsonl", strings.NewReader(exampleLog))
	if err != nil {
		t.Fatal(err)
	}
	got, want := log.Steps[0], read.Steps[0]
	if got.Norm != want.Norm || got.Sum[1] != want.Sum[1] || got.Noise[1] != want.Noise[1] || got.Batch[1] != want.Batch[1] ||
		got.Released[1] != want.Released[1] || got.Divisor != want.Divisor {
		t.Errorf("added %+v, read %+v", got, want)
	}
	ok := []float64{1, 2, 3}
	for _, c := range []struct {
		want            string
		batch           []int
		contributions   [][]float64
		noise, released []float64
		divisor         float64
	}{
		{"record 5", []int{5}, [][]float64{ok}, ok, ok, 1},
		{"record -1", []int{-1}, [][]float64{ok}, ok, ok, 1},
		{"step 2: 1 records, 0 norms", []int{1}, nil, ok, ok, 1},
		{"contribution 0 has 2 values", []int{1}, [][]float64{{1, 2}}, ok, ok, 1},
		{"released vector: 2 values have no coordinate 2", []int{1}, [][]float64{ok}, ok, ok[:2], 1},
		{"not a finite number", []int{1}, [][]float64{ok}, ok, []float64{1, 2, math.NaN()}, 1},
		{"the divisor is missing or not positive", []int{1}, [][]float64{ok}, ok, ok, 0},
	} {
		if err := log.Add(c.batch, c.contributions, c.noise, c.released, c.divisor); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if len(log.Steps) != 1 {
		t.Errorf("%d steps, want 1: a step with an error is not added", len(log.Steps))
	}
	if err := log.Add(nil, nil, ok, ok, 1); err != nil {
		t.Errorf("empty batch: %v", err)
	}
}

// TestPremisesErrors checks that an invalid claim, an empty log and a log that was put together by hand are errors. No
// premise holds in a log without steps.
func TestPremisesErrors(t *testing.T) {
	claim := Training{Sampling: Poisson, Rate: 0.1, ClippingNorm: 1, NoiseMultiplier: 1, Divisor: 1, Steps: 1}
	good := NewLog(5, []int{0})
	if err := good.Add(nil, nil, []float64{1}, []float64{1}, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := Premises(good, nil, claim); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		log  *Log
		t    Training
		want string
	}{
		{nil, claim, "no steps"},
		{NewLog(5, []int{0}), claim, "no steps"},
		{NewLog(5, nil), claim, "no steps"},
		{&Log{Records: 5, Coordinates: 2, Steps: good.Steps}, claim, "values at 2 coordinates"},
		{good, Training{Sampling: Poisson}, "sampling rate"},
	} {
		if _, err := Premises(c.log, nil, c.t); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want one with %q", err, c.want)
		}
	}
	if _, err := (computed{Quantity: "divisor", Sense: verify.Equals}).check().Prepare(t.Context(),
		verify.Settings{}); err == nil {
		t.Error("statistics without steps have a verdict")
	}
}
