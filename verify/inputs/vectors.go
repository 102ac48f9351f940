package inputs

import (
	"iter"
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/dpverify/dpverify/internal/rng"
)

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// vectors proposes pairs of values whose numbers differ by at most a radius in a norm.
type vectors struct {
	values Type
	norm   Norm
	radius float64
}

// numbers returns the numbers of a value in order.
func (c vectors) numbers(v any) (out []any) {
	c.values.replaced(v, func(n number) any {
		out = append(out, n.value)
		return n.value
	})
	return out
}

// moved returns v with its numbers moved by steps, limited by their ranges; integers move by integers. It also returns
// the numbers before and after.
func (c vectors) moved(v any, steps []float64) (out any, from, to []any) {
	from, to = make([]any, 0, len(steps)), make([]any, 0, len(steps))
	out = c.values.replaced(v, func(n number) any {
		step, moved := 0.0, n.value
		if i := len(from); i < len(steps) {
			step = steps[i]
		}
		if step != 0 {
			moved = n.plus(n.value, step)
		}
		from, to = append(from, n.value), append(to, moved)
		return moved
	})
	return out, from, to
}

// length returns the norm of a change.
func (c vectors) length(steps []float64) (sum float64) {
	for _, x := range steps {
		switch c.norm {
		case L1:
			sum += math.Abs(x)
		case L2:
			sum = math.Hypot(sum, x)
		default:
			sum = math.Max(sum, math.Abs(x))
		}
	}
	return sum
}

// steps returns the change between the values of a pair, rounded to doubles. It returns false unless they are
// neighbors, which it decides without rounding.
func (c vectors) steps(p Pair[any]) (out []float64, ok bool) {
	a, b := c.numbers(p.A), c.numbers(p.B)
	if len(a) != len(b) || len(a) == 0 {
		return nil, false
	}
	for i := range a {
		out = append(out, step(a[i], b[i]))
	}
	i := -1
	same := c.values.replaced(p.A, func(number) any { i++; return b[i] })
	return out, reflect.DeepEqual(same, p.B) && within(a, b, c.norm, c.radius)
}

// step returns the difference b − a, rounded to a double.
func step(a, b any) float64 {
	x, aIsWhole := a.(int64)
	y, bIsWhole := b.(int64)
	switch {
	case aIsWhole && bIsWhole && y < x:
		return -float64(uint64(x) - uint64(y))
	case aIsWhole && bIsWhole:
		return float64(uint64(y) - uint64(x))
	}
	from, _ := a.(float64)
	to, _ := b.(float64)
	return to - from
}

// pair returns a value and its neighbor at distance radius along steps, or false if the value cannot move.
func (c vectors) pair(v any, steps []float64) (Pair[any], bool) {
	scale := 1.0
	if l := c.length(steps); l > 0 {
		scale = c.radius / l
	}
	scaled := make([]float64, len(steps))
	for i, x := range steps {
		scaled[i] = x * scale
	}
	for range 2 { // retry once if rounding exceeded the radius
		moved, a, b := c.moved(v, scaled)
		if within(a, b, c.norm, c.radius) {
			return Pair[any]{A: v, B: moved}, true
		}
		for i := range scaled {
			scaled[i] *= 1 - 1e-9
		}
	}
	return Pair[any]{}, false
}

// direction returns the step of the i-th number.
type direction func(i int) float64

// of returns the steps of n numbers.
func (d direction) of(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = d(i)
	}
	return out
}

// directions returns the StatDP patterns for n numbers: one coordinate, all, half against half, one against the rest,
// and alternating signs.
func directions(n int) (out []direction) {
	add := func(d direction) { out = append(out, d) }
	one := func(k int, sign float64) {
		add(func(i int) float64 { return sign * float64(boolean(i == k)) })
	}
	one(0, 1)
	one(0, -1)
	if n == 1 {
		return out
	}
	for _, sign := range []float64{1, -1} {
		one(n-1, sign)
		add(func(int) float64 { return sign })
		add(func(i int) float64 { return sign * float64(1-2*boolean(i < n/2)) })
		add(func(i int) float64 { return sign * float64(1-2*boolean(i == 0)) })
		add(func(i int) float64 { return sign * float64(1-2*(i%2)) })
	}
	for k := 1; k < min(n-1, some); k++ {
		one(k, 1)
		one(k, -1)
	}
	return out
}

// edges moves the corners of the type in all directions.
func (c vectors) edges(w *work) iter.Seq[Pair[any]] {
	return func(yield func(Pair[any]) bool) {
		out := DistinctPairs[any]{Seen: map[string]bool{}}
		corners := c.values.corners()
		most := len(directions(some + 1)) // larger n adds no directions
		for sum := 0; sum < most+len(corners)-1; sum++ {
			for j := range min(sum+1, len(corners)) {
				p, ok := c.edge(w, corners[j], sum-j)
				if !ok || len(out.Pairs) >= mostEdges {
					continue
				}
				w.some = true
				if out.Add(p) && !yield(p) {
					return
				}
			}
		}
	}
}

// edge moves v in its k-th direction. It returns false if v has no such direction, cannot move, or exceeds the budget.
func (c vectors) edge(w *work, v any, k int) (p Pair[any], ok bool) {
	cost := 2 * size(v)
	if w.some && cost > w.left {
		return p, false
	}
	n := len(c.numbers(v))
	if all := directions(n); n > 0 && k < len(all) && w.take(cost) {
		return c.pair(v, all[k].of(n))
	}
	return p, false
}

// patterns moves values in the middle of their ranges, as in known auditors.
func (c vectors) patterns(w *work) iter.Seq[Pair[any]] {
	return func(yield func(Pair[any]) bool) {
		v := c.values.corners()[0]
		n := len(c.numbers(v))
		for _, d := range directions(n) {
			for _, share := range []float64{0.5, 0.25} {
				if !w.take(2 * size(v)) {
					continue
				}
				middle := c.values.replaced(v, func(n number) any { return n.mixed(share) })
				if p, ok := c.pair(middle, d.of(n)); ok {
					w.some = true
					if !yield(p) {
						return
					}
				}
			}
		}
	}
}

func (c vectors) near(r *rand.Rand, p Pair[any]) (Pair[any], bool) {
	steps, ok := c.steps(p)
	if !ok {
		return p, false
	}
	v := p.A
	switch all := directions(len(steps)); r.IntN(5) {
	case 0:
		steps = all[r.IntN(len(all))].of(len(steps))
	case 1:
		steps = slices.Clone(steps)
		for i := range steps {
			steps[i] = rng.Normal(r)
		}
	case 2:
		v = p.B
		fallthrough
	default:
		v = c.values.near(r, v)
		for len(steps) < len(c.numbers(v)) {
			steps = append(slices.Clone(steps), 0)
		}
		steps = steps[:len(c.numbers(v))]
	}
	return c.pair(v, steps)
}

// joined mixes or extrapolates the values of p and q, and keeps the change of q.
func (c vectors) joined(r *rand.Rand, p, q Pair[any]) (Pair[any], bool) {
	steps, ok := c.steps(q)
	if !ok {
		return p, false
	}
	v := joined(r, c.values, p.A, q.A)
	for len(steps) < len(c.numbers(v)) {
		steps = append(steps, 0)
	}
	return c.pair(v, steps[:len(c.numbers(v))])
}

// joined draws a value with parts of a and b, or one extrapolated from a to b.
func joined(r *rand.Rand, t Type, a, b any) any {
	if r.IntN(2) == 0 {
		return crossed(r, t, a, b)
	}
	return t.onward(r, a, b)
}

// crossed draws each part from a or b: fields of objects, and records of lists of equal length.
func crossed(r *rand.Rand, t Type, a, b any) any {
	switch t := t.(type) {
	case listType:
		from, ok := a.([]any)
		to, also := b.([]any)
		if ok && also && len(from) == len(to) {
			out := make([]any, len(to))
			for i := range out {
				out[i] = crossed(r, t.record, from[i], to[i])
			}
			return out
		}
	case productType:
		from, ok := t.taken(a)
		to, also := t.taken(b)
		if ok && also {
			for i, p := range t.parts {
				to[i] = crossed(r, p, from[i], to[i])
			}
			return t.joined(to)
		}
	}
	if r.IntN(2) == 0 {
		return a
	}
	return b
}

// smaller proposes simpler values with the same change, then changes in one coordinate.
func (c vectors) smaller(p Pair[any]) iter.Seq[Pair[any]] {
	return func(yield func(Pair[any]) bool) {
		steps, ok := c.steps(p)
		if !ok {
			return
		}
		for v := range c.values.simpler(p.A) {
			if q, ok := c.pair(v, steps[:min(len(steps), len(c.numbers(v)))]); ok && !yield(q) {
				return
			}
		}
		moved := slices.DeleteFunc(slices.Clone(steps), func(x float64) bool { return x == 0 })
		for i := range steps {
			if steps[i] == 0 || len(moved) < 2 {
				continue
			}
			one := make([]float64, len(steps))
			one[i] = steps[i]
			if q, ok := c.pair(p.A, one); ok && !yield(q) {
				return
			}
		}
	}
}
