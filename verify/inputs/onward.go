package inputs

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
)

// onward extrapolates the length, or changes the letter after the last position where the strings differ.
func (t stringType) onward(r *rand.Rand, a, b any) any {
	x, ok := a.(string)
	y, also := b.(string)
	if !ok || !also || len(t.alphabet) == 0 {
		return b
	}
	from, to := []rune(x), []rune(y)
	if n := further(r, len(from), len(to), t.least, t.most); n != len(to) && r.IntN(2) == 0 {
		for len(to) > 0 && len(to) < n {
			to = append(to, to[len(to)-1])
		}
		return string(to[:min(n, len(to))])
	}
	next := len(to)
	for next > 0 && next <= len(from) && from[next-1] == to[next-1] {
		next--
	}
	letter := t.alphabet[r.IntN(len(t.alphabet))]
	switch {
	case next < len(to):
		to[next] = letter
	case len(to) < t.most:
		to = append(to, letter)
	}
	return string(to)
}

// further returns a size extrapolated from a to b, within [least, most].
func further(r *rand.Rand, a, b, least, most int) int {
	if a == b {
		return b
	}
	n := math.Round(beyond(r, float64(a), float64(b), 0, 0))
	return int(math.Min(math.Max(n, float64(least)), float64(most)))
}

// onward extrapolates the number of records or the records that differ, or copies a differing record to other places.
func (t listType) onward(r *rand.Rand, a, b any) any {
	from, ok := a.([]any)
	to, also := b.([]any)
	if !ok || !also {
		return b
	}
	return onwardList(r, from, to, t.record, t.least, t.most)
}

func onwardList(r *rand.Rand, from, to []any, record Type, least, most int) []any {
	out := slices.Clone(to)
	if len(from) != len(to) {
		n := further(r, len(from), len(to), least, most)
		at := max(0, len(to)-1)
		for i := range min(len(from), len(to)) { // the first position where they differ
			if !reflect.DeepEqual(from[i], to[i]) {
				at = i
				break
			}
		}
		for len(out) > 0 && len(out) < n {
			out = slices.Insert(out, at, out[at])
		}
		if len(out) > n {
			out = out[:n]
		}
		return out
	}
	way := r.IntN(4)
	for i := range to {
		switch {
		case reflect.DeepEqual(from[i], to[i]):
		case way < 2:
			out[i] = record.onward(r, from[i], to[i])
		case way == 2:
			out[(i+1)%len(out)] = to[i]
		default:
			for range 1 << r.IntN(3) { // one, two or four copies
				out[r.IntN(len(out))] = to[i]
			}
		}
	}
	return out
}

func (t productType) onward(r *rand.Rand, a, b any) any {
	from, ok := t.taken(a)
	to, also := t.taken(b)
	if !ok || !also {
		return b
	}
	for i, p := range t.parts {
		if !reflect.DeepEqual(from[i], to[i]) {
			to[i] = p.onward(r, from[i], to[i])
		}
	}
	return t.joined(to)
}
