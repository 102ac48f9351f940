package inputs

import (
	"encoding"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
)

// unit is the exponent of the smallest positive double, 2⁻¹⁰⁷⁴. Every double is an integer multiple of it.
const unit = -1074

// inUnits returns a finite number in multiples of 2⁻¹⁰⁷⁴, or false for a value that is not an int64, a uint64 or a
// finite float64.
func inUnits(v any) (x *big.Int, ok bool) {
	x = new(big.Int)
	switch v := v.(type) {
	case int64:
		return x.Lsh(x.SetInt64(v), -unit), true
	case uint64:
		return x.Lsh(x.SetUint64(v), -unit), true
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return nil, false
		}
		fraction, exponent := math.Frexp(v)
		x.SetInt64(int64(math.Ldexp(fraction, 53)))
		if shift := exponent - 53 - unit; shift >= 0 {
			return x.Lsh(x, uint(shift)), true
		} else { // subnormal: the trailing digits are 0
			return x.Rsh(x, uint(-shift)), true
		}
	}
	return nil, false
}

// within reports whether the vectors a and b differ by at most the radius in the norm. The computation is exact.
func within(a, b []any, norm Norm, radius float64) bool {
	bound, ok := inUnits(radius)
	if !ok || len(a) != len(b) {
		return false
	}
	length := new(big.Int)
	for i := range a {
		if a[i] == b[i] {
			continue
		}
		x, aIs := inUnits(a[i])
		y, bIs := inUnits(b[i])
		if !aIs || !bIs {
			return false
		}
		step := x.Abs(x.Sub(x, y))
		switch norm {
		case L1:
			length.Add(length, step)
		case L2:
			length.Add(length, step.Mul(step, step))
		default:
			if step.Cmp(length) > 0 {
				length = step
			}
		}
	}
	if norm == L2 {
		bound.Mul(bound, bound)
	}
	return length.Sign() > 0 && length.Cmp(bound) <= 0
}

// received appends the numbers of a decoded input as the mechanism sees them, for example after rounding to float32.
// They have the order of the value v; fields are in alphabetical order.
func received(out []any, to reflect.Value, v any) []any {
	for to.Kind() == reflect.Interface || to.Kind() == reflect.Pointer && !decodesItself(to) {
		to = to.Elem()
	}
	switch v := v.(type) {
	case []any:
		for i, x := range v {
			out = received(out, to.Index(i), x)
		}
	case map[string]any:
		for _, key := range sortedKeys(v) {
			part := reflect.Value{}
			if to.Kind() == reflect.Struct {
				part, _ = fieldOf(to, key)
			} else {
				part = to.MapIndex(reflect.ValueOf(key).Convert(to.Type().Key()))
			}
			out = received(out, part, v[key])
		}
	case int64, float64:
		out = append(out, receivedNumber(to, v))
	}
	return out
}

// receivedNumber returns the number in a decoded value, or v if the value does not show it.
func receivedNumber(to reflect.Value, v any) any {
	switch {
	case decodesItself(to):
		text, err := json.Marshal(to.Interface())
		if err != nil {
			return v
		}
		if whole, err := strconv.ParseInt(string(text), 10, 64); err == nil {
			return whole
		}
		if x, err := strconv.ParseFloat(string(text), 64); err == nil {
			return x
		}
	case to.CanFloat():
		return to.Float()
	case to.CanInt():
		return to.Int()
	case to.CanUint():
		return to.Uint()
	}
	return v
}

// decodesItself reports whether the type has its own method for decoding JSON or text. Its value may then be in other
// units than the JSON number.
func decodesItself(v reflect.Value) bool {
	t := v.Type()
	if t.Kind() != reflect.Pointer {
		t = reflect.PointerTo(t)
	}
	return t.Implements(reflect.TypeFor[json.Unmarshaler]()) || t.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
