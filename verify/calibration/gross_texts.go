package calibration

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

// decimals returns a number rounded to some decimals.
func decimals(x float64, digits int) string {
	scale := math.Pow(10, float64(digits))
	return strconv.FormatFloat(math.Round(x*scale)/scale+0, 'f', digits, 64) // +0: never -0
}

// roundedShift returns the privacy loss of Laplace noise of scale 1 if the true value is 0 at input 0 and 1 at input 1,
// and the output is a text with the given number of decimals.
func roundedShift(text string, digits int) float64 {
	v, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err) // decimals writes numbers
	}
	half := math.Pow(10, float64(-digits)) / 2
	mass := func(x float64) float64 { // probability of the cell of x
		if math.Abs(x) < half {
			return -math.Expm1(-half)
		}
		return math.Exp(-math.Abs(x)) * math.Sinh(half)
	}
	return math.Log(mass(v) / mass(v-1))
}

// rawTextFault writes the number 0 or 1 with noise to three decimals. In 1 % of the runs it writes the number itself.
// The event is the text of the number 0.
func rawTextFault() grossFault {
	const digits, prefix = 3, "total "
	noisy := func(r *rand.Rand, input int) string { return prefix + decimals(float64(input)+laplaceNoise(r), digits) }
	const raw, half = 0.01, 0.0005
	return grossOf[string]{
		name: "a raw value in 1 % of the runs", output: "text with a number",
		faulty: func(r *rand.Rand, input int) string {
			if r.Float64() < raw {
				return prefix + decimals(float64(input), digits)
			}
			return noisy(r, input)
		},
		repaired: noisy,
		event:    func(o string) bool { return o == prefix+"0.000" },
		chance: func(input int) float64 {
			if input == 0 {
				return raw - (1-raw)*math.Expm1(-half)
			}
			return (1 - raw) * math.Exp(-1) * math.Sinh(half)
		},
		loss: func(o string) float64 { return roundedShift(strings.TrimPrefix(o, prefix), digits) },
	}
}

// errorTextFault writes a noisy mean, or in half of the runs that a random row out of 50 was skipped. It writes the
// name of the row. Row 17 is present only at input 0. The event is the name of row 17.
func errorTextFault() grossFault {
	const rows, changed, digits, prefix = 50, 17, 2, "mean "
	write := func(r *rand.Rand, input int, named bool) string {
		if r.IntN(2) == 0 {
			return prefix + decimals(float64(input)+laplaceNoise(r), digits)
		}
		row := r.IntN(rows)
		switch {
		case !named:
			return "a row was skipped"
		case row == changed && input == 1:
			row = rows // the neighbor has another row in its place
		}
		return fmt.Sprintf("row of person %d was skipped", row)
	}
	return grossOf[string]{
		name: "an error message that names a record", output: "text of several forms",
		faulty:   func(r *rand.Rand, input int) string { return write(r, input, true) },
		repaired: func(r *rand.Rand, input int) string { return write(r, input, false) },
		event:    func(o string) bool { return strings.Contains(o, fmt.Sprintf(" %d ", changed)) },
		chance:   func(input int) float64 { return 0.5 / rows * float64(1-input) },
		loss: func(o string) float64 {
			if number, found := strings.CutPrefix(o, prefix); found {
				return roundedShift(number, digits)
			}
			return 0
		},
	}
}

// privateKeyFault releases a map of words to noisy counts above 4. The word zeta occurs only at input 1, once. The
// repaired version also counts it at input 0, because its list of words is public. The event is that zeta is released.
func privateKeyFault() grossFault {
	const threshold, private = 4, "zeta"
	words := []string{"and", "in", "of", "the", "to", private}
	counts := []float64{5, 3, 6, 4, 4, 0}
	release := func(r *rand.Rand, input int, public bool) any {
		out := []any{}
		for i, word := range words {
			count := counts[i] + laplaceNoise(r)
			if word == private {
				if input == 0 && !public {
					continue
				}
				count += float64(input)
			}
			if count > threshold {
				out = append(out, []any{word, count})
			}
		}
		return out
	}
	// count returns the released count of zeta, if there is one.
	count := func(o any) (count float64, found bool) {
		list := o.([]any)
		if len(list) == 0 {
			return 0, false
		}
		last := list[len(list)-1].([]any)
		return last[1].(float64), last[0] == private
	}
	chance := func(input int) float64 { return math.Exp(float64(input)-threshold) / 2 }
	return grossOf[any]{
		name: "a key that only one person has", output: "map of words to counts",
		faulty:   func(r *rand.Rand, input int) any { return release(r, input, false) },
		repaired: func(r *rand.Rand, input int) any { return release(r, input, true) },
		event:    func(o any) bool { _, found := count(o); return found },
		likely:   1,
		chance:   func(input int) float64 { return float64(input) * chance(input) },
		loss: func(o any) float64 {
			if c, found := count(o); found {
				return shift(c, 1)
			}
			return math.Log((1 - chance(0)) / (1 - chance(1)))
		},
	}
}

// emptyFault releases a map with the name of a random filter out of 12, and the noisy count and sum of the records
// that match. If no record matches, it adds no noise. The filter new matches no record at input 0, and one record of
// value 1 at input 1. The event is a count and a sum of 0.
func emptyFault() grossFault {
	filters := []string{"all", "east", "north", "south", "west", "old", "new", "paid", "free", "short", "long", "other"}
	const changed, scale = "new", 2
	release := func(r *rand.Rand, input int, skip bool) any {
		filter, count, sum := filters[r.IntN(len(filters))], 4.0, 2.5
		if filter == changed {
			count, sum = float64(input), float64(input)
		}
		if count > 0 || !skip {
			count += scale * laplaceNoise(r)
			sum += scale * laplaceNoise(r)
		}
		return []any{[]any{"filter", filter}, []any{"count", count}, []any{"sum", sum}}
	}
	values := func(o any) (filter string, count, sum float64) {
		value := func(i int) any { return o.([]any)[i].([]any)[1] }
		return value(0).(string), value(1).(float64), value(2).(float64)
	}
	return grossOf[any]{
		name: "noise missing if no record matches", output: "map of texts and numbers",
		faulty:   func(r *rand.Rand, input int) any { return release(r, input, true) },
		repaired: func(r *rand.Rand, input int) any { return release(r, input, false) },
		event:    func(o any) bool { _, count, sum := values(o); return count == 0 && sum == 0 },
		chance:   func(input int) float64 { return float64(1-input) / float64(len(filters)) },
		loss: func(o any) float64 {
			filter, count, sum := values(o)
			if filter != changed {
				return 0
			}
			return (shift(count, 1) + shift(sum, 1)) / scale
		},
	}
}
