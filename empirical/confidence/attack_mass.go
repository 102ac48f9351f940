package confidence

import "math"

const (
	// mostPieces of the boundary are looked at before a hypothesis counts as not refuted.
	mostPieces = 600
	// firstPieces is how many there are to begin with.
	firstPieces = 8
	// tiny masses are computed anew rather than by the ratio to the one before, which may have been 0.
	tiny = 1e-280
)

// rare tells whether the region has a probability of at most alpha under all that a trade-off function allows within
// the box, what the box misses included. The probability grows in p and falls in q: on a piece of the
// boundary, from one p to another, it is at most that of the larger p and the smaller q.
func (g *attackRegion) rare(null TradeOff, alpha float64) bool {
	target := alpha * (1 - gammaShare)
	type piece struct{ from, to float64 }
	var pieces []piece
	width := (g.box.pHigh - g.box.pLow) / firstPieces
	for i := range firstPieces {
		pieces = append(pieces, piece{g.box.pLow + float64(i)*width, g.box.pLow + float64(i+1)*width})
	}
	pieces[firstPieces-1].to = g.box.pHigh
	for looked := 0; len(pieces) > 0; looked++ {
		at := pieces[len(pieces)-1]
		pieces = pieces[:len(pieces)-1]
		q := null.MinProbability(at.from)
		if q > g.box.qHigh || g.mass(at.to, math.Max(q, g.box.qLow)) <= target {
			continue
		}
		middle := (at.from + at.to) / 2
		q = null.MinProbability(middle)
		if looked > mostPieces || !(middle > at.from && middle < at.to) ||
			q <= g.box.qHigh && g.mass(middle, math.Max(q, g.box.qLow)) > target {
			return false
		}
		pieces = append(pieces, piece{at.from, middle}, piece{middle, at.to})
	}
	return true
}

// mass is the probability of the region, rounded up, at the probabilities p and q of the event. False hits below the
// first count as if they were all in it, and those beyond the last as if they were the last.
func (g *attackRegion) mass(p, q float64) float64 {
	last := len(g.least) - 1
	x, y := g.least[last], g.first+float64(last)
	tail := math.Exp(logBinomialUpper(x, g.n1, p, 1-p)) // P(X ≥ x)
	sum := math.Exp(logBinomialUpper(y+1, g.n2, q, 1-q)) * tail
	row, hit := 0.0, 0.0 // P(Y = y) and P(X = x)
	for i := last; i >= 0; i-- {
		y = g.first + float64(i)
		row = binomialBelow(row, y, g.n2, q)
		for ; x > g.least[i]; x-- {
			if x <= g.n1 {
				hit = binomialBelow(hit, x-1, g.n1, p)
			} else {
				hit = binomialBelow(0, g.n1, g.n1, p)
			}
			tail += hit
		}
		sum += row * tail
	}
	return (sum + math.Exp(logBinomialLower(g.first-1, g.n2, q, 1-q))) * (1 + 1e-9)
}

// binomialBelow is P(K = k), by P(K = k + 1) where that is no tiny one.
func binomialBelow(above, k, n, p float64) float64 {
	if above < tiny || k == n {
		return math.Exp(logBinomialPMF(k, n, p, 1-p))
	}
	return above * (k + 1) / (n - k) * ((1 - p) / p)
}
