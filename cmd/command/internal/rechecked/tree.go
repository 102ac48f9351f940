package rechecked

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

	"github.com/dpverify/dpverify/verify/recompute"
)

// decode reads JSON and keeps numbers as they are written. A duplicate key is an error, since readers differ in the
// value that they use.
func decode(raw []byte) (any, error) {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	v, err := value(d)
	if err != nil {
		return nil, err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more after the end of the report")
	}
	return v, nil
}

func value(d *json.Decoder) (any, error) {
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
			if object[name], err = value(d); err != nil {
				return nil, err
			}
		}
		_, err = d.Token()
		return object, err
	case json.Delim('['):
		list := []any{}
		for d.More() {
			v, err := value(d)
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

// walk compares a stored field and all fields below it with the recomputed ones. For each field without fields of its
// own it calls see with both values, and whether they are the same. nil means an absent field.
func walk(path string, stored, again any, see func(path string, stored, again any, same bool)) {
	switch s := stored.(type) {
	case map[string]any:
		if a, ok := again.(map[string]any); ok {
			keys := maps.Clone(s)
			maps.Copy(keys, a)
			for _, key := range slices.Sorted(maps.Keys(keys)) {
				walk(strings.TrimPrefix(path+"."+key, "."), s[key], a[key], see)
			}
			return
		}
	case []any:
		if a, ok := again.([]any); ok && len(a) == len(s) {
			for i := range s {
				walk(fmt.Sprintf("%s[%d]", path, i), s[i], a[i], see)
			}
			return
		}
	}
	see(path, stored, again, same(path, stored, again))
}

// same reports whether two fields are equal. Numbers may differ by the rounding of another machine, except in claims
// and error probabilities.
func same(path string, stored, again any) bool {
	if none(stored) && none(again) {
		return true
	}
	x, number := figure(stored)
	y, other := figure(again)
	if !number || !other {
		s, _ := json.Marshal(stored)
		a, _ := json.Marshal(again)
		return bytes.Equal(s, a)
	}
	last := path[strings.LastIndex(path, ".")+1:]
	if last == "claimed" || last == "alpha" {
		return x == y || math.Abs(x-y) <= 1e-9*math.Max(math.Abs(x), math.Abs(y))
	}
	return recompute.AlmostEqual(x, y)
}

// figure returns a number, which JSON may store as a word.
func figure(v any) (float64, bool) {
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

// none reports whether a field is empty, which is equivalent to absent.
func none(v any) bool {
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

// shown returns a field for a table, and shortens a long one.
func shown(v any) string {
	const most = 200
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
	if r := []rune(text); len(r) > most {
		text = string(r[:most]) + "…"
	}
	return text
}
