package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/verify/outputs"

	"github.com/dpverify/dpverify/algorithms/primitive"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/replay"
)

// Replayer is a process that lists its calls of noise primitives, for a [replay.Replay]. A request has "record": true,
// or "replay" with the list of values that its calls must release, in order; each is a number or a list of numbers.
// Calls after the end of the list draw their values. The reply holds the calls of each release in addition to the
// outputs,
//
//	{"outputs": [3.7], "calls": [[{"primitive": "laplace", "value": 3, "scale": 2, "sensitivity": 1, "released": 3.7, "place": "count.py:9"}]]}
//
// Package primitive lists the primitives. Only "pure" needs a norm, other primitives have a fixed one. The place is
// optional. The sensitivity is optional except for "pure"; a call without it is not checked for its sensitivity.
// "bare": true marks noise that may be combined with other data later, see [replay.Call]. "concurrent": true marks a
// call from another thread than the first. Poisson sampling releases a list of 0 and 1, a permutation the original
// index of each entry.
type Replayer struct{ *Process }

// callFields holds the fields of a call in a reply.
type callFields struct {
	Primitive   primitive.Kind  `json:"primitive"`
	Value       json.RawMessage `json:"value"`
	Scale       json.RawMessage `json:"scale"`
	Sensitivity json.RawMessage `json:"sensitivity"`
	Norm        primitive.Norm  `json:"norm"`
	Released    json.RawMessage `json:"released"`
	Place       string          `json:"place"`
	Bare        bool            `json:"bare"`
	Concurrent  bool            `json:"concurrent"`
}

// Run records a release of the input. If calls are given, it replays them: each call must release the same value.
func (p Replayer) Run(seed uint64, input json.RawMessage, given []replay.Call) (replay.Run, error) {
	seed >>= 11 // exact in a double: many languages read all numbers as doubles
	r := request{Input: input, N: 1, Record: given == nil}
	if !p.Seedless {
		r.Seed = &seed
	}
	for _, c := range given {
		r.Replay = append(r.Replay, jsonValue(c.Released))
	}
	if given != nil && r.Replay == nil {
		r.Record = true // the recorded release made no call, so that the list to replay is empty
	}
	c, err := p.take()
	if err != nil {
		return replay.Run{}, err
	}
	outputs, reply, err := c.exchange(r, p.timeout())
	var calls []replay.Call
	var concurrent bool
	if err == nil {
		calls, concurrent, err = readCalls(reply)
	}
	if err == nil && !concurrent {
		err = checkReplayed(given, calls)
	}
	if err != nil {
		p.drop(c)
		return replay.Run{}, p.named(err)
	}
	p.giveBack(c)
	run, err := replay.NewRun(calls, outputs[0])
	run.Concurrent = concurrent
	return run, err
}

// jsonValue returns a vector as a value for JSON: a list, or the number itself if there is only one.
func jsonValue(v []float64) any {
	one := func(x float64) any {
		switch {
		case math.IsNaN(x):
			return "nan"
		case math.IsInf(x, 0):
			return map[bool]string{true: "inf", false: "-inf"}[x > 0]
		}
		return x
	}
	if len(v) == 1 {
		return one(v[0])
	}
	out := make([]any, len(v))
	for i, x := range v {
		out[i] = one(x)
	}
	return out
}

// readCalls returns the calls of the only release of a reply, and reports whether several threads made them.
func readCalls(reply []byte) (calls []replay.Call, concurrent bool, err error) {
	var fields struct {
		Calls *[][]json.RawMessage `json:"calls"` // counted before they are decoded
	}
	if err := json.Unmarshal(reply, &fields); err != nil {
		return nil, false, fmt.Errorf(`"calls" of the reply %s: want a list with one list of calls: %w`,
			outputs.QuotedExcerpt(reply), err)
	}
	switch {
	case fields.Calls == nil:
		return nil, false, errors.New(`gave no "calls" in reply to a request with "record": want the calls of noise ` +
			`primitives, which a claim with replay needs`)
	case len(*fields.Calls) != 1:
		return nil, false, fmt.Errorf(`gave the calls of %d releases in "calls": want a list with one list of calls`,
			len(*fields.Calls))
	case len((*fields.Calls)[0]) > replay.MaxCalls:
		return nil, false, fmt.Errorf("made %d calls of primitives: want at most %d", len((*fields.Calls)[0]),
			replay.MaxCalls)
	}
	calls = make([]replay.Call, 0, len((*fields.Calls)[0]))
	for i, text := range (*fields.Calls)[0] {
		var f callFields
		err := json.Unmarshal(text, &f)
		var c replay.Call
		if err == nil {
			c, err = f.call()
		}
		if err != nil {
			return nil, false, fmt.Errorf("call %d: %w", i+1, err)
		}
		calls, concurrent = append(calls, c), concurrent || f.Concurrent
	}
	return calls, concurrent, nil
}

// call decodes a call.
func (f callFields) call() (c replay.Call, err error) {
	c.Kind, c.Norm, c.Place, c.Bare = f.Primitive, f.Norm, f.Place, f.Bare
	if c.Norm == "" {
		c.Norm = replay.NormOf(f.Primitive)
	}
	var scale, sensitivity []float64
	for _, part := range []struct {
		name string
		from json.RawMessage
		to   *[]float64
	}{{"value", f.Value, &c.Value}, {"scale", f.Scale, &scale}, {"sensitivity", f.Sensitivity, &sensitivity},
		{"released", f.Released, &c.Released}} {
		if *part.to, err = numbers(part.from); err != nil {
			return c, fmt.Errorf("%s: %w", part.name, err)
		}
	}
	for _, one := range [][]float64{scale, sensitivity} {
		if len(one) > 1 {
			return c, fmt.Errorf("scale %v, sensitivity %v: want one number each", scale, sensitivity)
		}
	}
	if len(scale) == 1 {
		c.Scale = scale[0]
	}
	switch {
	case len(sensitivity) == 0 && replay.NormOf(c.Kind) != "":
		c.Sensitivity = replay.NoSensitivity
	case len(sensitivity) == 1 && math.IsInf(sensitivity[0], 0):
		return c, fmt.Errorf("primitive %s declares the sensitivity %v: want a finite number, at least 0, or none", c.Kind,
			sensitivity[0])
	case len(sensitivity) == 1:
		c.Sensitivity = sensitivity[0]
	}
	if len(c.Value) == 0 && c.Kind == primitive.Uniform {
		c.Value = []float64{0}
	}
	if err := replay.CheckCall(c.Call); err != nil {
		return c, err
	}
	return c, checkReleased(c)
}

// checkReleased returns an error if a call cannot have released its values.
func checkReleased(c replay.Call) error {
	want, below := len(c.Value), 0
	switch c.Kind {
	case primitive.Poisson, primitive.Permutation, primitive.Public:
		want = int(c.Value[0])
	case primitive.Exponential, primitive.NoisyMax:
		want, below = 1, len(c.Value)
	case primitive.Uniform:
		want = 1
	case primitive.Pure: // releases any values
		want = len(c.Released)
	}
	expected := ""
	switch {
	case len(c.Released) != want:
		return fmt.Errorf("primitive %s of %d values releases %s: want %d", c.Kind, len(c.Value),
			verify.Plural(len(c.Released), "number"), want)
	case c.Kind == primitive.Poisson && slices.ContainsFunc(c.Released, func(x float64) bool { return x != 0 && x != 1 }):
		expected = "a 0 or a 1 for each record"
	case c.Kind == primitive.Permutation && !isPermutation(c.Released):
		expected = fmt.Sprintf("the numbers 0 to %d in some order", want-1)
	case below > 0 && !(c.Released[0] == math.Trunc(c.Released[0]) && c.Released[0] >= 0 &&
		c.Released[0] < float64(below)):
		expected = fmt.Sprintf("the index of one of %d scores", below)
	default:
		return nil
	}
	const shown = 8
	return fmt.Errorf("primitive %s releases %v%s: want %s", c.Kind, c.Released[:min(shown, want)],
		map[bool]string{true: " …"}[want > shown], expected)
}

// isPermutation reports whether the numbers are 0, …, n−1, each once.
func isPermutation(indices []float64) bool {
	sorted := slices.Sorted(slices.Values(indices))
	for i, p := range sorted {
		if p != float64(i) {
			return false
		}
	}
	return true
}

// numbers decodes a number or a list of numbers. It returns nil for a missing value or null.
func numbers(text json.RawMessage) (out []float64, err error) {
	if len(text) == 0 || string(text) == "null" {
		return nil, nil
	}
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		list = []json.RawMessage{text}
	}
	for _, e := range list {
		x, err := number(e)
		if err != nil {
			return nil, err
		}
		out = append(out, x)
	}
	return out, nil
}

// number decodes one number. "nan", "inf" and "-inf" are numbers, true is 1 and false is 0.
func number(text json.RawMessage) (float64, error) {
	var v any
	err := json.Unmarshal(text, &v)
	switch x := v.(type) {
	case float64:
		return x, err
	case bool:
		return map[bool]float64{true: 1}[x], nil
	case string:
		if x, ok := map[string]float64{"nan": math.NaN(), "inf": math.Inf(1), "-inf": math.Inf(-1)}[x]; ok {
			return x, nil
		}
	}
	return 0, fmt.Errorf("%s is not a number: want a number, \"nan\", \"inf\" or \"-inf\", or a list of them",
		outputs.QuotedExcerpt(text))
}

// checkReplayed returns an error if a call released another value than the one to replay. It stops at the first call
// that differs in kind or size, since later calls draw their values.
func checkReplayed(given, calls []replay.Call) error {
	for i := range min(len(given), len(calls)) {
		if !replay.Fits(given[i].Call, calls[i].Call) {
			return nil
		}
		if len(given[i].Released) != len(calls[i].Released) {
			return nil // a sample of other records: all later values are drawn
		}
		same := func(a, b float64) bool { return a == b || a != a && b != b }
		if !slices.EqualFunc(given[i].Released, calls[i].Released, same) {
			return fmt.Errorf(`ignores "replay": call %d, %s, was to release %v, but released %v`, i+1, calls[i].Kind,
				jsonValue(given[i].Released), jsonValue(calls[i].Released))
		}
	}
	return nil
}

var _ replay.Subject[json.RawMessage] = Replayer{}
