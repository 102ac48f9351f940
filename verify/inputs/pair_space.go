package inputs

import (
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// NewPairSpace returns the pairs of a [Space] as values of the type D that a mechanism takes. D is [json.RawMessage],
// any (decoded JSON), or a type that package json decodes the values to; "nan" becomes NaN. The result is safe for
// concurrent use. An invalid space and values that do not fit D are errors.
func NewPairSpace[D any](s Space) (PairSpace[D], error) {
	t := &typed[D]{space: s, known: make(map[string]Pair[any])}
	if err := t.Check(); err != nil {
		return nil, err
	}
	return t, nil
}

// MustPairSpace is like [NewPairSpace] but panics on an error.
func MustPairSpace[D any](s Space) PairSpace[D] {
	t, err := NewPairSpace[D](s)
	if err != nil {
		panic(err)
	}
	return t
}

// typed stores the JSON values behind the pairs that it proposed.
type typed[D any] struct {
	space Space

	checked sync.Once
	wrong   error

	mu    sync.Mutex
	known map[string]Pair[any]
}

// Check returns an error for an invalid space, or for the first value that does not fit D.
func (t *typed[D]) Check() error {
	t.checked.Do(func() { t.wrong = t.check() })
	return t.wrong
}

func (t *typed[D]) check() error {
	if err := t.space.checkParameters(); err != nil {
		return err
	}
	proposed, some := false, false
	for p := range t.space.All() {
		proposed = true
		q, err := decodedPair[D](p)
		if err != nil {
			return err
		}
		if some = some || t.related(p, q); some && takesAll[D]() {
			break
		}
	}
	if !proposed {
		return t.space.noPair()
	}
	if !some {
		return wrong(".neighbours", "no two inputs are neighbours as %v: its numbers are coarser than those of the space; "+
			"want a type that holds them, or a range in which they differ", reflect.TypeFor[D]())
	}
	return nil
}

// takesAll reports whether D accepts every JSON value.
func takesAll[D any]() bool {
	switch any((*D)(nil)).(type) {
	case *json.RawMessage, *any:
		return true
	}
	return false
}

func (t *typed[D]) Edges() []Pair[D] { return slices.Collect(t.All()) }

// All generates the edges one at a time.
func (t *typed[D]) All() iter.Seq[Pair[D]] { return t.pairs(t.space.All()) }

func (t *typed[D]) Mutate(r *rand.Rand, p Pair[D]) (Pair[D], bool) {
	known, ok := t.of(p)
	if !ok {
		return p, false
	}
	if known, ok = t.space.MutatePair(r, known); !ok {
		return p, false
	}
	return t.pair(known)
}

func (t *typed[D]) Combine(r *rand.Rand, p, q Pair[D]) (Pair[D], bool) {
	from, ok := t.of(p)
	to, also := t.of(q)
	if !ok || !also {
		return p, false
	}
	both, ok := t.space.CombinePairs(r, from, to)
	if !ok {
		return p, false
	}
	return t.pair(both)
}

func (t *typed[D]) Smaller(p Pair[D]) []Pair[D] {
	known, ok := t.of(p)
	if !ok {
		return nil
	}
	return slices.Collect(t.pairs(slices.Values(t.space.Smaller(known))))
}

func (t *typed[D]) of(p Pair[D]) (Pair[any], bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	known, ok := t.known[PairKey(p)]
	return known, ok
}

// pairs converts pairs to the mechanism's type and omits those that are not neighbors after decoding.
func (t *typed[D]) pairs(pairs iter.Seq[Pair[any]]) iter.Seq[Pair[D]] {
	return func(yield func(Pair[D]) bool) {
		for p := range pairs {
			if q, ok := t.pair(p); ok && !yield(q) {
				return
			}
		}
	}
}

// pair converts a pair to the mechanism's type. It returns false if the decoded inputs are not neighbors: decoding may
// make them equal or increase their distance.
func (t *typed[D]) pair(p Pair[any]) (out Pair[D], ok bool) {
	out, err := decodedPair[D](p)
	if err != nil { // cannot happen: the edges fit, and all values have their types
		panic(err)
	}
	if !t.related(p, out) {
		return out, false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known[PairKey(out)] = p
	return out, true
}

func decodedPair[D any](p Pair[any]) (out Pair[D], err error) {
	var errA, errB error
	out.Name = PairName(JSONText(p.A), JSONText(p.B))
	out.A, errA = DecodedInput[D](p.A)
	out.B, errB = DecodedInput[D](p.B)
	return out, errors.Join(errA, errB)
}

// related reports whether the decoded pair is still a pair of neighbors. Equal records stay equal, so only distances
// are checked.
func (t *typed[D]) related(p Pair[any], decoded Pair[D]) bool {
	if reflect.DeepEqual(decoded.A, decoded.B) {
		return false
	}
	r := t.space.Neighbors
	if _, isText := any(decoded.A).(json.RawMessage); isText || r.norm == "" {
		return true
	}
	a := received(nil, reflect.ValueOf(&decoded.A).Elem(), p.A)
	b := received(nil, reflect.ValueOf(&decoded.B).Elem(), p.B)
	return within(a, b, r.norm, r.radius)
}

// PairName returns the name of a pair: its inputs as JSON, shortened if they are long.
func PairName(a, b string) string {
	return fmt.Sprintf("A = %s, B = %s", ShortenedText(a), ShortenedText(b))
}

// ShortenedText returns a text, or the first 160 characters of a longer one and its length.
func ShortenedText(text string) string {
	const most = 160
	if r := []rune(text); len(r) > most {
		return fmt.Sprintf("%s… (%d characters)", string(r[:most]), len(r))
	}
	return text
}

// DecodedInput decodes a value of a space into a D that shares no memory with it.
func DecodedInput[D any](v any) (D, error) {
	var d D
	if raw, ok := any(&d).(*json.RawMessage); ok {
		*raw = json.RawMessage(JSONText(v))
		return d, nil
	}
	err := decode(reflect.ValueOf(&d).Elem(), v)
	if err != nil {
		err = fmt.Errorf("the value %s of the space does not fit %T: %w", shown(v), d, err)
	}
	return d, err
}

// decode stores a value as package json would.
func decode(to reflect.Value, v any) error {
	switch x := v.(type) {
	case nil:
		to.SetZero()
		return nil
	case string:
		if x == nan && (to.Kind() == reflect.Float64 || to.Kind() == reflect.Float32) {
			to.SetFloat(math.NaN())
			return nil
		}
	case []any:
		return decodeList(to, x)
	case map[string]any:
		return decodeObject(to, x)
	}
	if to.Kind() == reflect.Interface && to.NumMethod() == 0 {
		to.Set(reflect.ValueOf(v))
		return nil
	}
	return json.Unmarshal([]byte(JSONText(v)), to.Addr().Interface())
}

func decodeList(to reflect.Value, list []any) error {
	switch to.Kind() {
	case reflect.Slice:
		to.Set(reflect.MakeSlice(to.Type(), len(list), len(list)))
	case reflect.Array:
		if to.Len() != len(list) {
			return fmt.Errorf("%d values for %s", len(list), to.Type())
		}
	case reflect.Interface:
		out := reflect.ValueOf(make([]any, len(list)))
		to.Set(out)
		to = out
	default:
		return fmt.Errorf("a list for %s", to.Type())
	}
	for i, v := range list {
		if err := decode(to.Index(i), v); err != nil {
			return err
		}
	}
	return nil
}

func decodeObject(to reflect.Value, object map[string]any) error {
	switch to.Kind() {
	case reflect.Pointer:
		to.Set(reflect.New(to.Type().Elem()))
		return decodeObject(to.Elem(), object)
	case reflect.Interface:
		out := reflect.ValueOf(make(map[string]any, len(object)))
		to.Set(out)
		to = out
	case reflect.Map:
		to.Set(reflect.MakeMapWithSize(to.Type(), len(object)))
	case reflect.Struct:
		for _, key := range sortedKeys(object) {
			field, ok := fieldOf(to, key)
			if !ok {
				return fmt.Errorf("%s has no field %q that package json would fill", to.Type(), key)
			}
			if err := decode(field, object[key]); err != nil {
				return fmt.Errorf("%s: %w", key, err)
			}
		}
		return nil
	default:
		return fmt.Errorf("an object for %s", to.Type())
	}
	for _, key := range sortedKeys(object) {
		value := reflect.New(to.Type().Elem()).Elem()
		if err := decode(value, object[key]); err != nil {
			return fmt.Errorf("%s: %w", key, err)
		}
		if to.Type().Key().Kind() != reflect.String {
			return fmt.Errorf("an object for %s: want keys that are strings", to.Type())
		}
		to.SetMapIndex(reflect.ValueOf(key).Convert(to.Type().Key()), value)
	}
	return nil
}

// fieldOf returns the field of a struct that package json fills for a key.
func fieldOf(to reflect.Value, key string) (reflect.Value, bool) {
	for _, f := range reflect.VisibleFields(to.Type()) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.IsExported() && !f.Anonymous && (name == key || name == "" && strings.EqualFold(f.Name, key)) {
			if field, err := to.FieldByIndexErr(f.Index); err == nil {
				return field, true
			}
		}
	}
	return reflect.Value{}, false
}
