package statements

import (
	"encoding/json"
	"math"

	"github.com/dpverify/dpverify/empirical/witness"
)

// Numbers appends the numbers in an output to dst: true is 1 and false 0, arrays are taken apart, and
// objects in the order of [witness.Keys]. Null and words are a [Misfit].
func Numbers(dst []float64, output any) ([]float64, error) {
	return appendNumbers(dst, output, output)
}

func appendNumbers(dst []float64, part, output any) ([]float64, error) {
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
		for i := 0; i < len(v) && err == nil; i++ {
			dst, err = appendNumbers(dst, v[i], output)
		}
		return dst, err
	case map[string]any:
		keys := witness.Keys(v)
		for i := 0; i < len(keys) && err == nil; i++ {
			dst, err = appendNumbers(dst, v[keys[i]], output)
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
