package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// shuffledLower returns a lower bound of ε at δ for one epoch of Gaussian steps over n shuffled batches. It uses one
// pair of data sets and one output event (Chua et al. 2024, "How private are DP-SGD implementations?", section 4). All
// other records contribute opposite to the differing record. Then the mean output of the record's batch is 2μ with the
// record and μ without it. The position of the batch is random. The event is that the maximum of the n outputs exceeds
// a threshold c:
//
//	1 − Φ(c−2μ)Φ(c)^{n−1}   against   1 − Φ(c−μ)Φ(c)^{n−1},
//
// and against 1 − Φ(c)ⁿ if another record can replace the record. Every threshold gives a valid bound; the function
// returns the best of 400.
func shuffledLower(mu float64, n int64, delta float64, adj event.Adjacency) float64 {
	without := mu
	if adj == event.ReplaceOne {
		without = 0
	}
	best := 0.0
	excess := func(c, shift float64) float64 {
		return -math.Expm1(numeric.LogPhi(c-shift) + float64(n-1)*numeric.LogPhi(c))
	}
	const points = 400
	for i := range points {
		c := (2*mu + 12) * float64(i) / points
		p, q := excess(c, 2*mu), excess(c, without)
		// log Φ has a relative error of at most 1e-12.
		if p, q = p*(1-1e-12), q*(1+1e-12); p > delta && q > 1e-300 {
			best = math.Max(best, math.Log(p-delta)-math.Log(q)-1e-12)
		}
	}
	return best
}
