// Package showing keeps what the samples of a search show of each pair, to tell why a claim is refuted.
package showing

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/dpverify/dpverify/empirical/distinguisher"
	"github.com/dpverify/dpverify/verify/neighbours"
	"github.com/dpverify/dpverify/verify/privacy/internal/likeness"
	"github.com/dpverify/dpverify/verify/privacy/internal/lowbits"
	"github.com/dpverify/dpverify/verify/privacy/notion"
	"github.com/dpverify/dpverify/verify/why"
)

// Shown is what the samples of the search show of each pair.
type Shown struct {
	Pairs []Pair   // nil where nothing is told
	Apart bool     // the inputs of the pairs are apart by different distances
	Names []string // of the values of a list, where they have any
}

// Pair is what is kept of a pair.
type Pair struct {
	Examples [2]Examples // at A and at B
	Reading  likeness.Pair
	// Lower are limits of the parameter by the event of either fold, computed when asked for; nil where it has none.
	Lower [2]func() float64
}

// New is what is known of pairs before anything is drawn.
func New[D any](pairs []neighbours.Pair[D]) Shown {
	s := Shown{Pairs: make([]Pair, len(pairs))}
	apart := make(map[float64]bool)
	for i, p := range pairs {
		if d, ok := likeness.Between(p.A, p.B); ok {
			s.Pairs[i].Reading.Distance = &d
			apart[d.Sum] = true
		}
	}
	s.Apart = len(apart) > 1
	return s
}

// Examples are some outputs of a sample, with their rows.
type Examples struct {
	Atoms  lowbits.Atoms // of more outputs than are kept
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
	return neighbours.Shown(input)
}

// in the event of a witness: the commonest, each once.
func (e *Examples) in(w *distinguisher.Witness) []string {
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
func (s Shown) Growth(quantity string, alpha float64) *why.Growth {
	if !s.Apart {
		return nil
	}
	g := &why.Growth{Quantity: quantity, Alpha: alpha}
	for _, p := range s.Pairs {
		if p.Reading.Distance == nil {
			continue
		}
		i, met := slices.BinarySearchFunc(g.Points, p.Reading.Distance.Sum, func(at why.Point, d float64) int {
			return cmp.Compare(at.Distance, d)
		})
		if !met {
			g.Points = slices.Insert(g.Points, i, why.Point{Distance: p.Reading.Distance.Sum})
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

// Likeness of the outputs at a pair.
func (s Shown) Likeness(g notion.Guarantee, pair int) *why.Likeness {
	var readings []likeness.Pair
	for _, p := range s.Pairs {
		readings = append(readings, p.Reading)
	}
	return likeness.Name(g, readings, pair)
}
