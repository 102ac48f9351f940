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

// places are the names of the values of outputs that are more than a number or a list of such, as they are written out;
// nil of those.
func (s Shown) places() (names []string) {
	const mostNames = 256
	for _, p := range s.Pairs {
		for _, e := range p.Examples {
			for _, text := range e.texts {
				var v any
				if text == "" || json.Unmarshal([]byte(text), &v) != nil || plain(v) {
					continue
				}
				var these []string
				if list, ok := v.([]any); ok {
					for i, item := range list {
						these = appendPlaces(these, fmt.Sprintf("item %d", i+1), item)
					}
				} else {
					these = appendPlaces(nil, "", v)[1:]
				}
				if names != nil && !slices.Equal(these, names) { // from output to output other values stand there
					names = make([]string, mostNames)
					for i := range names {
						names[i] = fmt.Sprintf("value %d of the output, written out with its lengths,", i+1)
					}
					return names
				}
				names = these
			}
		}
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
