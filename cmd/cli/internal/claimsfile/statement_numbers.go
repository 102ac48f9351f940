package claimsfile

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"github.com/dpverify/dpverify/empirical/distinguisher"
)

// outputVectors converts outputs to vectors of their numbers: true is 1, false is 0, arrays are flattened, and
// objects are read in the order of [distinguisher.Keys]. All outputs must have one shape. The zero value is ready and
// safe for concurrent use.
type outputVectors struct{ shape atomic.Pointer[string] }

// numbers appends the numbers of an output to dst. It returns a [Misfit] for null, for a word, and for an output
// whose keys or lengths differ from the first one's, because its numbers would have other meanings.
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
		return dst, misfit("an output is %s, with other keys or lengths than the first one: want the same in all, so "+
			"that each number has one meaning", excerpt(output))
	}
	return dst, nil
}

// appendNumbers appends the numbers of a part of an output to dst, and its lengths and keys to shape.
func appendNumbers(dst []float64, part, output any, shape *strings.Builder) ([]float64, error) {
	var err error
	switch v := part.(type) {
	case float64:
		return append(dst, v), nil
	case json.Number: // a whole number beyond 2⁵³
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
	return nil, misfit("an output, %s, holds %s: want only numbers", excerpt(output), excerpt(part))
}

var notFinite = map[string]float64{"nan": math.NaN(), "inf": math.Inf(1), "-inf": math.Inf(-1)}

// excerpt returns the beginning of an output as JSON.
func excerpt(output any) string {
	text, err := json.Marshal(output)
	if err != nil { // does not occur for decoded JSON
		return "not representable in JSON"
	}
	return shortened(text)
}

// shortened returns at most 48 characters of JSON.
func shortened(text json.RawMessage) string {
	const maxLength = 48
	if r := []rune(string(text)); len(r) > maxLength {
		return string(r[:maxLength]) + "…"
	}
	return string(text)
}

// valueOrNone returns the value that p points to, or "none".
func valueOrNone[T any](p *T) any {
	if p == nil {
		return "none"
	}
	return *p
}
