package inputs

import (
	"encoding"
	"encoding/json"
	"math"
	"math/big"
	"reflect"
	"strconv"
)

// unit is the exponent of the smallest double above 0, 2⁻¹⁰⁷⁴: every double is a whole number of such units.
const unit = -1074

// inUnits returns an int64, a uint64 or a finite float64 as the whole number of units that it is; not ok for
// other values.
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
		} else { // of a subnormal number, whose last digits are 0
			return x.Rsh(x, uint(-shift)), true
		}
	}
	return nil, false
}

// within reports whether the numbers a and b differ, and by at most the radius in the norm. It computes exactly: no
// number is rounded.
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

// received appends the numbers of a value as the mechanism has them, after the value was decoded: a number that was
// decoded to a float32 is that float32. Numbers stand in the order of the value, fields in that of their names.
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

// receivedNumber is the number that a decoded value holds; the number that was decoded, if the value does not show it.
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

// decodesItself reports whether the type of a value has a method by which package json decodes it: what the value
// holds may then be in another unit.
func decodesItself(v reflect.Value) bool {
	t := v.Type()
	if t.Kind() != reflect.Pointer {
		t = reflect.PointerTo(t)
	}
	return t.Implements(reflect.TypeFor[json.Unmarshaler]()) || t.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
