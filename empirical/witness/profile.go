package witness

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpverify/dpverify/empirical/witness/internal/smooth"
)

// profile scores a number by the log density ratio expected at it, as a curve along the number
// shows it: events that are intervals, or several, where neighbouring values bear each other
// out. The position of the first answer above a threshold is such a number: none of its values
// is seen often enough to stand out, and the best event is a range of them.
type profile struct {
	upto  []float64 // the largest value of each ring
	ratio []float64 // expected in each
}

const (
	// profileRings bounds the rings of a profile, of which each has at least so many rows.
	profileRings = 96
	profileLeast = 8
	// profileFewest rings have an interval that is no tail.
	profileFewest = 3
)

// profileScorer is the profile along a score, of which values are ascending; false where it has too few values.
func profileScorer(c scorer, values []valued, na, nb float64) (scorer, bool) {
	if !c.smooth {
		return scorer{}, false
	}
	rings, upto := profileRingsOf(values, na, nb)
	if len(rings) < profileFewest {
		return scorer{}, false
	}
	fits, weights := fitLevels(rings)
	p := &profile{upto: upto, ratio: make([]float64, len(rings))}
	symbols := slices.Clone(rings)
	for j := range symbols {
		var mean, square float64
		for i, f := range fits {
			mean += weights[i] * f.Mean[j]
			square += weights[i] * (f.Mean[j]*f.Mean[j] + f.Variance[j])
		}
		p.ratio[j] = mean
		symbols[j].Ratio, symbols[j].Variance = mean, math.Max(0, square-mean*mean)
	}
	posterior := posteriorOf(symbols, true)
	posterior.evidence = evidenceOf(weights)
	counts := make([]valued, 0, len(rings))
	for _, v := range values {
		counts = append(counts, valued{p.at(v.v), v.a, v.b})
	}
	return scorer{
		name:      fmt.Sprintf("log ratio along %s", c.name),
		score:     func(row []float64) float64 { return p.at(c.score(row)) },
		signed:    true,
		learned:   true,
		posterior: posterior,
		counts:    counts,
	}, true
}

// at is the log ratio expected at a value; NaN at none.
func (p *profile) at(v float64) float64 {
	if math.IsNaN(v) {
		return v
	}
	j, _ := slices.BinarySearch(p.upto, v)
	return p.ratio[min(j, len(p.ratio)-1)]
}

// profileRingsOf gathers ascending values in rings of as many rows.
func profileRingsOf(values []valued, na, nb float64) (rings []smooth.Ring, upto []float64) {
	least := math.Max(profileLeast, rowsOf(values)/profileRings)
	if len(values) <= profileRings {
		least = profileLeast
	}
	return ringsOf(values, na, nb, func(rows, _ float64) bool { return rows >= least })
}
