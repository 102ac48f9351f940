package claimsfile

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// outputVectors takes outputs to vectors: the numbers in them, of which true is 1 and false 0; arrays are
// taken apart, and objects in the order of [distinguisher.Keys]. The zero value is ready, also for concurrent use.
type outputVectors struct{ shape atomic.Pointer[string] }

// numbers appends those in an output to dst. Null and words are a [Misfit], and so is an output of another
// shape than the first one: with other keys or other lengths, a number stands for something else.
func (v *outputVectors) numbers(dst []float64, output any) ([]float64, error) {
	var shape strings.Builder
	dst, err := appendNumbers(dst, output, output, &shape)
	if err != nil {
		return dst, err
	}
	now := shape.String()
	if v.shape.CompareAndSwap(nil, &now) {
		return dst, nil
	}
	if *v.shape.Load() != now {
		return dst, misfit("an output is %s, of other keys or lengths than the first one: want the same in all, for each "+
			"number to stand for one thing", excerpt(output))
	}
	return dst, nil
}

// appendNumbers appends those in a part of an output; lengths and keys to shape.
func appendNumbers(dst []float64, part, output any, shape *strings.Builder) ([]float64, error) {
	var err error
	switch v := part.(type) {
	case float64:
		return append(dst, v), nil
	case json.Number: // a whole one beyond 2⁵³
		x, err := v.Float64()
		return append(dst, x), err
	case bool:
		if v {
			return append(dst, 1), nil
		}
		return append(dst, 0), nil
	case []any:
		fmt.Fprintf(shape, "[%d]", len(v))
		for i := 0; i < len(v) && err == nil; i++ {
			dst, err = appendNumbers(dst, v[i], output, shape)
		}
		return dst, err
	case map[string]any:
		keys := distinguisher.Keys(v)
		for i := 0; i < len(keys) && err == nil; i++ {
			fmt.Fprintf(shape, "{%q}", keys[i])
			dst, err = appendNumbers(dst, v[keys[i]], output, shape)
		}
		return dst, err
	case string:
		if x, ok := notFinite[v]; ok {
			return append(dst, x), nil
		}
	}
	if excerpt(part) == excerpt(output) {
		return nil, misfit("an output is %s: want numbers", excerpt(output))
	}
	return nil, misfit("an output, %s, holds %s: want numbers alone", excerpt(output), excerpt(part))
}

var notFinite = map[string]float64{"nan": math.NaN(), "inf": math.Inf(1), "-inf": math.Inf(-1)}

// excerpt of an output, as JSON.
func excerpt(output any) string {
	text, err := json.Marshal(output)
	if err != nil { // no value that was read
		return "of no form in JSON"
	}
	return shortened(text)
}

// shortened is JSON, or its beginning.
func shortened(text json.RawMessage) string {
	const most = 48
	if r := []rune(string(text)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(text)
}

// pointed shows what a pointer points to.
func pointed[T any](p *T) any {
	if p == nil {
		return "none"
	}
	return *p
}
