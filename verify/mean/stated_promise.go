package mean

import (
	"cmp"
	"math"
	"math/rand/v2"

	"github.com/dpverify/dpverify/empirical/confidence"
)

// Promise draws few values and returns the largest deviation of a mean from the stated one, less what chance explains,
// in halves of the interval that so many certifying samples are expected to have, with an error of at most alpha. It is
// for choosing what to check, and certifies nothing. If no value varies and none deviates it is −Inf.
func (c Stated) Promise(r *rand.Rand, alpha float64, samples int, certifying int64) (float64, error) {
	c.Effect = cmp.Or(c.Effect, statedEffect)
	if err := c.check(); err != nil {
		return 0, err
	}
	values := c.values(int64(samples))
	if err := c.draw(r, values); err != nil {
		return 0, err
	}
	moments := make([]confidence.Moments, len(c.Mean))
	for _, v := range values {
		for i, x := range v {
			if err := moments[i].Add(x); err != nil {
				return 0, err
			}
		}
	}
	log := math.Log(2 * float64(len(c.Mean)) / alpha)
	best := math.Inf(-1)
	for i, at := range c.coordinates(moments) {
		sd := moments[i].StdDev()
		half := sd*math.Sqrt(2*log/float64(certifying)) + at.Scale*log/float64(certifying)
		// As by Bernstein's inequality: what is rare and large may be missing from few samples.
		deviation := math.Abs(moments[i].Mean()-c.Mean[i]) - 2*sd/math.Sqrt(float64(samples)) -
			6*at.Scale/float64(samples)
		if half > 0 {
			best = math.Max(best, deviation/half)
		} else if deviation > 0 {
			best = math.MaxFloat64
		}
	}
	return best, nil
}
