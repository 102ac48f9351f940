package distinguisher

import (
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
)

// mixture describes sequences in which some values repeat, like the codes of a sparse vector, and the others are
// numbers that hardly repeat, like noisy answers.
type mixture struct {
	repeated []float64 // finite values that repeat, in ascending order
}

const (
	// mixtureValues is about the largest number of values that newMixture reads.
	mixtureValues = 1 << 15
	// maxRepeated is the largest number of repeated values.
	maxRepeated = 16
	// repeatedShare is the smallest share of a repeated value among all finite values, and the smallest total share of
	// the values that do not repeat.
	repeatedShare = 0.01
	// fewNumbers is the smallest number of values that do not repeat. Fewer integers could all differ by chance.
	fewNumbers = 32
	// distinctShare is the smallest share of distinct values among those that are not repeated values. Integers on a
	// grid have a smaller share.
	distinctShare = 0.9
)

// newMixture returns the repeated values in some cells of count rows. It returns nil if the cells contain only
// numbers, only repeated values, or too many different repeated values.
func newMixture(cells []int, rows iter.Seq2[int, []float64], count int) *mixture {
	var numbers []float64
	symbols, step, k := false, 1+count*len(cells)/mixtureValues, 0
	for _, row := range rows {
		if k++; k%step > 0 {
			continue
		}
		for _, cell := range cells {
			if v := row[cell]; finite(v) {
				numbers = append(numbers, v)
			} else {
				symbols = true
			}
		}
	}
	slices.Sort(numbers)
	m, rest, distinct := &mixture{}, 0, 0
	for from, to := 0, 0; from < len(numbers); from = to {
		for to = from; to < len(numbers) && numbers[to] == numbers[from]; to++ {
		}
		if n := to - from; n > 2 && float64(n) >= repeatedShare*float64(len(numbers)) {
			m.repeated = append(m.repeated, numbers[from])
		} else {
			rest, distinct = rest+n, distinct+1
		}
	}
	few := math.Max(fewNumbers, repeatedShare*float64(len(numbers)))
	if float64(rest) < few || float64(distinct) < distinctShare*float64(rest) || len(m.repeated) > maxRepeated ||
		len(m.repeated) == 0 && !symbols {
		return nil
	}
	return m
}

// isNumber reports whether a value is a number that is not a repeated value.
func (m *mixture) isNumber(v float64) bool { return finite(v) && !slices.Contains(m.repeated, v) }

// first returns the position of the first number of a row, counted from 1, or 0.
func (m *mixture) first(row []float64) int {
	return 1 + slices.IndexFunc(row[1:], m.isNumber)
}

// mixedFeatures returns the first number of a sequence and its position, wherever it is, if the sequences are a
// mixture. In a row without such a number they are NaN and -1.
func mixedFeatures(t *table) []Feature {
	values := t.shape.values()
	cells := make([]int, min(values-1, maxPlaces))
	for i := range cells {
		cells[i] = i + 1
	}
	m := newMixture(cells, t.seen(), len(t.a))
	if m == nil {
		return nil
	}
	return []Feature{
		{Name: "first " + m.noun(), complexity: severalValues, eval: func(row []float64) float64 {
			if i := m.first(row[:values]); i > 0 {
				return row[i]
			}
			return math.NaN()
		}},
		{Name: "position of the first " + m.noun(), complexity: severalValues,
			eval: func(row []float64) float64 { return float64(m.first(row[:values]) - 1) }},
	}
}

// noun returns the words for a number that is not a repeated value.
func (m *mixture) noun() string {
	switch {
	case len(m.repeated) == 0:
		return "number"
	case len(m.repeated) > 3:
		return "number that does not repeat"
	}
	var texts []string
	for _, v := range m.repeated {
		texts = append(texts, shownNumber(v))
	}
	return fmt.Sprintf("number that is not %s", strings.Join(texts, " or "))
}
