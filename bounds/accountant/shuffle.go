package accountant

import (
	"math"

	"github.com/dpverify/dpverify/bounds/accountant/event"
	"github.com/dpverify/dpverify/bounds/internal/numeric"
)

// shuffledLower returns an ε at δ that one epoch of Gaussian steps over n
// shuffled batches cannot beat, from one pair of data sets and one event (Chua
// et al. 2024, "How private are DP-SGD implementations?", section 4): every
// other record pushes the other way, so that the differing record stands out as
// 2μ in its batch against μ without it, in a batch at random. The event is that
// the largest of the n outputs exceeds a threshold c:
//
//	1 − Φ(c−2μ)Φ(c)^{n−1}   against   1 − Φ(c−μ)Φ(c)^{n−1},
//
// and against 1 − Φ(c)ⁿ where the record may be replaced by one like the others.
// Thresholds are searched; each gives a valid bound.
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
		// Their accuracy is that of log Φ.
		if p, q = p*(1-1e-12), q*(1+1e-12); p > delta && q > 1e-300 {
			best = math.Max(best, math.Log(p-delta)-math.Log(q)-1e-12)
		}
	}
	return best
}
