package diagnosis

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify"
	"github.com/dpverify/dpverify/verify/inputs"
)

// Shown holds the diagnosis of each pair from the search samples.
type Shown struct {
	Pairs []ShownPair // nil if no diagnosis is made
	Apart bool        // the pairs have different input distances
	Names []string    // names of the values of a list, if any
}

// ShownPair holds the diagnosis of a pair.
type ShownPair struct {
	Examples [2]Examples // at A and at B
	Distance float64     // distance of the inputs, 0 if unknown
	Resized  bool        // the distance is the size of an item that only one input has
	// LikelyCause is computed on demand, because most claims are not refuted. It is nil if the outputs were
	// not read.
	LikelyCause func() *verify.LikelyCause
	// Lower returns limits on the parameter from the event of each fold, computed on demand. It is nil if
	// the fold has no event.
	Lower [2]func() float64
}

// NewShown returns the diagnosis of pairs before sampling.
func NewShown[D any](pairs []inputs.Pair[D]) Shown {
	s := Shown{Pairs: make([]ShownPair, len(pairs))}
	apart := make(map[float64]bool)
	for i, p := range pairs {
		if d, resized := InputDistance(p.A, p.B); d > 0 {
			s.Pairs[i].Distance, s.Pairs[i].Resized = d, resized
			apart[d] = true
		}
	}
	s.Apart = len(apart) > 1
	return s
}

// Examples holds some outputs of a sample with their rows.
type Examples struct {
	Atoms    Atoms // counts more outputs than are stored
	Constant Constant
	rows     [][]float64
	texts    []string
	places   places
}

const (
	MostExamples  = 60
	widestExample = 64 // in values
	longExample   = 80 // in bytes
	shownAtMost   = 3
)

// See stores the first outputs that are short enough to be shown.
func (e *Examples) See(output any, row []float64) {
	e.Atoms.See(output)
	e.Constant.See(output, row)
	if e.places.outputs < MostExamples {
		e.places.see(output)
	}
	if len(e.rows) == MostExamples || len(row) > widestExample {
		return
	}
	text, err := json.Marshal(output)
	if err != nil || len(text) > longExample { // for example NaN has no JSON form
		text = nil
	}
	e.rows, e.texts = append(e.rows, slices.Clone(row)), append(e.texts, string(text))
}

// InputText returns an input as JSON, or in Go syntax if it has no JSON form.
func InputText(input any) string {
	if text, err := json.Marshal(input); err == nil && string(text) != "{}" {
		return string(text)
	}
	return inputs.InputText(input)
}

// in returns the most frequent distinct example outputs in the event.
func (e *Examples) in(w *distinguisher.Event) []string {
	times := make(map[string]int)
	for i, row := range e.rows {
		if e.texts[i] != "" && w.Certain(row) {
			times[e.texts[i]]++
		}
	}
	all := slices.SortedFunc(maps.Keys(times), func(a, b string) int {
		return cmp.Or(cmp.Compare(times[b], times[a]), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return all[:min(len(all), shownAtMost)]
}

// Growth returns the loss by distance of the inputs, or nil if all distances are equal.
func (s Shown) Growth(quantity string, alpha float64) *verify.LossGrowth {
	if !s.Apart {
		return nil
	}
	g := &verify.LossGrowth{Quantity: quantity, Alpha: alpha}
	for _, p := range s.Pairs {
		if p.Distance == 0 {
			continue
		}
		i, met := slices.BinarySearchFunc(g.Points, p.Distance, func(at verify.GrowthPoint, d float64) int {
			return cmp.Compare(at.Distance, d)
		})
		if !met {
			g.Points = slices.Insert(g.Points, i, verify.GrowthPoint{Distance: p.Distance})
		}
		for _, lower := range p.Lower {
			if lower != nil {
				g.Points[i].Lower = max(g.Points[i].Lower, lower())
			}
		}
		g.Points[i].Pairs++
	}
	return g
}
