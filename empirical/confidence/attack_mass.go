package confidence

import "math"

const (
	// mostPieces is the number of boundary pieces that rare inspects before it gives up and does not refute the
	// hypothesis.
	maxPieces = 600
	// firstPieces is the initial number of pieces.
	firstPieces = 8
	// tiny is the probability below which binomialBelow does not use the ratio to the neighboring probability, which
	// may have underflowed.
	tiny = 1e-280
)

// rare reports whether the region has a probability of at most alpha under every pair that a trade-off function
// permits within the box, including the error of the box. The probability increases in p and decreases in q. On a
// piece of the boundary it is at most its value at the larger p and the smaller q.
func (g *attackRegion) rare(null TradeOff, alpha float64) bool {
	target := alpha * (1 - gammaShare)
	type piece struct{ from, to float64 }
	var pieces []piece
	width := (g.box.pHigh - g.box.pLow) / firstPieces
	for i := range firstPieces {
		pieces = append(pieces, piece{g.box.pLow + float64(i)*width, g.box.pLow + float64(i+1)*width})
	}
	pieces[firstPieces-1].to = g.box.pHigh
	for inspected := 0; len(pieces) > 0; inspected++ {
		current := pieces[len(pieces)-1]
		pieces = pieces[:len(pieces)-1]
		q := null.MinProbability(current.from)
		if q > g.box.qHigh || g.mass(current.to, math.Max(q, g.box.qLow)) <= target {
			continue
		}
		middle := (current.from + current.to) / 2
		q = null.MinProbability(middle)
		if inspected > maxPieces || !(middle > current.from && middle < current.to) ||
			q <= g.box.qHigh && g.mass(middle, math.Max(q, g.box.qLow)) > target {
			return false
		}
		pieces = append(pieces, piece{current.from, middle}, piece{middle, current.to})
	}
	return true
}

// mass returns the probability of the region, rounded up, if the event has probabilities p and q. Counts of false
// hits below the first belong to the region entirely. Counts above the last use the last threshold.
func (g *attackRegion) mass(p, q float64) float64 {
	last := len(g.thresholds) - 1
	x, y := g.thresholds[last], g.first+float64(last)
	tail := math.Exp(logBinomialUpper(x, g.n1, p, 1-p)) // P(X ≥ x)
	sum := math.Exp(logBinomialUpper(y+1, g.n2, q, 1-q)) * tail
	row, hit := 0.0, 0.0 // P(Y = y) and P(X = x)
	for i := last; i >= 0; i-- {
		y = g.first + float64(i)
		row = binomialBelow(row, y, g.n2, q)
		for ; x > g.thresholds[i]; x-- {
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

// binomialBelow returns P(K = k), computed from P(K = k + 1) unless that is tiny.
func binomialBelow(above, k, n, p float64) float64 {
	if above < tiny || k == n {
		return math.Exp(logBinomialPMF(k, n, p, 1-p))
	}
	return above * (k + 1) / (n - k) * ((1 - p) / p)
}
