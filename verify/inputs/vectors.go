package inputs

import (
	"maps"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"

	"github.com/dpverify/dpverify/internal/ziggurat"
	"github.com/dpverify/dpverify/verify/neighbours"
)

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

// vectors proposes values whose numbers differ by at most a radius in a norm.
type vectors struct {
	values Type
	norm   Norm
	radius float64
}

// numbers of a value.
func (c vectors) numbers(v any) (out []any) {
	c.values.replaced(v, func(n number) any {
		out = append(out, n.value)
		return n.value
	})
	return out
}

// moved is a value with its numbers moved by steps, as far as their ranges allow; whole numbers move
// by whole steps.
func (c vectors) moved(v any, steps []float64) any {
	i := 0
	return c.values.replaced(v, func(n number) any {
		step := 0.0
		if i < len(steps) {
			step = steps[i]
		}
		i++
		return n.plus(n.value, step)
	})
}

// length of a change.
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

// steps from one value of the space to another, to the nearest doubles; not ok if they are no neighbours: if they
// differ in more than numbers, not at all, or by more than the radius. That is decided without rounding.
func (c vectors) steps(p neighbours.Pair[any]) (out []float64, ok bool) {
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

// step from one number to another, to the nearest double.
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

// pair of a value and its neighbour; not ok where the value has no room to move.
func (c vectors) pair(v any, steps []float64) (neighbours.Pair[any], bool) {
	scale := 1.0
	if l := c.length(steps); l > 0 {
		scale = c.radius / l
	}
	scaled := make([]float64, len(steps))
	for i, x := range steps {
		scaled[i] = x * scale
	}
	for range 2 { // against the rounding of the sum, once
		p := neighbours.Pair[any]{A: v, B: c.moved(v, scaled)}
		if _, ok := c.steps(p); ok {
			return p, true
		}
		for i := range scaled {
			scaled[i] *= 1 - 1e-9
		}
	}
	return neighbours.Pair[any]{}, false
}

// directions are the patterns of StatDP: one coordinate, all, half and half, one against the rest,
// and in turn.
func directions(n int) (out [][]float64) {
	add := func(of func(i int) float64) {
		d := make([]float64, n)
		for i := range d {
			d[i] = of(i)
		}
		out = append(out, d)
	}
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

// edges are the corners of the type, moved in all directions.
func (c vectors) edges() []neighbours.Pair[any] {
	out := neighbours.Distinct[any]{Seen: map[string]bool{}}
	corners := c.values.corners()
	most := 0
	for _, v := range corners {
		most = max(most, len(directions(len(c.numbers(v)))))
	}
	for sum := 0; sum < most+len(corners)-1; sum++ {
		for j := range min(sum+1, len(corners)) {
			v := corners[j]
			n := len(c.numbers(v))
			if n == 0 || sum-j >= len(directions(n)) {
				continue
			}
			if p, ok := c.pair(v, directions(n)[sum-j]); ok && len(out.Pairs) < mostEdges {
				out.Add(p)
			}
		}
	}
	return out.Pairs
}

// patterns are the directions from values in the middle: of the known auditors, ones.
func (c vectors) patterns() (out []neighbours.Pair[any]) {
	v := c.values.corners()[0]
	for _, d := range directions(len(c.numbers(v))) {
		for _, share := range []float64{0.5, 0.25} {
			middle := c.values.replaced(v, func(n number) any { return n.mixed(share) })
			if p, ok := c.pair(middle, d); ok {
				out = append(out, p)
			}
		}
	}
	return out
}

func (c vectors) near(r *rand.Rand, p neighbours.Pair[any]) (neighbours.Pair[any], bool) {
	steps, ok := c.steps(p)
	if !ok {
		return p, false
	}
	v := p.A
	switch all := directions(len(steps)); r.IntN(5) {
	case 0:
		steps = all[r.IntN(len(all))]
	case 1:
		steps = slices.Clone(steps)
		for i := range steps {
			steps[i] = ziggurat.Normal(r)
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

// joined has a value between those of p and q, or further on, with the change of q.
func (c vectors) joined(r *rand.Rand, p, q neighbours.Pair[any]) (neighbours.Pair[any], bool) {
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

// joined is a value with parts of either, or one further on from a to b.
func joined(r *rand.Rand, t Type, a, b any) any {
	if r.IntN(2) == 0 {
		return crossed(r, t, a, b)
	}
	return t.onward(r, a, b)
}

// crossed is a value whose parts are those of a or of b: of objects their fields, of lists of one length
// their records.
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

// smaller has simpler values with the same change, then the change in one coordinate.
func (c vectors) smaller(p neighbours.Pair[any]) []neighbours.Pair[any] {
	steps, ok := c.steps(p)
	if !ok {
		return nil
	}
	out := neighbours.Distinct[any]{Seen: map[string]bool{neighbours.Key(p): true}}
	for _, v := range c.values.simpler(p.A) {
		if q, ok := c.pair(v, steps[:min(len(steps), len(c.numbers(v)))]); ok {
			out.Add(q)
		}
	}
	if moved := slices.DeleteFunc(slices.Clone(steps), func(x float64) bool { return x == 0 }); len(moved) > 1 {
		for i := range steps {
			one := make([]float64, len(steps))
			if one[i] = steps[i]; one[i] == 0 {
				continue
			}
			if q, ok := c.pair(p.A, one); ok {
				out.Add(q)
			}
		}
	}
	return out.Pairs
}
