package witness

import (
	"cmp"
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
	posterior := alike(symbols)
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

// profileRingsOf gathers ascending values in rings of as many rows, none of which divides equal values.
func profileRingsOf(values []valued, na, nb float64) (rings []smooth.Ring, upto []float64) {
	var total float64
	for _, v := range values {
		total += v.a + v.b
	}
	logit := func(rank float64) float64 {
		rank = math.Max(0.5, math.Min(total-0.5, rank))
		return math.Log(rank / (total - rank))
	}
	least := math.Max(profileLeast, total/profileRings)
	if distinct(values) <= profileRings {
		least = profileLeast
	}
	var passed, from, a, b float64
	for i, v := range values {
		a, b, passed = a+v.a, b+v.b, passed+v.a+v.b
		last := i+1 == len(values)
		if !last && (values[i+1].v == v.v || a+b < least) {
			continue
		}
		x, y := a+0.5, b+0.5
		rings = append(rings, smooth.Ring{Rows: a + b, Ratio: math.Log(x / y * nb / na), Variance: 1/x + 1/y,
			Place: logit((from + passed) / 2)})
		upto = append(upto, v.v)
		from, a, b = passed, 0, 0
	}
	return rings, upto
}

// distinct values among ascending ones, of which no more are counted than matter.
func distinct(values []valued) (n int) {
	for i, v := range values {
		if i == 0 || values[i-1].v != v.v {
			if n++; n > profileRings {
				break
			}
		}
	}
	return n
}

// alike is the posterior of symbols of known ratio and variance whose errors are alike.
func alike(symbols []smooth.Ring) *trend {
	slices.SortFunc(symbols, func(r, s smooth.Ring) int { return cmp.Compare(r.Ratio, s.Ratio) })
	n := len(symbols)
	t := &trend{upto: make([]float64, n), ratio: make([]float64, n), fromLow: make([]float64, n),
		fromHigh: make([]float64, n)}
	for j, s := range symbols {
		t.upto[j], t.ratio[j] = s.Ratio, s.Ratio
	}
	outwards := func(deviation []float64, order func(int) int) {
		var rows, sum float64
		for j := range n {
			s := symbols[order(j)]
			rows, sum = rows+s.Rows, sum+s.Rows*math.Sqrt(s.Variance)
			deviation[order(j)] = sum / rows
		}
	}
	outwards(t.fromLow, func(j int) int { return j })
	outwards(t.fromHigh, func(j int) int { return n - 1 - j })
	return t
}
