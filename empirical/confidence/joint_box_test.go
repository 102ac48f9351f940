package confidence

import (
	"math"
	"testing"
)

// The box of the nuisance parameters misses (p, q) with probability at most gamma and not much less, because each
// of its four limits has a quarter of the error. The test enumerates all outcomes. It detects a box with twice the
// error or less than half of it.
func TestJointBoxMissesAsStated(t *testing.T) {
	const n1, n2, gamma = 150, 240, 0.2
	outside := func(n int64, p float64, limits func(jointBox) (low, high float64), box func(k int64) jointBox) (missed float64) {
		for k := range n + 1 {
			if low, high := limits(box(k)); !(low <= p && p <= high) {
				a, _ := math.Lgamma(float64(n + 1))
				b, _ := math.Lgamma(float64(k + 1))
				c, _ := math.Lgamma(float64(n - k + 1))
				missed += math.Exp(a - b - c + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p))
			}
		}
		return missed
	}
	least, most := 1.0, 0.0
	for p := 0.2; p < 0.8; p += 0.013 {
		inP := outside(n1, p, func(b jointBox) (float64, float64) { return b.pLow, b.pHigh },
			func(k int64) jointBox { return newJointBox(k, n1, 7, n2, gamma) })
		inQ := outside(n2, p, func(b jointBox) (float64, float64) { return b.qLow, b.qHigh },
			func(k int64) jointBox { return newJointBox(7, n1, k, n2, gamma) })
		either := inP + inQ - inP*inQ
		least, most = min(least, either), max(most, either)
	}
	if most > gamma || most < 0.8*gamma || least < 0.5*gamma {
		t.Errorf("missed with probabilities from %.4f to %.4f, where %v is allowed", least, most, gamma)
	}
}
