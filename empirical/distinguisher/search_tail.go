package distinguisher

import (
	"math"
)

// Standard errors that are subtracted from the search's estimates for the winner's curse: the
// best of many candidates is overestimated. Any values are sound, for no certificate rests on
// these estimates.
const (
	// CountErrors are those of the counts of an event by itself, if they are not halved.
	CountErrors = 2
	knownErrors = 0.7 // of those of a known score, which was not chosen among many
	trendErrors = 1   // of what the trend of the whole score expects
	trendExcess = 2   // by which counts may be better than the trend expects
)

// tailSearch looks for the threshold of one score in one direction, for events that are likelier in one of the two
// samples: in a.
type tailSearch struct {
	Search
	na, nb  float64 // rows of a and of b
	swapped bool    // a is the second sample
	below   bool    // the tails are those below a threshold
	tail    exponentialTail
	best    []*Event // the best for each number of samples, or nil
}

// newTailSearch is a search for events that are likelier in the first of two samples, or in the second.
func (s Search) newTailSearch(na, nb float64, below, swapped bool) *tailSearch {
	if swapped {
		na, nb = nb, na
	}
	return &tailSearch{Search: s, na: na, nb: nb, below: below, swapped: swapped, best: make([]*Event, len(s.Samples))}
}

// sides are the samples of a and of b that certify, of those of the first and the second input.
func (t *tailSearch) sides(n [2]int64) [2]float64 {
	if t.swapped {
		return [2]float64{float64(n[1]), float64(n[0])}
	}
	return [2]float64{float64(n[0]), float64(n[1])}
}

// tails goes through the tails of a score, ascending values, from the outermost value inwards, their sizes on a
// geometric grid: all that lies beyond a threshold, what lies on it, and the deviation of the trend's log ratio.
func tails(values []valued, below bool, trend *trend, na, nb float64,
	visit func(at float64, beyond, ties tailCount, deviation float64)) {
	upto, shares := trend.Upto, trend.Shares(na, nb)
	from, step, ring, deviations := 0, 1, 0, trend.FromLow
	if !below {
		from, step, ring, deviations = len(values)-1, -1, len(upto)-1, trend.FromHigh
	}
	var c tailCount
	next := 0.0
	for i := from; i >= 0 && i < len(values); {
		at := values[i].v
		for below && ring < len(upto)-1 && upto[ring] < at {
			ring++
		}
		for !below && ring > 0 && upto[ring-1] >= at {
			ring--
		}
		var ties tailCount
		for ; i >= 0 && i < len(values) && values[i].v == at; i += step {
			ties.add(values[i], shares[ring])
		}
		if all := c.x + c.y + ties.x + ties.y; all >= next {
			next = 1.05 * all
			visit(at, c, ties, deviations[ring])
		}
		c = c.plus(ties, 1)
	}
}

// try looks at the tails that end on a threshold.
func (t *tailSearch) try(at float64, beyond, ties tailCount, deviation float64) {
	if t.swapped {
		beyond, ties = beyond.swapped(), ties.swapped()
	}
	for _, share := range tieShares(ties) {
		some := beyond.plus(ties, share)
		likelier := some.x*t.nb > some.y*t.na || some.modelX*t.nb > some.modelY*t.na
		for k, n := range t.Samples {
			best := t.best[k]
			if !likelier && best != nil && best.Value >= 0 { // neither its counts nor the trend promise more than 0
				continue
			}
			got := t.estimate(some, deviation, t.tail.Beyond(at), t.sides(n))
			if got.value > math.Inf(-1) && (best == nil || got.value > best.Value) {
				t.best[k] = &Event{threshold: at, tie: share, below: t.below, Swapped: t.swapped, P: got.p, Q: got.q,
					SeenP: got.seenP, SeenQ: got.seenQ, Value: got.value, rows: some.x + some.y}
			}
		}
	}
}

// tailCount is what lies beyond a threshold: the rows of either sample, and what the
// trend expects of them.
type tailCount struct{ x, y, modelX, modelY float64 }

func (c *tailCount) add(v valued, p float64) {
	c.x, c.y = c.x+v.a, c.y+v.b
	c.modelX, c.modelY = c.modelX+(v.a+v.b)*p, c.modelY+(v.a+v.b)*(1-p)
}

func (c tailCount) plus(d tailCount, share float64) tailCount {
	return tailCount{c.x + share*d.x, c.y + share*d.y, c.modelX + share*d.modelX, c.modelY + share*d.modelY}
}

func (c tailCount) swapped() tailCount { return tailCount{c.y, c.x, c.modelY, c.modelX} }

// tieShares are the parts of the rows at a threshold that are tried.
func tieShares(ties tailCount) []float64 {
	if ties.x+ties.y <= 1 {
		return []float64{1}
	}
	return []float64{1, 0.5}
}

// standardErrors are how many are subtracted from the counts of an event.
func (t *tailSearch) standardErrors() float64 {
	if t.Score != nil {
		return knownErrors
	}
	return CountErrors * t.correction()
}

// correction is the part of the standard errors that is subtracted in this search.
func (t *tailSearch) correction() float64 {
	if t.HalfCorrection {
		return 0.5
	}
	return 1
}

// estimate of an event, corrected for the winner's curse: the value at the counts less many
// standard errors, and no better than the trend allows for; or, where it is more, what the
// trend expects less a few. deviation is that of the trend's log ratio; most
// bounds the share of b by the tail's fit, and n samples of a and of b certify.
func (t *tailSearch) estimate(c tailCount, deviation, most float64, n [2]float64) estimate {
	best := t.at(c.x, c.y, t.standardErrors(), most, n)
	best.seenP, best.seenQ = c.x/t.na, c.y/t.nb
	trend := t.expected(c, -trendErrors*t.correction()*deviation, 1, n)
	if trend.value > best.value { // whatever bounds the counts
		return trend
	}
	// Thirty rows of a and none of b are no coincidence, and the trend is poor at zeros.
	if c.y > 0 || c.x < 30 {
		if bound := t.expected(c, trendExcess*deviation, most, n); bound.value < best.value {
			best = bound
		}
	}
	if trend.value > best.value {
		best = trend
	}
	return best
}

// expected is the estimate from the trend's counts, their log ratio moved by shift.
func (t *tailSearch) expected(c tailCount, shift, most float64, n [2]float64) estimate {
	half := math.Exp(shift / 2)
	out := t.at(math.Min(t.na, c.modelX*half), math.Min(t.nb, c.modelY/half), 0, most, n)
	out.seenP, out.seenQ = math.Min(1, c.modelX/t.na), math.Min(1, c.modelY/t.nb)
	return out
}

// estimate is one of an event's masses, corrected for the winner's curse, and what
// certification would find at them; seenP and seenQ are the masses without the correction.
type estimate struct{ p, q, value, seenP, seenQ float64 }

func (t *tailSearch) at(x, y, errors, most float64, n [2]float64) estimate {
	p := (x - errors*math.Sqrt(math.Max(0, x*(1-x/t.na)))) / t.na
	q := math.Min(1, (y+errors*math.Sqrt(math.Max(0, y*(1-y/t.nb))+1))/t.nb)
	if y < 5 && x >= 30 {
		q = math.Min(q, most)
	}
	if !(p > 0) {
		return estimate{value: math.Inf(-1)}
	}
	p = math.Min(1, p)
	return estimate{p: p, q: q, value: t.Certified(p*n[0], n[0], q*n[1], n[1])}
}

// fitTail fits the outermost scores of b, of ascending values.
func (t *tailSearch) fitTail(values []valued) exponentialTail {
	return fitTail(t.nb, CountErrors, t.below, func(yield func(v, rows float64) bool) {
		for i := range values {
			v := values[i]
			if !t.below {
				v = values[len(values)-1-i]
			}
			rows := v.b
			if t.swapped {
				rows = v.a
			}
			if rows > 0 && !yield(v.v, rows) {
				return
			}
		}
	})
}
