package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/verify"
)

// decodeExact reads JSON and keeps numbers as they are written. A duplicate key is an error, since readers differ in
// the value that they use.
func decodeExact(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := decodeValue(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is text after the end of the report")
	}
	return v, nil
}

func decodeValue(d *json.Decoder) (any, error) {
	t, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch t {
	case json.Delim('{'):
		object := make(map[string]any)
		for d.More() {
			key, err := d.Token()
			if err != nil {
				return nil, err
			}
			name := key.(string)
			if _, twice := object[name]; twice {
				return nil, fmt.Errorf("an object has the key %q twice", name)
			}
			if object[name], err = decodeValue(d); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := decodeValue(d)
			if err != nil {
				return nil, err
			}
			list = append(list, v)
		}
		_, err = d.Token()
		return list, err
	}
	return t, nil
}

// walkFields compares a stored field and all fields below it with the recomputed ones. For each field without fields of
// its own it calls see with both values, and whether they are the same. nil means an absent field.
func walkFields(path string, stored, again any, see func(path string, stored, again any, same bool)) {
	switch s := stored.(type) {
	case map[string]any:
		if a, ok := again.(map[string]any); ok {
			keys := maps.Clone(s)
			maps.Copy(keys, a)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				walkFields(strings.TrimPrefix(path+"."+key, "."), s[key], a[key], see)
			}
			return
		}
	case []any:
		if a, ok := again.([]any); ok && len(a) == len(s) {
			for i := range s {
				walkFields(fmt.Sprintf("%s[%d]", path, i), s[i], a[i], see)
			}
			return
		}
	}
	see(path, stored, again, sameField(path, stored, again))
}

// sameField reports whether two fields are equal. Numbers may differ by the rounding of another machine, except in
// claims and error probabilities.
func sameField(path string, stored, again any) bool {
	if isEmptyField(stored) && isEmptyField(again) {
		return true
	}
	x, number := fieldNumber(stored)
	y, other := fieldNumber(again)
	if !number || !other {
		s, _ := json.Marshal(stored)
		a, _ := json.Marshal(again)
		return bytes.Equal(s, a)
	}
	last := path[strings.LastIndex(path, ".")+1:]
	if last == "claimed" || last == "alpha" {
		return x == y || math.Abs(x-y) <= 1e-9*math.Max(math.Abs(x), math.Abs(y))
	}
	return verify.AlmostEqual(x, y)
}

// fieldNumber returns a number, which JSON may store as a word.
func fieldNumber(v any) (float64, bool) {
	switch v := v.(type) {
	case json.Number:
		x, err := v.Float64()
		return x, err == nil
	case string:
		x, word := map[string]float64{"inf": math.Inf(1), "-inf": math.Inf(-1), "nan": math.NaN()}[v]
		return x, word
	}
	return 0, false
}

// isEmptyField reports whether a field is empty, which is equivalent to absent.
func isEmptyField(v any) bool {
	switch v := v.(type) {
	case nil:
		return true
	case string:
		return v == ""
	case bool:
		return !v
	case []any:
		return len(v) == 0
	}
	return false
}

// shownField returns a field for a table, and shortens a long one.
func shownField(v any) string {
	const maxLength = 200
	text, ok := v.(string)
	if !ok {
		raw, err := json.Marshal(v)
		if err != nil {
			return err.Error()
		}
		if text = string(raw); v == nil {
			text = "none"
		}
	}
	if r := []rune(text); len(r) > maxLength {
		text = string(r[:maxLength]) + "…"
	}
	return text
}
