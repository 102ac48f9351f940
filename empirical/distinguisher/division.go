package distinguisher

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
)

// division assigns rows to unordered classes: by residue or digit of an integer, by a character of a string, or by
// the order of two values. The scan tests every class of every division. The learned scores use only significant
// divisions, whose class frequencies differ between the samples by more than the largest chance difference.
// Hundreds of uninformative divisions would reduce power, because the best of them looks good by chance.
type division struct {
	name   string                  // name of the divided quantity, for "name = class"
	class  func(row []float64) int // less than len(counts)
	label  func(class int) string
	counts [][2]float64 // rows of the samples in each class
	z      float64      // χ² of the counts, as a standard normal deviate
	complexity
	few bool // the divided quantity has few values, which are counted individually anyway
}

// maxDivisions is the largest number of divisions used together with the features in learned scores.
const maxDivisions = 8

// divisions returns the divisions of a table by integers and characters.
func divisions(t *table) (out []division) {
	for _, s := range wholeSources(t) {
		out = append(out, s.divisions(t)...)
	}
	return append(out, characterDivisions(t)...)
}

// significant returns the divisions whose classes differ between the samples of a table.
func significant(all []division, t *table) []division {
	// The largest of n standard normal deviates is about √(2 ln n).
	threshold := math.Sqrt(2*math.Log(math.Max(1, float64(len(all))))) + 1
	return slices.DeleteFunc(slices.Clone(all),
		func(d division) bool { return !(d.z > threshold) || d.few && !d.gross(t) })
}

// gross reports whether a class is much rarer in one sample. If there are few values, their frequencies cover
// smaller differences. More ways to count them would only select the largest chance difference.
func (d division) gross(t *table) bool {
	const minRatio = 2 // log ratio
	ratios, _ := shrunkRatios(d.counts, t.na, t.nb)
	return slices.ContainsFunc(ratios, func(r float64) bool { return math.Abs(r) >= minRatio })
}

// strongest returns the most significant divisions, at most the given number.
func strongest(all []division, limit int) []division {
	slices.SortStableFunc(all, func(d, e division) int { return cmp.Compare(e.z, d.z) })
	return all[:min(limit, len(all))]
}

// deviate returns the χ² of counts in two samples as a standard normal deviate (Wilson & Hilferty 1931), or −∞ for
// fewer than two classes.
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

// scorer returns the score by the shrunken log ratios of the classes.
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

// characterDivision returns the division by the character in a cell. The most common characters are classes, all
// others share one. A choice by first occurrence would favor the first sample.
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
