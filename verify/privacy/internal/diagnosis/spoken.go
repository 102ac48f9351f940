package diagnosis

import (
	"fmt"
	"slices"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/guarantee"
)

// Event returns the text of an event. The positions in its formula also count the lengths of lists, which is hard
// to follow for nested outputs. Event then returns the text from [Shown.Spoken].
func (s Shown) Event(w *distinguisher.Event) string {
	if s.Names == nil && s.Places() != nil {
		return s.Spoken(w.Text)
	}
	return w.Event
}

// Spoken returns the text of an event with the names or positions of output values.
func (s Shown) Spoken(said string) string { return verify.EventInWords(said, s.Places()) }

// Outputs returns example outputs at an input in the event.
func (s Shown) Outputs(w *distinguisher.Event, pair, side int) []string {
	return s.Pairs[pair].Examples[side].in(w)
}

// Places returns the names of output values. It returns nil for numbers and lists of numbers without names. A
// position whose name differs between outputs is named by its number.
func (s Shown) Places() []string {
	if s.Names != nil {
		return s.Names
	}
	var all places
	for _, p := range s.Pairs {
		for _, e := range p.Examples {
			all.add(e.places.names, e.places.differ)
		}
	}
	for all.differ && len(all.names) < maxNames {
		all.names = append(all.names, numbered(len(all.names)))
	}
	return all.names
}

// maxNames is the maximum number of named values per output.
const maxNames = 256

// places holds the names that some outputs have in common.
type places struct {
	outputs int // number of recorded outputs
	names   []string
	differ  bool // a position has different names in different outputs
}

// see records the names of an output.
func (p *places) see(output any) {
	p.outputs++
	p.add(named(output), false)
}

// add records the names of other outputs; nil stands for numbers and lists of numbers.
func (p *places) add(names []string, differ bool) {
	p.differ = p.differ || differ
	switch {
	case names == nil:
	case p.names == nil:
		p.names = names
	case !slices.Equal(names, p.names):
		p.differ, p.names = true, shared(p.names, names)
	}
}

// shared returns the names that two outputs have in common at their positions, and numbers elsewhere.
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
	return fmt.Sprintf("value %d of the output, counting list lengths,", i+1)
}

// named returns the names of the first values of a decoded output, or nil for a number or a list of numbers.
func named(output any) (names []string) {
	if plain(output) {
		return nil
	}
	if list, ok := output.([]any); ok {
		names = appendItems(nil, "", list)
	} else {
		names = appendPlaces(nil, "", output)[1:]
	}
	return names[:min(len(names), maxNames)]
}

// plain reports whether a value contains no object, no list of lists and no list of objects.
func plain(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		return false
	case []any:
		return !slices.ContainsFunc(v, func(item any) bool { return isList(item) || !plain(item) })
	}
	return true
}

func isList(v any) bool {
	_, ok := v.([]any)
	return ok
}

// appendPlaces appends the names of the cells of a value in the order of the encoder. A list has its length before
// its items.
func appendPlaces(names []string, at string, v any) []string {
	switch v := v.(type) {
	case []any:
		return appendItems(append(names, "the length of "+at), at, v)
	case map[string]any:
		names = append(names, "the keys of "+at)
		keys := distinguisher.Keys(v)
		for _, key := range keys {
			names = appendPlaces(names, within(fmt.Sprintf("%q", key), at), v[key])
		}
		for _, key := range keys {
			names = append(names, fmt.Sprintf("the key %q", key))
		}
		return names
	}
	return append(names, at)
}

// appendItems appends the names of the items of a list. Leading lists are counted as lists, for example "the second
// list".
func appendItems(names []string, at string, list []any) []string {
	lists := true
	for i, item := range list {
		if len(names) >= maxNames {
			break
		}
		name := fmt.Sprintf("item %d", i+1)
		if lists = lists && isList(item); lists {
			name = verify.OrdinalNoun(i+1, "list")
		}
		names = appendPlaces(names, within(name, at), item)
	}
	return names
}

// within returns the name of a value and of its holder, a list or object; the holder "" is the output.
func within(name, holder string) string {
	if holder == "" {
		return name
	}
	return name + " of " + holder
}

// OneMore returns the effect for which the parameter exceeds the claimed one by 1, or 100 for a claim below 0.01.
func OneMore(g guarantee.Guarantee) float64 {
	if g.Value() < 0.01 {
		return 100
	}
	return 1 + 1/g.Value()
}

// NoEvent returns the change that could decide a claim for which the search found no event.
func NoEvent(samples int64) string {
	return fmt.Sprintf("inputs that differ more, or rarer events: the outputs of this run look the same under both "+
		"inputs, and more than %d samples of each may not change that", samples)
}
