package distinguisher

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// division puts rows into classes that have no order: by a residue or a digit of a whole
// number, by a character of a string, or by the order of two values. The scan sees every
// class of every division. To be scored by a learned order of its classes, a division has
// to be significant: its classes are taken up differently in the two samples, beyond what the
// best of all would be by chance. Hundreds that do not differ would cost power, as the
// best of them looks good by chance.
type division struct {
	name   string                  // of what is divided, for "name = class"
	class  func(row []float64) int // less than len(counts)
	label  func(class int) string
	counts [][2]float64 // rows of the samples in each class
	z      float64      // χ² of the counts, as a standard normal deviate
	complexity
	few bool // what is divided has few values, which are counted one by one anyway
}

// maxDivisions are learned from together with the features.
const maxDivisions = 8

// divisions of the values of a table, by numbers and characters.
func divisions(t *table) (out []division) {
	for _, s := range wholeSources(t) {
		out = append(out, s.divisions(t)...)
	}
	return append(out, characterDivisions(t)...)
}

// significant are the divisions whose classes differ between the samples of a table.
func significant(all []division, t *table) []division {
	// The largest of n standard normal deviates is about √(2 ln n).
	least := math.Sqrt(2*math.Log(math.Max(1, float64(len(all))))) + 1
	return slices.DeleteFunc(slices.Clone(all), func(d division) bool { return !(d.z > least) || d.few && !d.gross(t) })
}

// gross reports whether a class is much rarer in one sample. Where values are few, lesser
// differences are left to the frequencies of the values: to look at these in many ways
// is to choose the largest by chance.
func (d division) gross(t *table) bool {
	const much = 2 // log ratio
	ratios, _ := shrunkRatios(d.counts, t.na, t.nb)
	return slices.ContainsFunc(ratios, func(r float64) bool { return math.Abs(r) >= much })
}

// strongest divisions, at most so many.
func strongest(all []division, most int) []division {
	slices.SortStableFunc(all, func(d, e division) int { return cmp.Compare(e.z, d.z) })
	return all[:min(most, len(all))]
}

// deviate of the χ² of counts in two samples: the approximation of Wilson and Hilferty
// (1931). −∞ where there are not two classes.
func deviate(counts [][2]float64, na, nb float64) float64 {
	var sum, seen float64
	for _, c := range counts {
		if all := c[0] + c[1]; all > 0 {
			d := c[0]*math.Sqrt(nb/na) - c[1]*math.Sqrt(na/nb)
			sum += d * d / all
			seen++
		}
	}
	freedom := seen - 1
	if freedom < 1 {
		return math.Inf(-1)
	}
	v := 2 / (9 * freedom)
	return (math.Cbrt(sum/freedom) - 1 + v) / math.Sqrt(v)
}

// scorer is the score of the classes' shrunken log ratios.
func (d division) scorer(t *table) scorer {
	ratios, posterior := shrunkRatios(d.counts, t.na, t.nb)
	out := scorer{name: d.name, signed: true, posterior: posterior, complexity: d.complexity}
	out.score = func(row []float64) float64 { return ratios[d.class(row)] }
	for i, c := range d.counts {
		if c[0]+c[1] > 0 {
			out.counts = append(out.counts, valued{ratios[i], c[0], c[1]})
		}
	}
	out.classes = func(w *Event) (in, rest []string) {
		for i, ratio := range ratios {
			c := d.counts[i]
			switch {
			case c[0]+c[1] == 0:
			case ratio == w.threshold || (ratio < w.threshold) == w.below:
				in = append(in, d.label(i))
			default:
				rest = append(rest, d.label(i))
			}
		}
		return in, rest
	}
	return out
}

// characterDivision is by the character in a cell: the commonest, and all others together. Those
// that are met first would be the first sample's, and look likelier there.
func characterDivision(t *table, cell int, name string) division {
	rows := make(map[uint64]float64)
	for i := range t.a {
		rows[valueKey(t.row(i)[cell])] += t.a[i] + t.b[i]
	}
	common := slices.SortedFunc(maps.Keys(rows), func(x, y uint64) int {
		return cmp.Or(cmp.Compare(rows[y], rows[x]), cmp.Compare(x, y))
	})
	common = common[:min(len(common), maxCodes)]
	codes, labels := make(map[uint64]int, len(common)), make([]string, 0, len(common)+1)
	for class, code := range common {
		codes[code] = class
		label := "none"
		if c := math.Float64frombits(code); !IsSymbol(c) {
			label = fmt.Sprintf("%q", rune(c))
		}
		labels = append(labels, label)
	}
	labels = append(labels, "another")
	d := division{name: name, complexity: functionOfValue, label: func(class int) string { return labels[class] },
		counts: make([][2]float64, len(labels))}
	d.class = func(row []float64) int {
		if i, ok := codes[valueKey(row[cell])]; ok {
			return i
		}
		return len(labels) - 1
	}
	for i := range t.a {
		c := &d.counts[d.class(t.row(i))]
		c[0], c[1] = c[0]+t.a[i], c[1]+t.b[i]
	}
	d.z = deviate(d.counts, t.na, t.nb)
	return d
}
