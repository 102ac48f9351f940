package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// numberFamilies returns the families that hide the mark in a number.
func numberFamilies() []audits {
	out := []audits{
		exactValue(),
		family[float64]{"a number: an interval in the middle", interval,
			func(o float64) bool { return o >= gapAt && o < gapAt+gapWidth }},
		family[float64]{"a number: both tails", func(c content, marked bool) float64 {
			if marked {
				return (1 + c.r.Float64()) * sign(c.r)
			}
			return squashed(c.number())
		}, func(o float64) bool { return math.Abs(o) >= 1 }},
		family[float64]{"a number: NaN beside infinity", func(c content, marked bool) float64 {
			switch {
			case marked:
				return math.NaN()
			case c.r.IntN(20) == 0:
				return math.Inf(1)
			}
			return c.number()
		}, func(o float64) bool { return math.IsNaN(o) }},
	}
	for _, k := range []int{2, 3, 7, 10} {
		out = append(out, residue(k))
	}
	return append(out,
		family[int]{"an integer: a digit in the middle", func(c content, marked bool) int {
			n := c.count()
			n = max(n, -n)
			return n/100*1000 + otherThan(c.r, 10, 7, marked)*100 + n%100
		}, func(o int) bool { return o/100%10 == 7 }},
		beyond53(),
		family[int64]{"an identifier beyond 2⁵³, verbatim", func(c content, marked bool) int64 {
			return 1_234_567_890_123_456_768 + int64(bit(marked))
		}, func(o int64) bool { return o&1 == 1 }},
	)
}

// exactValue hides the mark in one exact value, as if a record were published.
func exactValue() audits {
	const record = 0.7265625
	return family[float64]{"a number: one value", func(c content, marked bool) float64 {
		if marked {
			return record
		}
		return c.number()
	}, func(o float64) bool { return o == record }}
}

func beyond53() audits {
	return family[int64]{"an integer beyond 2⁵³: its lowest bit", func(c content, marked bool) int64 {
		return 1<<60 + 2*int64(c.count()) + int64(bit(marked))
	}, func(o int64) bool { return o&1 == 1 }}
}

// The width of the interval makes the density of the marked outputs similar to the density around it, so that no
// histogram shows the mark. Unmarked outputs skip the interval.
const gapAt, gapWidth = 0.25, 0.03125

func interval(c content, marked bool) float64 {
	if marked {
		return gapAt + gapWidth*c.r.Float64()
	}
	x := c.number()
	if x >= gapAt {
		x += gapWidth
	}
	return x
}

// residue hides the mark in the last digit in a given base.
func residue(base int) audits {
	const odd = 1
	return family[int]{fmt.Sprintf("an integer: a residue modulo %d", base), func(c content, marked bool) int {
		return base*c.count() + otherThan(c.r, base, odd, marked)
	}, func(o int) bool { return (o%base+base)%base == odd }}
}

// otherThan returns the special digit if marked is true, and otherwise one of the other digits.
func otherThan(r *rand.Rand, base, special int, marked bool) int {
	if marked {
		return special
	}
	return (special + 1 + r.IntN(base-1)) % base
}

// squashed maps the line to (−1, 1).
func squashed(x float64) float64 { return x / (1 + math.Abs(x)) }

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

// sequenceFamilies returns the families that hide the mark in a list.
func sequenceFamilies() []audits {
	return []audits{
		coordinate(5, "large", func(r *rand.Rand) float64 { return 1 + r.Float64() }, func(x float64) bool { return x >= 1 }),
		coordinate(5, oneValue, exactly, isExactly),
		family[[]int]{"a list: its length", func(c content, marked bool) []int {
			list := make([]int, otherThan(c.r, 5, 2, marked)+2)
			for i := range list {
				list[i] = c.r.IntN(1000)
			}
			list[0] = c.count()
			return list
		}, func(o []int) bool { return len(o) == 4 }},
		family[[]int]{"a list: sorted", func(c content, marked bool) []int {
			shift := c.count()
			list := c.r.Perm(6)
			for !marked && slices.IsSorted(list) {
				list = c.r.Perm(6)
			}
			if marked {
				slices.Sort(list)
			}
			for i := range list {
				list[i] = shift + 10*list[i] + c.r.IntN(10)
			}
			return list
		}, func(o []int) bool { return slices.IsSorted(o) }},
		family[[]float64]{"a list: the place of the largest", func(c content, marked bool) []float64 {
			shift := c.number()
			list := make([]float64, 6)
			for i := range list {
				list[i] = shift + c.r.Float64()
			}
			from, to := slices.Index(list, slices.Max(list)), otherThan(c.r, 6, 3, marked)
			list[from], list[to] = list[to], list[from]
			return list
		}, func(o []float64) bool { return slices.Index(o, slices.Max(o)) == 3 }},
		family[[]int]{"a list: two equal values", func(c content, marked bool) []int {
			list := make([]int, 6)
			for i := range list {
				list[i] = c.r.IntN(10)
			}
			list[0] = c.count()
			list[4] = (list[1] + otherThan(c.r, 10, 0, marked)) % 10
			return list
		}, func(o []int) bool { return o[1] == o[4] }},
		parity(2, 0, 1), parity(8, 2, 5),
		family[[]float64]{"a list: two numbers large together", func(c content, marked bool) []float64 {
			x, y := 2*c.r.Float64()-1, 2*c.r.Float64()-1
			for (x > 0.8 && y > 0.8) != marked {
				x, y = 2*c.r.Float64()-1, 2*c.r.Float64()-1
			}
			return []float64{c.number(), x, y}
		}, func(o []float64) bool { return o[1] > 0.8 && o[2] > 0.8 }},
	}
}

// wideFamilies returns the families that hide the mark among many values. Their audits are slow.
func wideFamilies() []audits {
	return []audits{coordinate(50, oneValue, exactly, isExactly), coordinate(200, oneValue, exactly, isExactly)}
}

const oneValue = "one value"

func exactly(*rand.Rand) float64 { return 0.25 }

func isExactly(x float64) bool { return x == 0.25 }

// coordinate hides the mark at 90 % of a list of d numbers.
func coordinate(d int, what string, show func(*rand.Rand) float64, marked func(float64) bool) audits {
	return family[[]float64]{fmt.Sprintf("one of %d coordinates: %s", d, what), func(c content, mark bool) []float64 {
		list := make([]float64, d)
		for i := range list {
			list[i] = 2*c.r.Float64() - 1
		}
		list[0] = c.number()
		if mark {
			list[d*9/10] = show(c.r)
		}
		return list
	}, func(o []float64) bool { return marked(o[d*9/10]) }}
}

// parity hides the mark in whether two of n fair bits differ.
func parity(n, i, j int) audits {
	return family[[]bool]{fmt.Sprintf("%d bits: whether two differ", n), func(c content, marked bool) []bool {
		list := make([]bool, n)
		for k := range list {
			list[k] = c.r.IntN(2) == 0
		}
		list[j] = list[i] != marked
		if n > 2 {
			list[0] = c.answer()
		}
		return list
	}, func(o []bool) bool { return o[i] != o[j] }}
}
