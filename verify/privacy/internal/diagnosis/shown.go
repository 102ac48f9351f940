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

// Shown is what the samples of the search show of each pair.
type Shown struct {
	Pairs []ShownPair // nil where nothing is told
	Apart bool        // the inputs of the pairs are apart by different distances
	Names []string    // of the values of a list, where they have any
}

// ShownPair is what is kept of a pair.
type ShownPair struct {
	Examples [2]Examples // at A and at B
	Distance float64     // of the inputs; 0 if it is not known
	// LikelyCause is computed when asked for: most claims are not refuted. It is nil if the outputs are not read.
	LikelyCause func() *verify.LikelyCause
	// Lower are limits of the parameter by the event of either fold, computed when asked for; nil where it has none.
	Lower [2]func() float64
}

// NewShown is what is known of pairs before anything is drawn.
func NewShown[D any](pairs []inputs.Pair[D]) Shown {
	s := Shown{Pairs: make([]ShownPair, len(pairs))}
	apart := make(map[float64]bool)
	for i, p := range pairs {
		if d := InputDistance(p.A, p.B); d > 0 {
			s.Pairs[i].Distance = d
			apart[d] = true
		}
	}
	s.Apart = len(apart) > 1
	return s
}

// Examples are some outputs of a sample, with their rows.
type Examples struct {
	Atoms  Atoms // of more outputs than are kept
	rows   [][]float64
	texts  []string
	places places
}

const (
	MostExamples  = 60
	widestExample = 64 // values
	longExample   = 80 // bytes
	shownAtMost   = 3
)

// See takes the first outputs that are short enough to be shown.
func (e *Examples) See(output any, row []float64) {
	e.Atoms.See(output)
	if e.places.outputs < MostExamples {
		e.places.see(output)
	}
	if len(e.rows) == MostExamples || len(row) > widestExample {
		return
	}
	text, err := json.Marshal(output)
	if err != nil || len(text) > longExample { // NaN, among others, has no JSON
		text = nil
	}
	e.rows, e.texts = append(e.rows, slices.Clone(row)), append(e.texts, string(text))
}

// InputText is an input as JSON, or in Go syntax where it has none.
func InputText(input any) string {
	if text, err := json.Marshal(input); err == nil && string(text) != "{}" {
		return string(text)
	}
	return inputs.InputText(input)
}

// in the event of a witness: the commonest, each once.
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

// Growth of the loss with the distance of the inputs; nil where they are all one.
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
