package distinguisher

import (
	"math"
)

// The constants below are numbers of standard errors that are subtracted from the estimates of the search, because
// the best of many candidates is overestimated (winner's curse). Soundness does not depend on them.
const (
	// CountErrors applies to the counts of an individual event, unless it is halved.
	CountErrors = 2
	knownErrors = 0.7 // for a known score, which was not chosen among many
	trendErrors = 1   // for the expectation from the trend of the whole score
	trendExcess = 2   // by which counts may exceed the expectation from the trend
)

// tailSearch searches the threshold of one score in one direction, for events that are more likely in sample a.
type tailSearch struct {
	Search
	na, nb  float64 // numbers of rows of a and b
	swapped bool    // a is the second sample
	below   bool    // the tails are below a threshold
	tail    exponentialTail
	best    []*Event // best event for each of the sample sizes, or nil
}

// newTailSearch returns a search for events that are more likely in the first sample, or in the second if swapped.
func (s Search) newTailSearch(na, nb float64, below, swapped bool) *tailSearch {
	if swapped {
		na, nb = nb, na
	}
	return &tailSearch{Search: s, na: na, nb: nb, below: below, swapped: swapped, best: make([]*Event, len(s.Samples))}
}

// sides returns the certification sample sizes of a and b, given those of the first and second input.
func (t *tailSearch) sides(n [2]int64) [2]float64 {
	if t.swapped {
		return [2]float64{float64(n[1]), float64(n[0])}
	}
	return [2]float64{float64(n[0]), float64(n[1])}
}

// tails visits the tails of a score from the outermost value inwards. values must be ascending. The tail sizes form
// a geometric grid. visit gets the threshold, the counts beyond it, the counts at it, and the standard deviation of
// the trend's log ratio.
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

// try evaluates the tails that end at a threshold.
func (t *tailSearch) try(at float64, beyond, ties tailCount, deviation float64) {
	if t.swapped {
		beyond, ties = beyond.swapped(), ties.swapped()
	}
	for _, share := range tieShares(ties) {
		some := beyond.plus(ties, share)
		likelier := some.x*t.nb > some.y*t.na || some.modelX*t.nb > some.modelY*t.na
		for k, n := range t.Samples {
			best := t.best[k]
			if !likelier && best != nil && best.Value >= 0 { // neither its counts nor the trend give more than 0
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

// tailCount holds the rows of both samples beyond a threshold, and the numbers that the trend expects.
type tailCount struct{ x, y, modelX, modelY float64 }

func (c *tailCount) add(v valued, p float64) {
	c.x, c.y = c.x+v.a, c.y+v.b
	c.modelX, c.modelY = c.modelX+(v.a+v.b)*p, c.modelY+(v.a+v.b)*(1-p)
}

func (c tailCount) plus(d tailCount, share float64) tailCount {
	return tailCount{c.x + share*d.x, c.y + share*d.y, c.modelX + share*d.modelX, c.modelY + share*d.modelY}
}

func (c tailCount) swapped() tailCount { return tailCount{c.y, c.x, c.modelY, c.modelX} }

// tieShares returns the shares of the rows at a threshold that are tried.
func tieShares(ties tailCount) []float64 {
	if ties.x+ties.y <= 1 {
		return []float64{1}
	}
	return []float64{1, 0.5}
}

// standardErrors returns the number of standard errors subtracted from the counts of an event.
func (t *tailSearch) standardErrors() float64 {
	if t.Score != nil {
		return knownErrors
	}
	return CountErrors * t.correction()
}

// correction returns the multiple of the standard errors that this search subtracts.
func (t *tailSearch) correction() float64 {
	if t.HalfCorrection {
		return 0.5
	}
	return 1
}

// estimate returns the estimate of an event, corrected for the winner's curse. It is the larger of two values. The
// first is the value at the counts minus standardErrors, bounded by what the trend permits. The second is the value
// at the trend's expectation minus trendErrors. deviation is the standard deviation of the trend's log ratio.
// maxShare bounds the share of b from the fit of the tail. n holds the certification sample sizes of a and b.
func (t *tailSearch) estimate(c tailCount, deviation, maxShare float64, n [2]float64) estimate {
	best := t.correct(c.x, c.y, t.standardErrors(), maxShare, n)
	best.seenP, best.seenQ = c.x/t.na, c.y/t.nb
	trend := t.expected(c, -trendErrors*t.correction()*deviation, 1, n)
	if trend.value > best.value { // not bounded by the counts
		return trend
	}
	// Thirty rows of a and none of b are significant, and the trend is inaccurate at zeros.
	if c.y > 0 || c.x < 30 {
		if bound := t.expected(c, trendExcess*deviation, maxShare, n); bound.value < best.value {
			best = bound
		}
	}
	if trend.value > best.value {
		best = trend
	}
	return best
}

// expected returns the estimate from the trend's counts after a shift of their log ratio.
func (t *tailSearch) expected(c tailCount, shift, maxShare float64, n [2]float64) estimate {
	half := math.Exp(shift / 2)
	out := t.correct(math.Min(t.na, c.modelX*half), math.Min(t.nb, c.modelY/half), 0, maxShare, n)
	out.seenP, out.seenQ = math.Min(1, c.modelX/t.na), math.Min(1, c.modelY/t.nb)
	return out
}

// estimate holds an event's probabilities, corrected for the winner's curse, and the value that certification would
// find at them. seenP and seenQ are the probabilities without the correction.
type estimate struct{ p, q, value, seenP, seenQ float64 }

func (t *tailSearch) correct(x, y, errors, maxShare float64, n [2]float64) estimate {
	p := (x - errors*math.Sqrt(math.Max(0, x*(1-x/t.na)))) / t.na
	q := math.Min(1, (y+errors*math.Sqrt(math.Max(0, y*(1-y/t.nb))+1))/t.nb)
	if y < 5 && x >= 30 {
		q = math.Min(q, maxShare)
	}
	if !(p > 0) {
		return estimate{value: math.Inf(-1)}
	}
	p = math.Min(1, p)
	return estimate{p: p, q: q, value: t.Certified(p*n[0], n[0], q*n[1], n[1])}
}

// fitTail fits the outermost scores of b. values must be ascending.
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
