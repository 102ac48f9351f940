package showing

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dpverify/dpverify/empirical/witness"
	"github.com/dpverify/dpverify/verify/why"
)

// Spoken is an event with the values of outputs by their places or names.
func (s Shown) Spoken(said string) string {
	names := s.Names
	if names == nil {
		names = s.places()
	}
	return why.Spoken(said, names)
}

// Outputs in the event of a witness at an input.
func (s Shown) Outputs(w *witness.Witness, pair, side int) []string {
	return s.Pairs[pair].Examples[side].in(w)
}

// places returns the names of the values of outputs that are more than a number or a list of such, as they are written
// out. It returns nil for such outputs. A place that holds other values from output to output is named by its number.
func (s Shown) places() (names []string) {
	const maxNames = 256
	differ := false
	for _, p := range s.Pairs {
		for _, e := range p.Examples {
			for _, text := range e.texts {
				these := named(text)
				switch {
				case these == nil:
				case names == nil:
					names = these
				case !slices.Equal(these, names):
					differ = true
					names = shared(names, these)
				}
			}
		}
	}
	if differ {
		for len(names) < maxNames {
			names = append(names, numbered(len(names)))
		}
	}
	return names
}

// shared returns the names that two outputs have in common, in their places, and numbers for the others.
func shared(a, b []string) (names []string) {
	for i := range max(len(a), len(b)) {
		name := numbered(i)
		if i < len(a) && i < len(b) && a[i] == b[i] {
			name = a[i]
		}
		names = append(names, name)
	}
	return names
}

func numbered(i int) string {
	return fmt.Sprintf("value %d of the output, written out with its lengths,", i+1)
}

// named returns the names of the values of an output in JSON, nil for a number or a list of numbers.
func named(text string) (names []string) {
	var v any
	if text == "" || json.Unmarshal([]byte(text), &v) != nil || plain(v) {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		return appendPlaces(nil, "", v)[1:]
	}
	for i, item := range list {
		names = appendPlaces(names, fmt.Sprintf("item %d", i+1), item)
	}
	return names
}

// plain values are no objects, and no lists of lists or objects.
func plain(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return false
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool {
			_, list := item.([]any)
			return list || !plain(item)
		})
	}
	return true
}

// appendPlaces are the names of the cells of a value, as an encoder has them: a list has its length before its items.
func appendPlaces(names []string, at string, v any) []string {
	switch v := v.(type) {
	case []any:
		names = append(names, "the length of "+at)
		for i, item := range v {
			names = appendPlaces(names, fmt.Sprintf("item %d of %s", i+1, at), item)
		}
		return names
	case map[string]any:
		names = append(names, "the keys of "+at)
		for _, key := range witness.Keys(v) {
			name := fmt.Sprintf("%q", key)
			if at != "" {
				name += " of " + at
			}
			names = appendPlaces(names, name, v[key])
		}
		for _, key := range witness.Keys(v) {
			names = append(names, fmt.Sprintf("the key %q", key))
		}
		return names
	}
	return append(names, at)
}
