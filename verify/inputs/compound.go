package inputs

import (
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"unsafe"
)

// mostSize bounds the length of lists, strings and vectors, since each input is sent to the mechanism completely.
const mostSize = 10_000

func checkSize(at string, least, most int) error {
	switch {
	case least < 0 || most > mostSize:
		return wrong(at, "the range [%d, %d]: want whole numbers from 0 to %d", least, most, mostSize)
	case least > most:
		return wrong(at, "the range [%d, %d] is reversed: want the lower end first", least, most)
	}
	return nil
}

type stringType struct {
	alphabet    []rune
	least, most int
}

// String returns the type of strings over an alphabet with least to most characters.
func String(alphabet string, least, most int) Type { return stringType{[]rune(alphabet), least, most} }

func (t stringType) String() string {
	return fmt.Sprintf("{string: {alphabet: %q, length: [%d, %d]}}", string(t.alphabet), t.least, t.most)
}

func (t stringType) check(at string) error {
	if len(t.alphabet) == 0 && t.most > 0 {
		return wrong(at+".string.alphabet", "the alphabet is empty: want its characters, as in abc")
	}
	for i, c := range t.alphabet {
		if slices.Contains(t.alphabet[:i], c) {
			return wrong(at+".string.alphabet", "the character %q is listed twice: list each once", c)
		}
	}
	return checkSize(at+".string.length", t.least, t.most)
}

func (t stringType) of(n int, letter int) any {
	if n == 0 {
		return ""
	}
	return strings.Repeat(string(t.alphabet[letter]), n)
}

func (t stringType) corners() []any {
	last := max(0, len(t.alphabet)-1)
	out := []any{t.of(t.least, 0), t.of(t.most, 0), t.of(t.most, last), t.of(t.least, last)}
	if one := min(max(1, t.least), t.most); one > t.least {
		for i := range min(4, len(t.alphabet)) {
			out = append(out, t.of(one, i))
		}
	}
	return distinct(out...)
}

func (t stringType) draw(r *rand.Rand) any {
	if r.IntN(2) == 0 {
		return pick(r, t.corners())
	}
	out := make([]rune, t.least+r.IntN(t.most-t.least+1))
	for i := range out {
		out[i] = t.alphabet[r.IntN(len(t.alphabet))]
	}
	return string(out)
}

func (t stringType) near(r *rand.Rand, v any) any {
	s, ok := v.(string)
	if !ok {
		return t.draw(r)
	}
	if len(t.alphabet) == 0 {
		return v
	}
	out, letter := []rune(s), t.alphabet[r.IntN(len(t.alphabet))]
	switch move := r.IntN(8); {
	case move < 2 && len(out) < t.most: // insert at an end or inside
		out = slices.Insert(out, place(r, len(out)+1), letter)
	case move < 4 && len(out) > t.least && len(out) > 0:
		i := place(r, len(out))
		out = slices.Delete(out, i, i+1)
	case move == 4 && len(out) > 1: // repeat a letter of the string
		out[r.IntN(len(out))] = out[r.IntN(len(out))]
	case move < 7 && len(out) > 0:
		out[place(r, len(out))] = letter
	default:
		return t.draw(r)
	}
	return string(out)
}

// place returns an index below n ≥ 1. The first and the last index have a higher probability.
func place(r *rand.Rand, n int) int {
	switch r.IntN(4) {
	case 0:
		return 0
	case 1:
		return n - 1
	}
	return r.IntN(n)
}

func (t stringType) simpler(v any) iter.Seq[any] {
	s, ok := v.(string)
	if !ok {
		return slices.Values([]any(nil))
	}
	var out []any
	letters := []rune(s)
	for cut := len(letters) - t.least; cut > 0; cut /= 2 {
		out = append(out, string(letters[:len(letters)-cut]))
	}
	for i, c := range letters {
		if c != t.alphabet[0] {
			next := slices.Clone(letters)
			next[i] = t.alphabet[0]
			out = append(out, string(next))
			break
		}
	}
	return slices.Values(distinct(out...))
}

func (t stringType) replaced(v any, _ func(number) any) any { return v }

type listType struct {
	record      Type
	least, most int
}

// List returns the type of lists with least to most records.
func List(record Type, least, most int) Type { return listType{record, least, most} }

func (t listType) String() string {
	return fmt.Sprintf("{list: {record: %s, size: [%d, %d]}}", t.record, t.least, t.most)
}

func (t listType) check(at string) error {
	if t.record == nil {
		return wrong(at+".list", "the list has no record: want the type of its records")
	}
	if err := t.record.check(at + ".list.record"); err != nil {
		return err
	}
	return checkSize(at+".list.size", t.least, t.most)
}

func (t listType) corners() []any {
	values := t.record.corners()
	all := func(n int, v any) any { return slices.Repeat([]any{v}, n) }
	out := []any{all(t.least, values[0])}
	if t.most > t.least {
		out = append(out, all(t.most, values[0]))
		for _, v := range values {
			out = append(out, all(t.least+1, v))
		}
		for _, v := range values[1:max(1, min(len(values), some))] {
			out = append(out, all(t.most, v))
		}
	}
	turns := all(0, nil).([]any)
	for i := range min(t.most, max(t.least, len(values))) {
		turns = append(turns, values[i%len(values)])
	}
	return distinct(append(out, turns)...)
}

func (t listType) draw(r *rand.Rand) any {
	n := t.least + r.IntN(min(t.most, max(2*t.least, 16))-t.least+1)
	out := make([]any, n)
	for i := range out {
		out[i] = t.record.draw(r)
	}
	return out
}

func (t listType) near(r *rand.Rand, v any) any {
	list, ok := v.([]any)
	if !ok {
		return t.draw(r)
	}
	out := slices.Clone(list)
	n := len(out)
	switch move := r.IntN(10); {
	case move < 2 && n < t.most: // a record, or one of those that are there again
		x := t.record.draw(r) // insert a new record or a copy of another
		if move == 0 && n > 0 {
			x = pick(r, out)
		}
		return slices.Insert(out, place(r, n+1), x)
	case move == 2 && n > t.least && n > 0:
		i := place(r, n)
		return slices.Delete(out, i, i+1)
	case move == 3 && n > 1:
		out[place(r, n)] = pick(r, out)
		return out
	case move == 4 && n > 1:
		return slices.Repeat([]any{pick(r, out)}, n)
	case move == 5:
		size := t.least + r.IntN(t.most-t.least+1)
		for len(out) < size && n > 0 {
			out = append(out, out[len(out)-n])
		}
		if n > 0 {
			return out[:size]
		}
	case move < 9 && n > 0:
		i := place(r, n)
		out[i] = t.record.near(r, out[i])
		return out
	}
	return t.draw(r)
}

func (t listType) simpler(v any) iter.Seq[any] {
	list, _ := v.([]any)
	return func(yield func(any) bool) {
		for cut := len(list) - t.least; cut > 0; cut /= 2 {
			if !yield(slices.Clone(list[:len(list)-cut])) || !yield(slices.Clone(list[cut:])) {
				return
			}
		}
		for i, x := range list {
			for y := range t.record.simpler(x) {
				if !yield(with(list, i, y)) {
					return
				}
			}
		}
	}
}

// with returns a copy of the list with v at index i.
func with(list []any, i int, v any) []any {
	out := slices.Clone(list)
	out[i] = v
	return out
}

func (t listType) replaced(v any, by func(number) any) any {
	list, ok := v.([]any)
	if !ok {
		return v
	}
	return mapped(list, func(x any) any { return t.record.replaced(x, by) })
}

// productType is an object, or a tuple (parts without names).
type productType struct {
	names []string // sorted; nil for a tuple
	parts []Type
}

// Object returns the type of objects with the given fields.
func Object(fields map[string]Type) Type {
	t := productType{names: slices.Sorted(maps.Keys(fields))}
	if t.names == nil {
		t.names = []string{}
	}
	for _, name := range t.names {
		t.parts = append(t.parts, fields[name])
	}
	return t
}

// Tuple returns the type of lists whose i-th value has the i-th type.
func Tuple(parts ...Type) Type { return productType{parts: parts} }

// Vector returns the type of lists with dimension values of one type.
func Vector(of Type, dimension int) Type {
	return productType{parts: slices.Repeat([]Type{of}, max(0, dimension))}
}

func (t productType) path(i int) string {
	if t.names == nil {
		return fmt.Sprintf(".tuple[%d]", i)
	}
	return ".object." + t.names[i]
}

func (t productType) String() string {
	var parts []string
	text := ""
	for i, p := range t.parts {
		if i == 0 || !sameType(p, t.parts[i-1]) {
			text = p.String()
		}
		if t.names == nil {
			parts = append(parts, text)
		} else {
			parts = append(parts, JSONText(t.names[i])+": "+text)
		}
	}
	if t.names == nil {
		return "{tuple: [" + strings.Join(parts, ", ") + "]}"
	}
	return "{object: {" + strings.Join(parts, ", ") + "}}"
}

func (t productType) check(at string) error {
	if len(t.parts) == 0 {
		return wrong(at, "no parts: want at least one")
	}
	for i, p := range t.parts {
		if p == nil {
			return wrong(at+t.path(i), "no type")
		}
		if i > 0 && sameType(p, t.parts[i-1]) { // as in a vector
			continue
		}
		if err := p.check(at + t.path(i)); err != nil {
			return err
		}
	}
	return nil
}

// taken returns the parts of v, or false if v does not have the fields of t.
func (t productType) taken(v any) ([]any, bool) {
	if t.names == nil {
		list, ok := v.([]any)
		return slices.Clone(list), ok && len(list) == len(t.parts)
	}
	object, ok := v.(map[string]any)
	if !ok || len(object) != len(t.names) {
		return nil, false
	}
	out := make([]any, len(t.names))
	for i, name := range t.names {
		if out[i], ok = object[name]; !ok {
			return nil, false
		}
	}
	return out, true
}

func (t productType) joined(parts []any) any {
	if t.names == nil {
		return slices.Clone(parts)
	}
	object := make(map[string]any, len(parts))
	for i, name := range t.names {
		object[name] = parts[i]
	}
	return object
}

// corners returns the simplest value, values with all parts at a corner, and values with one part at a corner.
func (t productType) corners() []any {
	of, most := make([][]any, len(t.parts)), 0
	simplest := make([]any, len(t.parts))
	for i, p := range t.parts {
		if i > 0 && sameType(p, t.parts[i-1]) { // as in a vector
			of[i] = of[i-1]
		} else {
			of[i] = p.corners()
		}
		simplest[i], most = of[i][0], max(most, len(of[i]))
	}
	out := []any{t.joined(simplest)}
	for k := 1; k < most && len(out) < mostCorners; k++ {
		all := make([]any, len(t.parts))
		for i := range all {
			all[i] = of[i][min(k, len(of[i])-1)]
		}
		out = append(out, t.joined(all))
		for i := range t.parts {
			if k < len(of[i]) && len(out) < mostCorners {
				out = append(out, t.joined(with(simplest, i, of[i][k])))
			}
		}
	}
	return distinct(out[:min(len(out), mostCorners)]...)
}

func (t productType) draw(r *rand.Rand) any {
	out := make([]any, len(t.parts))
	for i, p := range t.parts {
		out[i] = p.draw(r)
	}
	return t.joined(out)
}

func (t productType) near(r *rand.Rand, v any) any {
	parts, ok := t.taken(v)
	if !ok {
		return t.draw(r)
	}
	i, j := r.IntN(len(parts)), r.IntN(len(parts))
	if i != j && r.IntN(4) == 0 && reflect.DeepEqual(t.parts[i], t.parts[j]) {
		parts[i] = parts[j] // the same value may leak through another field
	} else {
		parts[i] = t.parts[i].near(r, parts[i])
	}
	return t.joined(parts)
}

func (t productType) simpler(v any) iter.Seq[any] {
	parts, ok := t.taken(v)
	if !ok {
		return slices.Values([]any(nil))
	}
	return func(yield func(any) bool) {
		all, changed := slices.Clone(parts), 0
		for i, p := range t.parts {
			for x := range p.simpler(parts[i]) {
				all[i] = x
				changed++
				break
			}
		}
		if changed > 1 && !yield(t.joined(all)) {
			return
		}
		for i, p := range t.parts {
			for x := range p.simpler(parts[i]) {
				if !yield(t.joined(with(parts, i, x))) {
					return
				}
			}
		}
	}
}

// sameType reports whether two types are identical. It may return false for equal types that were created separately.
func sameType(t, u Type) bool {
	a, aIsProduct := t.(productType)
	b, bIsProduct := u.(productType)
	if aIsProduct && bIsProduct {
		return (a.names == nil) == (b.names == nil) && sameSlice(a.names, b.names) && sameSlice(a.parts, b.parts)
	}
	return !aIsProduct && !bIsProduct && reflect.DeepEqual(t, u)
}

func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && unsafe.SliceData(a) == unsafe.SliceData(b)
}

func (t productType) replaced(v any, by func(number) any) any {
	parts, ok := t.taken(v)
	if !ok {
		return v
	}
	for i, p := range t.parts {
		parts[i] = p.replaced(parts[i], by)
	}
	return t.joined(parts)
}
